import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { startEmulator } from "../../../emulator/runtime/index.ts";
import { run } from "../../support/command-line.ts";
import { launch, start, workingFolder } from "../../support/emulator-process.ts";

const SIGNAL_BASE = 128;

const worldsAt = async (url: string) =>
  ((await (await fetch(`${url}/_emulator/v1/worlds`)).json()) as readonly { readonly id: string }[]).map(
    ({ id }) => id,
  );

/** Whether the first case has begun: each has a bucket of its own. */
async function isAsked(url: string): Promise<boolean> {
  const world = (await worldsAt(url)).find((id) => id !== "main");
  if (world === undefined) return false;
  const buckets = await fetch(`${url}/w/${world}/_emulator/v1/s3/buckets`);
  return (await buckets.text()).includes("contract-");
}

/** Waits for what a program does while it is at work. */
async function until(child: ChildProcess, holds: () => Promise<boolean>): Promise<void> {
  await expect.poll(async () => child.exitCode !== null || (await holds())).toBe(true);
  expect(child.exitCode).toBe(null);
}

async function startTarget() {
  const emulator = await startEmulator({ clock: "frozen" });
  onTestFinished(() => emulator.close());
  return emulator;
}

const check = (...words: readonly string[]) => ["contract", "run", ...words];

describe("emulator contract run --target", () => {
  it("leaves the emulator unchanged, and checks its main world only on request", async () => {
    const { url, euUrl } = await startTarget();
    const state = async () =>
      Promise.all(
        ["status", "clock", "journal", "s3/buckets"].map(async (path) =>
          (await fetch(`${url}/_emulator/v1/${path}`)).text(),
        ),
      );
    const before = await state();
    const cases = ["1/both-regions", "1/separate-regions", "3.3/schedule-status"];
    const words = check(...cases, "--target", url, "--eu-url", euUrl);
    const own = await run(words, { cwd: workingFolder() });
    expect(own.stdout).toMatch(/: \d+ PASS\n/);
    expect(own.code).toBe(0);
    expect(await state()).toEqual(before);
    expect(await worldsAt(url)).toEqual(["main"]);
    expect((await run([...words, "--world", "main"], { cwd: workingFolder() })).code).toBe(0);
    expect((await state())[1]).not.toBe(before[1]);
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "ended by %s prints what was found so far, and leaves no world",
    async (signal) => {
      const { url } = await startTarget();
      const { child, ended } = launch(check("2", "3", "--target", url), { cwd: workingFolder() });
      await until(child, () => isAsked(url));
      child.kill(signal);
      const { code, stdout } = await ended;
      expect(stdout).toMatch(
        /^Not checked: \d+ of \d+ cases[\s\S]*the end of the run, which was interrupted/,
      );
      expect(code).toBe(SIGNAL_BASE + constants.signals[signal]);
      expect(await worldsAt(url)).toEqual(["main"]);
    },
  );

  it("leaves no world when another server cannot be compared with it", async () => {
    const { url } = await startTarget();
    const words = check("--compare", url, "--target", "http://127.0.0.1:9");
    const { code, stderr } = await run(words, { cwd: workingFolder() });
    expect(stderr).toMatch(/127\.0\.0\.1:9/);
    expect(code).toBe(2);
    expect(await worldsAt(url)).toEqual(["main"]);
  });

  it("reports the findings when the emulator stops in the middle", async () => {
    const cwd = workingFolder();
    const { child: emulator, ready } = await start([], { cwd });
    const { child, ended } = launch(check("2", "3", "--target", ready.url, "--json"), { cwd });
    await until(child, () => isAsked(ready.url));
    emulator.kill("SIGKILL");
    const { code, stdout, stderr } = await ended;
    expect(stderr).toBe("");
    const { counts, results } = JSON.parse(stdout);
    expect(counts.FAIL).toBeGreaterThan(0);
    expect(counts.FAIL).toBeLessThan(10);
    expect(results.at(-1).findings[0].text).toMatch(/check that it is running/);
    expect(code).toBe(1);
  });
});
