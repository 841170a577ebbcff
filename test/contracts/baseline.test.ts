import { expect, it } from "vitest";
import type { CaseResult } from "../../contracts/engine/case.ts";
import type { Finding, Verdict } from "../../contracts/engine/verdict.ts";
import { contractReport, isSuccessful, writeReport } from "../../contracts/index.ts";
import { comparedWithBaseline } from "../../contracts/report/baseline.ts";

const finding = (text: string, verdict: Finding["verdict"] = "FAIL"): Finding => ({
  ...{ verdict, blame: "target", requirement: "4.4-1", section: "4.4", text },
});

const result = (id: string, verdict: Verdict, ...findings: Finding[]): CaseResult => ({
  ...{ id, section: "4.4", title: id, requirements: ["4.4-1"], verdict, findings },
  ...{ checkedRequirements: ["4.4-1"], requests: 1, wallMs: 1 },
});

const runOf = (...results: CaseResult[]) => ({ target: "x", seed: 1, results, requests: 1, wallMs: 1 });

const PASSED = result("4.4/other", "PASS");
const ID = "1a91a355-8a88-422c-9546-72c183b95b5c";

it("only findings that the baseline does not have fail the run, in every format", () => {
  const baseline = runOf(result("4.4/read", "FAIL", finding(`old ${ID}`), finding("gone")));
  const again = runOf(result("4.4/read", "FAIL", finding(`old ${ID.replace("1a", "2b")}`)), PASSED);
  const compared = comparedWithBaseline(again, baseline, false);
  expect(compared.baseline).toEqual({ known: 1, new: 0, gone: 1 });
  expect([isSuccessful(again, false), isSuccessful(compared, false)]).toEqual([false, true]);
  const model = contractReport(compared, false);
  expect(writeReport(model, "junit")).toContain('failures="0"');
  expect(writeReport(model, "pretty")).toMatch(
    /^FAIL \(in the baseline\) §4\.4-1[\s\S]*1 known, 0 new, 1 no longer found/,
  );
  expect(writeReport(model, "md")).toContain("### FAIL (in the baseline) §4.4-1");
  expect(JSON.parse(writeReport(model, "json"))).toMatchObject({ ok: true, baseline: { known: 1 } });
});

it("a new finding fails the run, also of a case that failed before, and is listed first", () => {
  const baseline = runOf(result("4.4/read", "FAIL", finding("old")));
  const run = comparedWithBaseline(
    runOf(result("4.4/read", "FAIL", finding("old"), finding("new"))),
    baseline,
    false,
  );
  expect(isSuccessful(run, false)).toBe(false);
  const model = contractReport(run, false);
  expect(writeReport(model, "junit")).toContain('failures="1"');
  expect(writeReport(model, "pretty")).toMatch(/^FAIL §4\.4-1.*\n {2}new/);
});

it("the same finding of another case is new", () => {
  const baseline = runOf(result("4.4/read", "FAIL", finding("old")));
  expect(
    isSuccessful(
      comparedWithBaseline(runOf(result("4.4/other", "FAIL", finding("old"))), baseline, false),
      false,
    ),
  ).toBe(false);
});

it("under --strict, other findings are compared as well", () => {
  const baseline = runOf(result("4.4/read", "UNSPECIFIED", finding("old", "UNSPECIFIED")));
  const run = runOf(result("4.4/read", "UNSPECIFIED", finding("old", "UNSPECIFIED")));
  expect(comparedWithBaseline(run, baseline, true).baseline).toEqual({ known: 1, new: 0, gone: 0 });
  expect(isSuccessful(comparedWithBaseline(run, baseline, true), true)).toBe(true);
  expect(isSuccessful(run, true)).toBe(false);
});

it("a finding of a case that could not run again is not gone", () => {
  const baseline = runOf(result("4.4/read", "FAIL", finding("old")));
  const run = runOf(result("4.4/read", "UNSUPPORTED", finding("needs a key", "UNSUPPORTED")));
  expect(comparedWithBaseline(run, baseline, false).baseline).toEqual({ known: 0, new: 0, gone: 0 });
});
