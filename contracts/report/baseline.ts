import type { CaseResult } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import { withoutIds } from "../engine/shown.ts";
import type { Finding, Verdict } from "../engine/verdict.ts";
import { rowName } from "./findings.ts";

/** Equal for the same finding of the same case in every run. */
function fingerprintOf(id: string, finding: Finding): string {
  const { verdict, blame, text } = finding;
  return [id, rowName(finding), verdict, blame, withoutIds(text)].join(" | ");
}

/** Whether a finding makes a run fail, were it new. */
function isFailure({ verdict }: { readonly verdict: Verdict }, isStrict: boolean): boolean {
  return verdict === "FAIL" || (isStrict && verdict !== "UNSUPPORTED" && verdict !== "PASS");
}

/** Whether a case makes the run fail. */
export function isFailing(result: Pick<CaseResult, "findings" | "verdict">, isStrict: boolean): boolean {
  const failures = result.findings.filter((finding) => isFailure(finding, isStrict));
  const areAllKnown = failures.length > 0 && failures.every((finding) => finding.isKnown);
  return isFailure(result, isStrict) && !areAllKnown;
}

/** Marks the findings that an earlier report has, so that only the others make the run fail. */
export function comparedWithBaseline(
  run: RunReport,
  baseline: Pick<RunReport, "results">,
  isStrict: boolean,
): RunReport {
  const before = failuresIn(baseline.results, () => true);
  const results = run.results.map((result) => ({
    ...result,
    findings: result.findings.map((finding) =>
      before.has(fingerprintOf(result.id, finding)) ? { ...finding, isKnown: true as const } : finding,
    ),
  }));
  const isCounted = (finding: Finding) => isFailure(finding, isStrict);
  const now = failuresIn(run.results, isCounted);
  const checkedResults = run.results.filter(({ verdict }) => verdict !== "UNSUPPORTED");
  const ids = new Set(checkedResults.map(({ id }) => id));
  const earlier = failuresIn(
    baseline.results.filter(({ id }) => ids.has(id)),
    isCounted,
  );
  const knownCount = [...now].filter((fingerprint) => before.has(fingerprint)).length;
  const goneCount = [...earlier].filter((fingerprint) => !now.has(fingerprint)).length;
  const baselineCounts = { known: knownCount, new: now.size - knownCount, gone: goneCount };
  return { ...run, results, baseline: baselineCounts };
}

function failuresIn(
  results: readonly Pick<CaseResult, "id" | "findings">[],
  isCounted: (finding: Finding) => boolean,
): ReadonlySet<string> {
  return new Set(
    results.flatMap(({ id, findings }) =>
      findings.filter(isCounted).map((finding) => fingerprintOf(id, finding)),
    ),
  );
}

/** `baseline: 2 known findings, 1 new, 0 no longer found`. */
export function baselineLines({ baseline }: RunReport): string[] {
  if (baseline === undefined) return [];
  return [
    `baseline: failing findings: ${baseline.known} known, ${baseline.new} new, ${baseline.gone} no longer found`,
  ];
}
