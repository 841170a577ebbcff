import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, test as plain } from "vitest";
import { test, withEmulator } from "../../../emulator/entries/vitest.ts";
import { childVitest } from "../../support/child-vitest.ts";
import { createLibraryExport } from "../../support/library-export.ts";

const arm = (more: string) => `await emulator.faults.arm({ preset: "worker_crash"${more} });`;

const FAULTS = [
  `test("missed", async ({ emulator }) => { ${arm("")} });`,
  `test("optional", async ({ emulator }) => { ${arm(", optional: true")} });`,
  `test("closed", async ({ emulator }) => { ${arm("")} await emulator.close(); });`,
  `test("wrong", async ({ emulator }) => {
     await emulator.request("/threads", { json: { foo: 1 } });
     expect((await emulator.request("/ok")).status).toBe(429);
   });`,
];

const AWAITS = [
  `test("forgotten", async ({ emulator }) => {
     await emulator.request("/runs/crons", { json: { assistant_id: "echo", schedule: "* * * * * *" } });`,
  `  emulator.clock.advance("P3650D");`,
  `});`,
  `test("waited for", async ({ clock }) => { await clock.advance("PT1H"); });`,
  `test("matched", async ({ emulator }) => { await expect(emulator.fork()).toHaveExported("x"); });`,
];

const OPTIONS = [
  `test.extend({ emulatorOptions: { clock: "flowing" } })("other", async ({ emulator }) => {
     await emulator.control("POST", "/traces/generate", { count: 5, project: "p" });
     expect(emulator.world).toMatch(/^test-/);
   });`,
  `test.extend({ emulatorOptions: { seed: -1 } }).fails("bad", async ({ emulator }) => {});`,
];

describe("what vitest prints", () => {
  let output: string;
  let left: readonly string[];

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "outcomes-"));
    const files = { a: FAULTS, b: AWAITS, c: OPTIONS, d: OPTIONS };
    ({ output, remainingFolders: left } = await childVitest(folder, files, { pool: "forks" }));
    rmSync(folder, { recursive: true, force: true });
  });

  it("counts the tests with the expected outcome", () => {
    expect(output).toMatch(/Tests {2}4 failed \| 5 passed \| 2 expected fail \(11\)/);
  });

  it("a fault that was never triggered fails its test, and what failed is shown with its journal", () => {
    for (const title of ["missed", "wrong"])
      expect(output).toMatch(new RegExp(`FAIL .*a\\.test\\.js > ${title}`));
    expect(output).toContain(
      'Error: The fault {"preset":"worker_crash","match":{"at":"file.written"}} was never triggered. If that is intended, arm it with optional: true.',
    );
    expect(output).toContain('switch them on with emulatorOptions: { rateLimits: "on" }');
    expect(output).toMatch(
      /The journal of its world:\n +#\d+ .* POST \/threads \(createThread\); unread: body\.foo/,
    );
    // The line that armed it, and what its world did.
    expect(output).toMatch(
      /optional: true\.\nThe journal of its world:\n +#\d+ .*faults\.arm[\s\S]*a\.test\.js:2:\d+/,
    );
  });

  it("a forgotten await is named as such, with its line", () => {
    for (const title of ["forgotten", "matched"])
      expect(output).toMatch(new RegExp(`FAIL .*b\\.test\\.js > ${title}`));
    expect(output).toContain("Error: advance() had not finished when its test ended. Is an await missing?");
    expect(output).toMatch(/b\.test\.js:4:18/);
    expect(output).toMatch(/await missing\?\nThe journal of its world/);
    expect(output).not.toContain("Unhandled");
    expect(output).toContain(
      "toHaveExported: expects an emulator, but the value is a promise; use `await` first",
    );
  });

  it("names no capsule without a folder for them", () => {
    expect(output).not.toMatch(/kept in|capsule/i);
  });

  it("ends by itself with the pool forks, and leaves no process", () => {
    expect(output).not.toMatch(/timed out|prevents/);
    expect(left).toEqual([]);
  });
});

const mine = withEmulator(plain.extend<{ readonly answer: number }>({ answer: 42 }));

mine("fixtures go together with others", async ({ emulator, clock, answer }) => {
  expect(answer).toBe(42);
  await emulator.request("/threads", { json: {} });
  const { fired, settled, to } = await clock.advance("PT1H");
  expect({ fired, settled }).toEqual({ fired: [], settled: true });
  expect(to).toBe("2026-01-01T01:00:00.000000Z");
});

describe("mistakes", () => {
  test("toHaveDelivered shows the nearest delivery, and refuses misspelled fields", async ({
    emulator,
    clock,
  }) => {
    await emulator.request("/runs/wait", {
      json: { assistant_id: "agent", webhook: "/_emulator/inbox/mine" },
    });
    await clock.advance("PT1H");
    await expect(expect(emulator).toHaveDelivered({ run_status: "error" })).rejects.toThrow(
      /^0 deliveries are like .*; the ledger has 1\nnearest is [0-9a-f-]{36} of run [0-9a-f-]{36}:\n {2}run_status: expected "error", found "success"$/,
    );
    await expect(expect(emulator).toHaveDelivered({ run_statuss: "error" })).rejects.toThrow(
      "toHaveDelivered: a delivery has no member run_statuss; did you mean run_status?",
    );
    await expect(expect(Promise.resolve(emulator)).toHaveDelivered()).rejects.toThrow(
      "expects an emulator, but the value is a promise",
    );
  });

  test("a reply that was not awaited is named as such", async ({ emulator }) => {
    const reply = emulator.request("/threads", { json: {} });
    await expect(expect(reply).toMatchContract({ method: "POST" })).rejects.toThrow("Use `await` first");
    await reply;
  });

  test("a reply contains its request as a curl command", async ({ emulator }) => {
    const reply = await emulator.request("/threads", { json: {} });
    await expect(reply).toMatchContract();
    await expect(expect(reply).not.toMatchContract()).rejects.toThrow(
      /curl -sS -X POST 'http:\/\/127\.0\.0\.1:\d+\/threads' -H 'content-type: application\/json' .*-H 'x-emulator-world: test-\d+' .*--data '\{\}'/,
    );
  });

  test("a failed export names the day, the attempt and the error", async ({ emulator, clock }) => {
    const window = ["2025-12-31T00:00:00Z", "2026-01-01T00:00:00Z"] as const;
    await emulator.faults.arm({ preset: "bucket_deleted" });
    const id = await createLibraryExport(emulator, window, { count: 3, from: window[0], to: window[1] });
    await expect(clock.advanceUntil(id)).rejects.toThrow(
      /did not get to .*: .*the run of 2025-12-31 is FAILED, retry_0: .*NoSuchBucket/,
    );
  });
});
