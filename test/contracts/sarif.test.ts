import { expect, it } from "vitest";
import type { CaseResult } from "../../contracts/engine/case.ts";
import type { Finding } from "../../contracts/engine/verdict.ts";
import { contractReport } from "../../contracts/report/contract-report.ts";
import { sarifReport } from "../../contracts/report/sarif.ts";
import { sarifProblems } from "../support/sarif.ts";

function finding(verdict: Finding["verdict"], actual: unknown): Finding {
  return { verdict, blame: "target", requirement: "4.4-1", section: "4.4", text: "has a status", actual };
}

function resultsOf(findings: readonly Finding[], strict = false) {
  const result: CaseResult = {
    ...{ id: "4.4/read", section: "4.4", title: "an export is read", requirements: ["4.4-1"] },
    ...{ verdict: "FAIL", findings, checkedRequirements: ["4.4-1"], requests: 1, wallMs: 1 },
  };
  const report = { target: "x", seed: 1, results: [result], requests: 1, wallMs: 1 };
  const log = JSON.parse(sarifReport(contractReport(report, strict)));
  expect(sarifProblems(log)).toEqual([]);
  return log.runs[0];
}

it("the published schema of SARIF 2.1.0 refuses a document that is not a log", () => {
  const report = { target: "x", seed: 1, results: [], requests: 0, wallMs: 1 };
  const log = JSON.parse(sarifReport(contractReport(report, false)));
  const [run] = log.runs;
  const located = (uri: string) => [{ physicalLocation: { artifactLocation: { uri } } }];
  const withResult = (result: object) => ({ ...log, runs: [{ ...run, results: [result] }] });
  const result = { ruleId: "1", message: { text: "x" } };
  expect(sarifProblems(withResult({ ...result, locations: located("a/b.yaml") }))).toEqual([]);
  for (const wrong of [
    { ...log, version: "2.0.0" },
    { ...log, runs: [{ results: [] }] },
    withResult({ ...result, level: "fatal" }),
    withResult({ ruleId: "1" }),
    withResult({ ...result, locations: located("a b.yaml") }),
  ])
    expect(sarifProblems(wrong).length).toBeGreaterThan(0);
});

it("a finding is one result with its rule, wherever else it was seen in the case", () => {
  const { results, tool } = resultsOf([finding("FAIL", 1), finding("FAIL", 2)]);
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({
    ruleId: "4.4-1",
    level: "error",
    locations: [{ logicalLocations: [{ fullyQualifiedName: "4.4/read" }] }],
  });
  const text = expect.stringMatching(/\w/);
  expect(tool.driver.rules).toEqual([
    { id: "4.4-1", shortDescription: { text }, helpUri: expect.stringMatching(/^https:/), help: { text } },
  ]);
});

it.each([
  [false, ["error", "warning"]],
  [true, ["error", "error", "error"]],
])("without notes, the levels are those of the run, strict: %s", (strict, levels) => {
  const verdicts = ["FAIL", "NON-STRICT", "UNSPECIFIED", "UNSUPPORTED"] as const;
  const { results } = resultsOf(
    verdicts.map((verdict) => finding(verdict, 1)),
    strict,
  );
  expect(results.map(({ level }: { level: string }) => level)).toEqual(levels);
});

it("every result has a file: its own, or the one that is named", () => {
  const result: CaseResult = {
    ...{ id: "4.4/read", section: "4.4", title: "an export is read", requirements: ["4.4-1"] },
    ...{ verdict: "FAIL", findings: [finding("FAIL", 1)], checkedRequirements: [], requests: 1, wallMs: 1 },
  };
  const uriOf = (results: readonly CaseResult[]) => {
    const report = contractReport({ target: "x", seed: 1, results, requests: 1, wallMs: 1 }, false);
    const log = JSON.parse(sarifReport({ ...report, source: { path: "src/server.ts" } }));
    expect(sarifProblems(log)).toEqual([]);
    return log.runs[0].results[0].locations[0].physicalLocation;
  };
  expect(uriOf([result])).toEqual({ artifactLocation: { uri: "src/server.ts" }, region: { startLine: 1 } });
  const recorded = { ...result, file: { path: "a.har", line: 7 } };
  expect(uriOf([recorded])).toEqual({ artifactLocation: { uri: "a.har" }, region: { startLine: 7 } });
});
