import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { startEmulator } from "../../../emulator/runtime/index.ts";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { addThread, send } from "../../support/send.ts";

let cwd: string;

beforeEach(() => {
  cwd = workingFolder();
});

function write(name: string, ...lines: readonly string[]): void {
  writeFileSync(join(cwd, name), `${lines.join("\n")}\n`);
}

/** Two runs of a thread, which are listed in an order that is not specified. */
function writeListed(name: string): void {
  write(
    name,
    "scenario: The newest run is the first.",
    "given:",
    "  - { request: POST /threads, body: {}, capture: { thread: thread_id } }",
    "  - { request: 'POST /threads/${thread}/runs', body: { assistant_id: agent }, capture: { first: run_id } }",
    "  - advance: PT1H",
    "  - { request: 'POST /threads/${thread}/runs', body: { assistant_id: agent }, capture: { newest: run_id } }",
    "then:",
    "  - request: GET /threads/${thread}/runs",
    "    expect: { body: { 0: { run_id: '${newest}' } } }",
  );
}

/** All of a report but the time that its trials took, and the addresses of their worlds. */
async function explored(...words: readonly string[]) {
  const { code, stdout } = await run(["replay", ...words, "--report", "json"], { cwd });
  const report = stdout.replace(/"(durationMs|duration_ms|seconds)": ?[\d.]+/g, "");
  return { code, report: report.replace(/http:\/\/127\.0\.0\.1:\d+\/w\/[\w-]+/g, "") };
}

it("several threads have the results of one, in the same order", async () => {
  const names = ["a", "b", "c"];
  for (const name of names) writeListed(`${name}.scenario.yaml`);
  const one = await explored(".", "--vary", "--jobs", "1");
  expect(one.code).toBe(1);
  expect(one.report.match(/"trial": ?"agent\.list_order=oldest first"/g)).toHaveLength(names.length);
  expect(await explored(".", "--vary", "--jobs", "2")).toEqual(one);
});

it("a plain replay has the same outcomes with any number of jobs", async () => {
  writeListed("a.scenario.yaml");
  const steps = ["when: [{ request: GET /ok, expect: { status: 201 } }]"];
  write("b.scenario.yaml", "scenario: It fails.", "seed: 7", ...steps);
  write("c.scenario.yaml", "scenario: It cannot be played.", "settings: { seed: [] }", ...steps);
  const one = await explored(".", "--jobs", "1");
  expect(one).toMatchObject({ code: 1, report: expect.stringContaining('"broken": 1') });
  expect(await explored(".", "--jobs", "3")).toEqual(one);
});

it("refuses an unknown name, with an exit code that is not 0", async () => {
  writeListed("a.scenario.yaml");
  expect(await run(["replay", "a.scenario.yaml", "--sweep", "limits", "--only", "429 #99"], { cwd })).toEqual(
    {
      code: 2,
      stdout: "",
      stderr: expect.stringContaining('--only: nothing here is named "429 #99", or depends on it'),
    },
  );
});

it.each([
  ["a.capsule b.capsule", "a.capsule: a capsule is replayed alone"],
  ["a.capsule --vary", "--vary: it cannot be combined with a capsule"],
  ["x.scenario.yaml --record d --shrink y.scenario.yaml", "--record writes to the file of --shrink"],
])("refuses words that would be ignored: %s", async (words, said) => {
  const { code, stderr } = await run(["replay", ...words.split(" ")], { cwd });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
});

it("--record --shrink reduces a recording to the step that does not replay", async () => {
  const options = { data: join(cwd, "d"), clock: "frozen" } as const;
  const first = await startEmulator(options);
  const { thread_id: before } = await addThread(first.url);
  await first.close();
  const second = await startEmulator(options);
  const { url } = second;
  for (let limit = 1; limit <= 5; limit += 1) await send(url, "POST", "/assistants/search", { limit });
  // A replay, which begins with an empty world, has no such thread.
  expect((await send(url, "GET", `/threads/${before}`)).status).toBe(200);
  const { code, stdout, stderr } = await run(
    ["replay", "--record", url, "--shrink", "seen.scenario.yaml", "--output", "small.scenario.yaml"],
    { cwd },
  );
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringContaining("small.scenario.yaml: 1 of 6 steps"),
    stderr: expect.stringContaining("earlier requests are missing"),
  });
  expect(readFileSync(join(cwd, "small.scenario.yaml"), "utf8")).toContain(`GET /threads/${before}`);
  expect((await run(["replay", "small.scenario.yaml"], { cwd })).stdout).toContain("expected 200, found 404");
  await second.close();
});
