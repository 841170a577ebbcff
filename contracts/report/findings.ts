import type { CaseResult } from "../engine/case.ts";
import { type Finding, VERDICTS, type Verdict } from "../engine/verdict.ts";
import { groupedBy } from "./grouping.ts";

/** A finding and the number of equal ones. */
interface FindingGroup {
  readonly finding: Finding;
  readonly more: number;
}

/** A case with its first findings. */
export interface ReportedCase {
  readonly result: CaseResult;
  readonly kinds: readonly FindingGroup[];
  /** Number of further findings. */
  readonly rest: number;
}

const MAX_FINDINGS = 10;

/** A case by itself. */
export function reportSingleCase(result: CaseResult): ReportedCase {
  const groups = groupFindings(result);
  const kinds = groups.slice(0, MAX_FINDINGS);
  return { result, kinds, rest: groups.length - kinds.length };
}

/** The distinct findings of a case, by severity; those about its own requirements first. */
function groupFindings(result: CaseResult): readonly FindingGroup[] {
  const kinds = groupedBy(result.findings, (finding) =>
    [finding.verdict, finding.blame, rowName(finding), finding.text].join(" "),
  );
  const own = (finding: Finding) => Number(isOwn(result, finding));
  return [...kinds.values()]
    .map((sameKind) => ({ finding: sameKind[0] as Finding, more: sameKind.length - 1 }))
    .sort((a, b) => bySeverity(a.finding, b.finding) || own(b.finding) - own(a.finding));
}

/** Whether a finding is about a requirement that its case lists. */
export function isOwn({ requirements }: CaseResult, { requirement }: Finding): boolean {
  return requirement !== null && requirements.includes(requirement);
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
  return again === undefined ? [] : [`rerun: ${again.replace("<case>", id)}`];
}

/** Sorts by severity, most severe first. */
export function bySeverity(a: { readonly verdict: Verdict }, b: { readonly verdict: Verdict }): number {
  return VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict);
}
