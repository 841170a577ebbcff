import { expect, it } from "vitest";
import { launch, type Outcome, run, start, workingFolder } from "../support/emulator-process.ts";

const JSON_TYPE = { "content-type": "application/json" };
const FLAGS = ["--ephemeral", "--clock", "frozen", "--now", "2026-03-01T00:00:00Z"];

/** What an emulator prints after its ready line, while it is sent these requests. */
async function logged(...flags: string[]): Promise<readonly string[]> {
  const { ready, child, ended } = await start([...FLAGS, ...flags], { cwd: workingFolder() });
  const call = (path: string, init: RequestInit = {}) => fetch(ready.url + path, init);
  const fault = { plane: "http", match: { op: "createThread" }, then: { status: 503 } };
  await call("/_emulator/v1/faults", { method: "POST", body: JSON.stringify(fault) });
  const thread = { method: "POST", headers: { ...JSON_TYPE, "x-api-key": "s3cret-key" }, body: '{"foo":1}' };
  expect((await call("/threads", thread)).status).toBe(503);
  expect((await call("/threads?token=s3cret-token", thread)).status).toBe(200);
  expect((await call("/w/none/ok")).status).toBe(404);
  child.kill("SIGTERM");
  const { stdout }: Outcome = await ended;
  expect(stdout).not.toContain("s3cret");
  return stdout.trimEnd().split("\n").slice(1);
}

it("prints each request with its status, world, time, fault and what nothing reads", async () => {
  const lines = await logged("--log", "requests");
  expect(lines).toEqual([
    expect.stringMatching(
      /^2026-03-01T00:00:00\.000000Z main 503 POST \/threads; fault [0-9a-f-]{36} hit: http \{"status":503\}$/,
    ),
    expect.stringMatching(
      /^2026-03-01T00:00:00\.000000Z main 200 POST \/threads\?token=[^;]*; warning: .*body\.foo/,
    ),
    expect.stringMatching(/ - 404 GET \/w\/none\/ok$/),
  ]);
});

it("prints control requests and other turns with --log all, and JSON where it is asked for", async () => {
  const lines = (await logged("--log", "all", "--log-format", "json")).map((line) => JSON.parse(line));
  expect(lines[0]).toEqual({
    now: "2026-03-01T00:00:00.000000Z",
    world: "main",
    method: "POST",
    path: "/_emulator/v1/faults",
    status: 200,
  });
  expect(lines[1]).toMatchObject({
    path: "/threads",
    status: 503,
    faults: [expect.stringMatching(/^fault /)],
  });
});

it.each([
  ["nothing in a pipe", []],
  ["nothing when it is off", ["--log", "off"]],
])("prints %s", async (_what, flags) => {
  expect(await logged(...flags)).toEqual([]);
});

it("prints nothing in --quiet", async () => {
  const cwd = workingFolder();
  const { child, ended } = launch(["start", ...FLAGS, "--port", "0", "--quiet", "--log", "all"], { cwd });
  const { stdout } = await run(["wait", "--json"], { cwd });
  expect((await fetch(`${JSON.parse(stdout).url}/ok`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
});

it("a port that another emulator has is said to be its", async () => {
  const { ready } = await start(["--ephemeral"], { cwd: workingFolder() });
  const port = new URL(ready.url).port;
  const { code, stderr } = await run(["start", "--ephemeral", "--port", port], { cwd: workingFolder() });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(
      `emulator: port ${port}: in use by an emulator (process ${ready.pid}, version ${ready.version}, nothing kept); stop it`,
    ),
  });
});

it("refuses words that it does not know", async () => {
  const outcome = await run(["start", "--log", "everything"], { cwd: workingFolder() });
  expect(outcome).toEqual({
    code: 2,
    stdout: "",
    stderr: 'emulator: --log: "everything" is not valid; give one of off, requests, all\n',
  });
});
