import { expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { launch, type Outcome, start, workingFolder } from "../../support/emulator-process.ts";
import { send } from "../../support/send.ts";

const FLAGS = ["--ephemeral", "--clock", "frozen", "--now", "2026-03-01T00:00:00Z"];

/** What an emulator prints after its ready line, while it is sent these requests. */
async function logged(...flags: string[]): Promise<readonly string[]> {
  const { ready, child, ended } = await start([...FLAGS, ...flags], { cwd: workingFolder() });
  const call = (path: string, init: RequestInit = {}) => fetch(ready.url + path, init);
  const fault = { target: "http", match: { op: "createThread" }, then: { status: 503 } };
  await call("/_emulator/v1/faults", { method: "POST", body: JSON.stringify(fault) });
  const headers = { "content-type": "application/json", "x-api-key": "s3cret-key" };
  const thread = { method: "POST", headers, body: '{"foo":1}' };
  expect((await call("/threads", thread)).status).toBe(503);
  expect((await call("/threads?token=s3cret-token", thread)).status).toBe(200);
  expect((await call("/w/none/ok")).status).toBe(404);
  child.kill("SIGTERM");
  const { stdout }: Outcome = await ended;
  expect(stdout).not.toContain("s3cret");
  return stdout.trimEnd().split("\n").slice(1);
}

it("prints each request with its status, world, time, fault and what nothing reads", async () => {
  const lines = await logged("--log", "requests", "--log-format", "text");
  expect(lines).toEqual([
    expect.stringMatching(
      /^2026-03-01T00:00:00\.000000Z main 503 POST \/threads; fault [0-9a-f-]{36} hit: http \{"status":503\}$/,
    ),
    expect.stringMatching(
      /^2026-03-01T00:00:00\.000000Z main 200 POST \/threads\?token=[^;]*; warning: .*body\.foo/,
    ),
    expect.stringMatching(/ - 404 GET \/w\/none\/ok; The world none does not exist\./),
  ]);
});

it("prints control requests and other turns with --log all, and JSON on request", async () => {
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
  expect(lines.at(-1)).toMatchObject({
    path: "/w/none/ok",
    status: 404,
    reason: expect.stringMatching(/^The world none does not exist\./),
  });
});

it("prints the reason of each refusal, and the instant once", async () => {
  const cwd = workingFolder();
  const { ready, child, ended } = await start([...FLAGS, "--log", "all", "--log-format", "text"], { cwd });
  for (const [path, body, status] of [
    ["/_emulator/v1/clock/advance", { by: "6 hours" }, 422],
    ["/threads", { thread_id: 7 }, 422],
    ["/runs", { assistant_id: "echo" }, 200],
    ["/_emulator/v1/clock/advance", { by: "PT1M" }, 200],
  ] as const)
    expect((await send(ready.url, "POST", path, body)).status).toBe(status);
  child.kill("SIGTERM");
  const lines = (await ended).stdout.trimEnd().split("\n").slice(1);
  const lineOf = (text: string) => lines.find((line) => line.includes(text));
  expect(lineOf("422 POST /_emulator/v1/clock/advance")).toMatch(/; invalid_request: body\.by: /);
  expect(lineOf("422 POST /threads")).toMatch(/; .*thread_id/);
  expect(lineOf(" event ")).toMatch(/^2026-\S+ main {5}#\d+ event /);
  for (const line of lines) expect(line.match(/\d{4}-\d\d-\d\dT/g), line).toHaveLength(1);
});

it("prints JSON only, the ready line included, with --log-format json", async () => {
  const cwd = workingFolder();
  const words = ["start", ...FLAGS, "--port", "0", "--log", "requests", "--log-format", "json"];
  const { child, ended } = launch(words, { cwd });
  const { url } = JSON.parse((await run(["wait", "--json"], { cwd })).stdout);
  expect((await fetch(`${url}/ok`)).status).toBe(200);
  child.kill("SIGTERM");
  const lines: unknown[] = (await ended).stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toContainEqual(expect.objectContaining({ url, console_url: `${url}/_emulator/console/` }));
  expect(lines).toContainEqual(expect.objectContaining({ path: "/ok", status: 200 }));
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

it("a port of another emulator is reported as such", async () => {
  const { ready } = await start(["--ephemeral"], { cwd: workingFolder() });
  const words = ["start", "--ephemeral", "--port", new URL(ready.url).port];
  const { code, stderr } = await run(words, { cwd: workingFolder() });
  expect({ code, stderr }).toEqual({
    code: 2,
    // Its other ports are any that were free, so one of them may be a neighbour of the first.
    stderr: expect.stringMatching(
      `^emulator: port \\d+(?: \\(.*\\))?: an emulator uses it \\(process ${ready.pid}, version ${ready.version}, data in memory\\); stop it`,
    ),
  });
});
