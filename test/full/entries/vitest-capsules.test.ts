import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { childVitest } from "../../support/child-vitest.ts";
import { run } from "../../support/command-line.ts";

// Node cancels the body of a reply that it collects before the body is read, so the capsule is written while it collects.
const FAILING = `import v8 from "node:v8"; import vm from "node:vm";
v8.setFlagsFromString("--expose-gc");
test.beforeAll(async ({ sharedEmulator }) => {
  await (await sharedEmulator()).request("/threads", { json: { metadata: { by: "main" } } });
});
const stocked = test.extend({ emulatorFrom: "main", emulatorOptions: {} });
stocked("goes wrong", async ({ emulator, clock }) => {
  await emulator.request("/threads", { json: {} });
  await clock.advance("PT1H");
  const { status } = await emulator.request("/ok");
  const collecting = setInterval(vm.runInNewContext("gc"), 2);
  onTestFinished(() => clearInterval(collecting));
  expect(status).toBe(201);
});
test("passes", async ({ emulator }) => { await emulator.request("/threads", { json: {} }); });`;

const SPOILED = [
  `test("missed", async ({ emulator }) => {
     await emulator.faults.arm({ preset: "worker_crash" });
     await emulator.request("/threads", { json: {} });
   });`,
  `test("forgotten", async ({ emulator }) => {
     await emulator.request("/runs/crons", { json: { assistant_id: "echo", schedule: "* * * * * *" } });
     emulator.clock.advance("P3650D");
   });`,
];

const IDLE = `test("idle", async ({ emulator }) => { expect(emulator.seed).toBe(-1); });`;

let folder: string;
let output: string;
let left: readonly string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitest-kept-"));
  const files = { a: [FAILING], b: SPOILED, c: [IDLE] };
  const env = { EMULATOR_CAPSULES: "kept" };
  ({ output, remainingFolders: left } = await childVitest(folder, files, { pool: "threads", env }));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("tests that fail, also for a fault or an await, each write a capsule, and no others", () => {
  expect(output).toMatch(/Tests {2}4 failed \| 1 passed/);
  const expected = ["a-test-goes-wrong", "b-test-forgotten", "b-test-missed"].map(
    (name) => `${name}.capsule`,
  );
  expect(readdirSync(join(folder, "kept")).toSorted(), output).toEqual(expected);
  for (const name of expected) {
    const file = join("kept", name);
    expect(output).toContain(
      `Its requests are kept in ${file}; repeat them with \`npx emulator replay ${file}\``,
    );
  }
});

it("a capsule begins as the world of its test did", async () => {
  const again = await run(["replay", join("kept", "a-test-goes-wrong.capsule")], { cwd: folder });
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(again.stdout).toContain('npx vitest run a.test.js -t "goes wrong"');
  expect(again.stdout).toContain("the test failed: expected 200 to be 201");
  expect(again.stdout).toContain("the result matches the recording");
});

it("a world that received nothing has none", () => {
  expect(output).toContain(
    "No capsule was written: the emulator has received no request that can be replayed",
  );
});

it("the pool threads ends by itself, and leaves no process", () => {
  expect(output).not.toMatch(/timed out|prevents/);
  expect(left).toEqual([]);
});
