import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run } from "../../support/command-line.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { stateFileIn } from "../../support/pool-files.ts";

let cwd: string;

beforeEach(() => {
  cwd = workingFolder();
});

afterEach(async () => {
  if (existsSync(join(cwd, ".emulator/locator.json"))) await run(["stop"], { cwd });
});

const BEGINNING = "2026-03-01T00:00:00Z";
const FLAGS = ["start", "--detach", "--port", "0", "--seed", "7", "--clock", "frozen", "--now", BEGINNING];

it("start --detach prints the ready line of a process that continues, with its log and pid in the data folder", async () => {
  const { code, stdout, stderr } = await run([...FLAGS, "--json"], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const ready = JSON.parse(stdout) as { pid: number; url: string; seed: number };
  expect(ready).toMatchObject({ ready: true, seed: 7 });
  const { pid } = JSON.parse(readFileSync(join(cwd, ".emulator/locator.json"), "utf8")) as { pid: number };
  expect(pid).toBe(ready.pid);
  const status = await run(["status", "--json"], { cwd });
  expect(JSON.parse(status.stdout)).toMatchObject({ pid, url: ready.url });
  expect((await run(["logs", "--output"], { cwd })).stdout).toBe(stdout);

  const again = await run(FLAGS, { cwd });
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining(`(process ${pid}) already runs in`),
  ]);

  expect((await run(["stop"], { cwd })).stdout).toContain(`(process ${pid}) has stopped`);
  expect((await run(["status"], { cwd })).code).toBe(2);
});

it("start --detach shows problems before the ready line on standard error", async () => {
  await run(FLAGS, { cwd });
  await run(["traces", "generate", "--count", "3"], { cwd });
  await run(["stop"], { cwd });
  writeFileSync(stateFileIn(join(cwd, ".emulator")), "damage");
  const { code, stdout, stderr } = await run(["start", "--detach", "--port", "0"], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^ready: /)]);
  expect(stderr).toMatch(/^emulator: .*state-\d+\.json is damaged.*\n$/);
});

it("start --detach ends with the code and the message of a start that fails, and leaves only its log", async () => {
  const { code, stdout, stderr } = await run(["start", "--detach", "--port", "0", "--now", "soon"], { cwd });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("soon");
  const refusal = await run(["logs", "--output"], { cwd });
  expect([refusal.code, refusal.stderr]).toEqual([2, expect.stringContaining("emulator start --detach")]);
});
