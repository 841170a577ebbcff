import type { Case } from "./engine/case.ts";
import { coverage, uncovered } from "./engine/coverage.ts";
import type { Oracle } from "./engine/oracle/oracle.ts";
import { type RunOptions, type RunReport, runCases } from "./engine/run.ts";
import { emptySelectors, selectCases } from "./engine/selection.ts";
import type { Target } from "./engine/target.ts";
import { contractReport } from "./report/contract-report.ts";
import { isSuccessful } from "./report/summary.ts";
import { type Reporter, writeReport } from "./report/write.ts";
import { CASES } from "./suites/cases.ts";
import { openOracle } from "./targets/open-oracle.ts";

export { type Case, type CaseResult, type CaseRow, suite } from "./engine/case.ts";
export { type Comparison, compareRuns, type Drift } from "./engine/compare.ts";
export type { Contract, Reply } from "./engine/contract.ts";
export type { Members } from "./engine/json.ts";
export { type CaseSettings, NEEDS, type Need } from "./engine/needs.ts";
export type { Oracle, OracleFinding } from "./engine/oracle/oracle.ts";
export type {
  CheckableReply,
  ContractQuestion,
  RecordedExchange,
  RecordedReply,
  RecordingLine,
} from "./engine/recorded.ts";
export type { RunReport } from "./engine/run.ts";
export type { Session, Target } from "./engine/target.ts";
export { type Blame, type Finding, VERDICTS, type Verdict } from "./engine/verdict.ts";
export { comparisonReport } from "./report/comparison.ts";
export { contractReport } from "./report/contract-report.ts";
export type { ReportModel } from "./report/model.ts";
export { isSuccessful } from "./report/summary.ts";
export { REPORTERS, type Reporter, writeReport } from "./report/write.ts";
export { REQUIREMENTS, type Requirement, type RequirementId } from "./spec/requirements.ts";
export { CASES } from "./suites/cases.ts";
export { createAddressTarget } from "./targets/address-target.ts";
export { type Addresses, areLocal } from "./targets/addresses.ts";
export { createContainerTarget, type StartedContainer } from "./targets/container-target.ts";
export {
  createEmulatorTarget,
  type StartEmulator,
  type StartedEmulator,
} from "./targets/emulator-target.ts";
export { contractMatchers, type ExpectOptions, expectContract, prepareMatching } from "./targets/expect.ts";
export { ORACLES, type OracleName, openOracle } from "./targets/open-oracle.ts";
export { coverage, uncovered };

/** Options of a run. */
export interface ContractOptions extends Omit<RunOptions, "cases" | "oracle" | "stopAt" | "observe"> {
  /** Sections, case ids or their prefixes; all cases by default. */
  readonly select?: readonly string[];
  readonly cases?: readonly Case[];
  readonly bail?: boolean;
  /** Differences from our choices, and from the wording of the specification, count as failures. */
  readonly strict?: boolean;
  /** False skips the validation of every exchange. The default is the oracle `tables`. */
  readonly oracle?: Oracle | false;
}

/** A report of a run; `ok` when no verdict of it counts as a failure. */
export interface ContractRun extends RunReport {
  readonly ok: boolean;
  /** `verbose` shows every finding in full, else the first ones of each requirement. */
  report(reporter: Reporter, verbose?: boolean): string;
}

/**
 * Runs the suites against a target; rejects when no case is selected.
 *
 * @example
 * const target = await createAddressTarget({ url: "http://127.0.0.1:4700" });
 * const run = await runContracts(target, { select: ["4.1"] });
 * console.log(run.report("pretty"));
 * await target.close();
 */
export async function runContracts(target: Target, options: ContractOptions = {}): Promise<ContractRun> {
  const { select = [], cases: all = CASES, bail, strict = false, oracle: ownOracle, ...more } = options;
  const unknown = emptySelectors(all, select);
  if (unknown.length > 0) throw new Error(`No contract case matches ${unknown.join(", ")}.`);
  const oracle = ownOracle ?? (await openOracle(more.profile));
  const report = await runCases(target, {
    ...more,
    cases: selectCases(all, select),
    stopAt: bail ? (strict ? "NON-STRICT" : "FAIL") : undefined,
    oracle: oracle || undefined,
  });
  return {
    ...report,
    ok: isSuccessful(report, strict),
    report: (reporter, verbose) => writeReport(contractReport(report, strict, verbose), reporter),
  };
}
