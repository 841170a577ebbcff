import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { isFull } from "../support/depth.ts";
import { run, start, workingFolder } from "../support/emulator-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WRITTEN = [
  "emulator.config.yaml",
  "test/emulator.test.ts",
  ".github/workflows/emulator.yml",
  "AGENTS.md",
];

/** A project in which the package is installed, as `init` leaves it. */
async function initializedProject(): Promise<string> {
  const cwd = workingFolder();
  await run(["init"], { cwd });
  writeFileSync(join(cwd, "package.json"), '{ "private": true, "type": "module" }');
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(ROOT, join(cwd, "node_modules/trace-platform-emulator"));
  symlinkSync(join(ROOT, "node_modules/vitest"), join(cwd, "node_modules/vitest"));
  return cwd;
}

// The test that it writes becomes one of this file.
await import(pathToFileURL(join(await initializedProject(), "test/emulator.test.ts")).href);

it.runIf(isFull)("writes a test that vitest finds", async () => {
  const cwd = await initializedProject();
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const words = [vitest, "run", "--maxWorkers=1", "--testTimeout=300000"];
  const env = { PATH: process.env.PATH, NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd, env });
  expect(stdout).toMatch(/Tests +1 passed/);
});

it("puts files into a project, and never twice", async () => {
  const cwd = workingFolder();
  writeFileSync(join(cwd, "AGENTS.md"), "# Mine\n");
  const { code, stdout } = await run(["init", "--json"], { cwd });
  expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, folder: cwd, written: WRITTEN });
  expect(readFileSync(join(cwd, "AGENTS.md"), "utf8")).toMatch(/^# Mine\n\n## Trace Platform emulator\n/);
  expect(parse(readFileSync(join(cwd, ".github/workflows/emulator.yml"), "utf8"))).toMatchObject({
    jobs: { test: { steps: expect.arrayContaining([{ run: "npx emulator exec -- npm test" }]) } },
  });

  const { ready } = await start(["--ephemeral"], { cwd });
  expect(ready).toMatchObject({ now: "2026-01-01T00:00:00.000000Z", seed: 1 });
  const projects = await fetch(`${ready.url}/sessions`, { headers: { "x-api-key": "k" } });
  expect(await projects.json()).toMatchObject([{ name: "shop" }]);

  const before = readFileSync(join(cwd, "AGENTS.md"), "utf8");
  const again = await run(["init"], { cwd });
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toMatch(/^emulator: emulator.config.yaml, .*there already; nothing is written.*\n$/);
  expect(readFileSync(join(cwd, "AGENTS.md"), "utf8")).toBe(before);
});

it("writes nothing where one of the files is there", async () => {
  const cwd = workingFolder();
  mkdirSync(join(cwd, "test"));
  writeFileSync(join(cwd, "test/emulator.test.ts"), "mine");
  expect(await run(["init"], { cwd })).toMatchObject({ code: 2, stdout: "" });
  expect(readdirSync(cwd)).toEqual(["test"]);
  expect(await run(["init", "none"], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no such folder"),
  });
  expect(existsSync(join(cwd, "none"))).toBe(false);
});
