import type { CaseResult } from "../../../contracts/engine/case.ts";
import type { RunReport } from "../../../contracts/engine/run.ts";
import { type Finding, VERDICTS, type Verdict } from "../../../contracts/engine/verdict.ts";
import type { UncheckedSection } from "../../../contracts/report/unchecked.ts";

/** A report of `contract run` as JSON: the run with its summary. */
export interface ContractReportData extends RunReport {
  readonly ok: boolean;
  readonly counts: Readonly<Record<Verdict, number>>;
  /** The cases that were not checked, by section. */
  readonly notChecked: readonly UncheckedSection[];
  /** The text of each requirement of the run. */
  readonly requirements: Readonly<Record<string, string>>;
}

/** A finding with the id of its case. */
export type CaseFinding = Finding & { readonly caseId: string };

/** A requirement with the findings of a run. */
export interface RequirementOutcome {
  readonly id: string;
  readonly verdict: Verdict;
  readonly findings: readonly CaseFinding[];
}

/** Every requirement that the run checked, in the order of the specification, with its gravest verdict. */
export function outcomesOf(results: readonly CaseResult[]): readonly RequirementOutcome[] {
  const outcomes = new Map<string, { verdict: Verdict; findings: CaseFinding[] }>();
  const outcomeOf = (id: string) => {
    const outcome = outcomes.get(id) ?? { verdict: "PASS", findings: [] };
    outcomes.set(id, outcome);
    return outcome;
  };
  for (const { id, checkedRequirements, findings, requirements } of results) {
    for (const requirement of checkedRequirements) outcomeOf(requirement);
    for (const finding of findings) {
      const outcome = outcomeOf(finding.requirement ?? requirements[0] ?? finding.section);
      outcome.findings.push({ ...finding, caseId: id });
      if (VERDICTS.indexOf(finding.verdict) > VERDICTS.indexOf(outcome.verdict))
        outcome.verdict = finding.verdict;
    }
  }
  return [...outcomes]
    .map(([id, outcome]) => ({ id, ...outcome }))
    .sort((a, b) => a.id.localeCompare(b.id, "en", { numeric: true }));
}
