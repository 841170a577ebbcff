import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { HEADERS } from "../../support/emulator.ts";
import { type Outcome, start, workingFolder } from "../../support/emulator-process.ts";
import { send } from "../../support/send.ts";

const ROW = {
  id: "00000001-0000-4000-8000-000000000001",
  name: "row",
  run_type: "chain",
  start_time: "2026-01-01T00:00:00Z",
};

/** A file where the folder of trace rows belongs: the next row meets an invariant that does not hold. */
function breakTraces(data: string): () => void {
  const traces = join(data, "pool/1/rows");
  mkdirSync(dirname(traces), { recursive: true });
  writeFileSync(traces, "");
  return () => rmSync(traces);
}

/** The failure that a command with --json reports in its last line. */
function failureIn({ stdout, stderr }: Outcome): string {
  expect(stderr).toBe("");
  const { error } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  return `${error.message}; ${error.hint}`;
}

describe("a broken emulator", () => {
  it("ends `start` with one line, its last turns in a file, and all answered requests stored", async () => {
    const cwd = workingFolder();
    const data = join(cwd, ".emulator");
    const first = await start(["--ready-file", "ready.json"], { cwd });
    expect((await send(first.ready.url, "POST", "/sessions", { name: "kept" })).status).toBe(200);
    const mend = breakTraces(data);
    expect((await send(first.ready.url, "POST", "/runs", ROW)).status).toBe(500);
    const outcome = await first.ended;
    const failure = failureIn(outcome);
    const report = join(data, `defect-${first.ready.pid}.ndjson`);
    expect(outcome.code).toBe(5);
    expect(failure).toMatch(/^a defect of the emulator, not of your requests: Error: ENOTDIR/);
    expect(failure).toContain(`its last turns are in ${report}; please report it with that file`);
    expect(failure).toContain(`${data} holds all acknowledged data: start again to continue from it`);
    const [head, ...turns] = readFileSync(report, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(head).toEqual({
      defect: expect.stringContaining("ENOTDIR"),
      version: first.ready.version,
      seed: first.ready.seed,
      node: process.version,
    });
    expect(turns.at(-1)).toMatchObject({ cause: { name: "createRun" } });
    for (const left of [join(data, "locator.json"), join(cwd, "ready.json")])
      expect(existsSync(left)).toBe(false);

    mend();
    const { ready } = await start([], { cwd });
    const { body: projects } = await send<{ name: string }[]>(ready.url, "GET", "/sessions");
    expect(projects.map(({ name }) => name)).toContain("kept");
    expect((await send(ready.url, "POST", "/runs", ROW)).status).toBe(202);
  });

  it("ends `start` when its data folder is removed", async () => {
    const cwd = workingFolder();
    const { ended } = await start([], { cwd });
    rmSync(join(cwd, ".emulator"), { recursive: true });
    const outcome = await ended;
    expect(outcome.code).toBe(5);
    expect(failureIn(outcome)).toMatch(/^the lock of .*\.emulator was lost: .* Start again$/);
    expect(existsSync(join(cwd, ".emulator"))).toBe(false);
  });

  it("ends `exec` and the command that it runs", async () => {
    const cwd = workingFolder();
    const child = `
      const { mkdirSync, writeFileSync } = require("node:fs");
      mkdirSync("kept/pool/1", { recursive: true });
      writeFileSync("kept/pool/1/rows", "");
      fetch(process.env.EMULATOR_URL + "/runs", {
        method: "POST",
        headers: ${JSON.stringify(HEADERS)},
        body: JSON.stringify(${JSON.stringify(ROW)}),
      });
      setInterval(() => undefined, 1000);
    `;
    const words = ["exec", "--data", "kept", "--", process.execPath, "-e", child];
    const { code, stderr } = await run(words, { cwd });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^emulator: a defect of the emulator, not of your requests: .*\n$/);
  });

  it("without a data folder writes its last turns to a new folder", async () => {
    const cwd = workingFolder();
    const { ready, child, ended } = await start(["--ephemeral"], { cwd, env: { TMPDIR: cwd } });
    const { body } = await send<{ objects_folder: string }>(ready.url, "GET", "/_emulator/v1/status");
    breakTraces(join(body.objects_folder, "../../.."));
    // More than waits in memory until it is written.
    await send(ready.url, "POST", "/runs", { ...ROW, inputs: { text: "x".repeat(2 ** 21) } });
    if (child.exitCode === null) await once(child, "exit");
    const outcome = await ended;
    const failure = failureIn(outcome);
    expect(outcome.code).toBe(5);
    const file = /its last turns are in (\S+defect-\d+\.ndjson);/.exec(failure)?.[1];
    expect(file?.startsWith(cwd)).toBe(true);
    expect(existsSync(file ?? "")).toBe(true);
    expect(failure).toContain("the data was in memory");
  });
});
