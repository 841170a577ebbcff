import { beforeAll, describe, expect, it } from "vitest";
import { createEmulatorTarget } from "../../contracts/adapters/emulator-target.ts";
import { openOracle } from "../../contracts/adapters/prism.ts";
import { coverage, uncovered } from "../../contracts/coverage.ts";
import { type RunReport, runCases } from "../../contracts/run.ts";
import { CASES } from "../../contracts/suites/cases.ts";
import { startEmulator } from "../../emulator/index.ts";

describe("the suites against the emulator", () => {
  let report: RunReport;

  beforeAll(async () => {
    const oracle = await openOracle();
    report = await runCases(createEmulatorTarget(startEmulator), { cases: CASES, oracle });
  }, 120_000);

  it("find nothing", () => {
    const found = report.results
      .filter(({ verdict }) => verdict !== "PASS")
      .map(({ id, verdict, findings }) => ({
        id,
        verdict,
        findings: findings.map(({ text, actual }) => ({ text, actual })),
      }));
    expect(found).toEqual([]);
  });
});
