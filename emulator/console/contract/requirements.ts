import type { CaseResult } from "../../../contracts/engine/case.ts";
import type { RunReport } from "../../../contracts/engine/run.ts";
import { type Finding, VERDICTS, type Verdict } from "../../../contracts/engine/verdict.ts";
import type { UncheckedSection } from "../../../contracts/report/unchecked.ts";

/** A report of `contract run` as JSON: the run with what sums it up. */
export interface ContractReportData extends RunReport {
  readonly ok: boolean;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** What could make a pass mean less than it seems. */
  readonly notChecked: readonly UncheckedSection[];
  /** What each requirement of the run says. */
  readonly requirements: Readonly<Record<string, string>>;
}

/** A requirement with what a run has found of it. */
export interface RequirementOutcome {
  readonly id: string;
  readonly verdict: Verdict;
  readonly findings: readonly (Finding & { readonly of: string })[];
}

/** Every requirement that the run asked about, in the order of the specification, with its gravest verdict. */
export function outcomesOf(results: readonly CaseResult[]): readonly RequirementOutcome[] {
  const outcomes = new Map<string, { verdict: Verdict; findings: (Finding & { readonly of: string })[] }>();
  const outcomeOf = (id: string) => {
    const found = outcomes.get(id) ?? { verdict: "PASS", findings: [] };
    outcomes.set(id, found);
    return found;
  };
  for (const { id, checkedRequirements, findings, requirements } of results) {
    for (const requirement of checkedRequirements) outcomeOf(requirement);
    for (const finding of findings) {
      const outcome = outcomeOf(finding.requirement ?? requirements[0] ?? finding.section);
      outcome.findings.push({ ...finding, of: id });
      if (VERDICTS.indexOf(finding.verdict) > VERDICTS.indexOf(outcome.verdict))
        outcome.verdict = finding.verdict;
    }
  }
  return [...outcomes]
    .map(([id, outcome]) => ({ id, ...outcome }))
    .sort((a, b) => a.id.localeCompare(b.id, "en", { numeric: true }));
}
