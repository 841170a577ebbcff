import type { CaseResult } from "../engine/case.ts";
import { describeRequirement } from "../engine/requirement-text.ts";
import { type Finding, VERDICTS, type Verdict } from "../engine/verdict.ts";
import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";

/** A finding and the number of equal ones. */
export interface FindingGroup {
  readonly finding: Finding;
  readonly more: number;
}

/** A requirement that a target does not meet. */
export interface Unmet {
  readonly requirement: RequirementId | null;
  readonly assumption?: AssumptionId;
  readonly section: string;
  readonly says: string;
  /** The most severe verdict. */
  readonly verdict: Finding["verdict"];
  readonly cases: readonly string[];
}

/** The distinct findings of a case, by severity; those about its own requirements first. */
export function groupFindings(result: CaseResult): readonly FindingGroup[] {
  const kinds = new Map<string, Finding[]>();
  for (const finding of result.findings) {
    const kind = [finding.verdict, finding.blame, rowName(finding), finding.text].join(" ");
    kinds.set(kind, [...(kinds.get(kind) ?? []), finding]);
  }
  const own = (finding: Finding) => Number(isOwn(result, finding));
  return [...kinds.values()]
    .map((sameKind) => ({ finding: sameKind[0] as Finding, more: sameKind.length - 1 }))
    .sort((a, b) => bySeverity(a.finding, b.finding) || own(b.finding) - own(a.finding));
}

/** Requirements that a target does not meet, by severity, then by number of cases. */
export function unmet(results: readonly CaseResult[]): readonly Unmet[] {
  const rows = new Map<string, Unmet>();
  // Cases about a requirement come before those that only touch it.
  for (const isAbout of [true, false])
    for (const result of results)
      for (const finding of result.findings)
        if (isAboutTarget(finding) && isOwn(result, finding) === isAbout)
          rows.set(rowName(finding), withCase(rows.get(rowName(finding)), finding, result.id));
  return [...rows.values()].sort((a, b) => bySeverity(a, b) || b.cases.length - a.cases.length);
}

/** Whether a finding is about a requirement that its case lists. */
export function isOwn({ requirements }: CaseResult, { requirement }: Finding): boolean {
  return requirement !== null && requirements.includes(requirement);
}

/** Whether a finding is about the target; mistakes of the harness are not. */
function isAboutTarget({ verdict, blame }: Finding): boolean {
  return verdict !== "UNSUPPORTED" && blame !== "harness" && blame !== "caller";
}

function withCase(known: Unmet | undefined, finding: Finding, id: string): Unmet {
  const { requirement, assumption, section, verdict } = finding;
  return {
    requirement,
    ...(assumption !== undefined && { assumption }),
    section,
    says: describeRequirement(requirement, assumption),
    verdict: known && bySeverity(finding, known) > 0 ? known.verdict : verdict,
    cases: [...new Set([...(known?.cases ?? []), id])],
  };
}

/** `2.1-1`, with the assumption where it is one. */
export function rowName({
  requirement,
  section,
  assumption,
}: Pick<Finding, "requirement" | "section" | "assumption">) {
  return [requirement ?? section, ...(assumption ? [assumption] : [])].join(", ");
}

/** The command that reruns a case. */
export function rerunLine(again: string | undefined, id: string): string[] {
  return again === undefined ? [] : [`again: ${again.replace("<case>", id)}`];
}

/** Sorts by severity, most severe first. */
export function bySeverity(a: { readonly verdict: Verdict }, b: { readonly verdict: Verdict }): number {
  return VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict);
}
