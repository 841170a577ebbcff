import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run, workingFolder } from "../support/emulator-process.ts";

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

  await run(["traces", "generate", "--count", "3"], { cwd });
  await run(["clock", "advance", "1h"], { cwd });
  const restarted = await run(["restart"], { cwd });
  expect(restarted).toMatchObject({ code: 0, stderr: "" });
  const next = JSON.parse(restarted.stdout.split("\n")[0] ?? "") as { pid: number; seed: number };
  expect(next.seed).toBe(7);
  expect(next.pid).not.toBe(pid);
  expect(JSON.parse((await run(["status", "--json"], { cwd })).stdout)).toMatchObject({
    traces: { rows: 3 },
    now: "2026-03-01T01:00:00.000000Z",
  });

  expect((await run(["stop"], { cwd })).stdout).toContain(`(process ${next.pid}) has stopped`);
  expect((await run(["status"], { cwd })).code).toBe(2);
});

it("restart continues a world that was imported, with its data", async () => {
  const [file, first] = [join(cwd, "shop.snapshot"), join(cwd, "first")];
  await run([...FLAGS, "--data", first], { cwd });
  await run(["traces", "generate", "--count", "3", "--data", first], { cwd });
  await run(["snapshot", "save", "shop", "--data", first], { cwd });
  await run(["snapshot", "export", "shop", file, "--data", first], { cwd });
  await run(["stop", "--data", first], { cwd });

  const startWords = ["start", "--detach", "--port", "0", "--import", file];
  expect(await run(startWords, { cwd })).toMatchObject({ code: 0, stderr: "" });
  await run(["traces", "generate", "--count", "2"], { cwd });
  expect(await run(["restart"], { cwd })).toMatchObject({ code: 0, stderr: "" });
  const status = await run(["status", "--json"], { cwd });
  expect(JSON.parse(status.stdout)).toMatchObject({ traces: { rows: 5 } });
});

it("start --detach ends with the code and the message of a start that fails, and leaves only its log", async () => {
  const { code, stdout, stderr } = await run(["start", "--detach", "--port", "0", "--now", "soon"], { cwd });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("soon");
  for (const words of [["restart"], ["logs", "--output"]]) {
    const refusal = await run(words, { cwd });
    expect([refusal.code, refusal.stderr]).toEqual([2, expect.stringContaining("emulator start --detach")]);
  }
});
