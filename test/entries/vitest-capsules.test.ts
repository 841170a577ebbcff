import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { run } from "../support/emulator-process.ts";

const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
const ENTRY = fileURLToPath(new URL("../../dist/emulator/entries/vitest.js", import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vitest-kept-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs these tests in the folder; answers what vitest prints. */
function outputOf(env: Readonly<Record<string, string>>, ...tests: readonly string[]): Promise<string> {
  const head = `import { expect } from "vitest"; import { test } from ${JSON.stringify(ENTRY)};`;
  writeFileSync(join(folder, "a.test.js"), [head, ...tests].join("\n"));
  const limits = ["--testTimeout=300000", "--hookTimeout=300000"];
  const words = [VITEST, "run", "--root", folder, "--maxWorkers=1", "--reporter=verbose", ...limits];
  const options = { cwd: folder, env: { PATH: process.env.PATH, NO_COLOR: "1", ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, words, options, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

const FAILING = `test.beforeAll(async ({ sharedEmulator }) => {
  await (await sharedEmulator()).request("/threads", { json: { metadata: { by: "main" } } });
});
const stocked = test.extend({ emulatorFrom: "main", emulatorOptions: {} });
stocked("goes wrong", async ({ emulator, clock }) => {
  await emulator.request("/threads", { json: {} });
  await clock.advance("PT1H");
  expect((await emulator.request("/ok")).status).toBe(201);
});
test("goes well", async ({ emulator }) => { await emulator.request("/threads", { json: {} }); });`;

it("a test that fails writes its capsule, which begins as its world did", async () => {
  const output = await outputOf({ EMULATOR_CAPSULES: "kept" }, FAILING);
  expect(output).toMatch(/Tests {2}1 failed \| 1 passed/);
  expect(readdirSync(join(folder, "kept"))).toEqual(["a-test-goes-wrong.capsule"]);
  expect(output).toContain(
    `Its requests are kept in ${join("kept", "a-test-goes-wrong.capsule")}; repeat them with \`npx emulator replay ${join("kept", "a-test-goes-wrong.capsule")}\``,
  );
  const again = await run(["replay", join("kept", "a-test-goes-wrong.capsule")], { cwd: folder });
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(again.stdout).toContain('npx vitest run a.test.js -t "goes wrong"');
  expect(again.stdout).toContain("the test failed: expected 200 to be 201");
  expect(again.stdout).toContain("it goes as it was recorded");
});

it("a test that fails for a fault or an await writes one as well", async () => {
  const output = await outputOf(
    { EMULATOR_CAPSULES: "kept" },
    `test("missed", async ({ emulator }) => {
      await emulator.faults.arm({ preset: "worker_crash" });
      await emulator.request("/threads", { json: {} });
    });`,
    `test("forgotten", async ({ emulator }) => {
      await emulator.request("/runs/crons", { json: { assistant_id: "echo", schedule: "* * * * * *" } });
      emulator.clock.advance("P3650D");
    });`,
  );
  expect(output).toMatch(/Tests {2}2 failed/);
  expect(readdirSync(join(folder, "kept")).toSorted()).toEqual([
    "a-test-forgotten.capsule",
    "a-test-missed.capsule",
  ]);
});

it("without a folder none is written, and a world that received nothing has none", async () => {
  expect(await outputOf({}, FAILING)).not.toContain("kept in");
  const idle = `test.extend({ emulatorCapsules: "kept" })("idle", async ({ emulator }) => { expect(emulator.seed).toBe(-1); });`;
  expect(await outputOf({}, idle)).toContain(
    "No capsule was written: it has received no request that can be replayed",
  );
});
