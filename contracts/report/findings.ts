import type { CaseResult } from "../engine/case.ts";
import { describeRequirement } from "../engine/requirement-text.ts";
import { type Finding, VERDICTS, type Verdict } from "../engine/verdict.ts";
import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";

/** A finding, and how many more there are that say the same. */
export interface FindingGroup {
  readonly finding: Finding;
  readonly more: number;
}

/** A row of the ledger that a target does not meet. */
export interface Unmet {
  readonly requirement: RequirementId | null;
  readonly assumption?: AssumptionId;
  readonly section: string;
  readonly says: string;
  /** The gravest one of it. */
  readonly verdict: Finding["verdict"];
  readonly cases: readonly string[];
}

/** The findings of a case, each kind once: the gravest first, and what the case is about before all else. */
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

/** What a target does not meet, row by row: the gravest first, then what most cases have met with. */
export function unmet(results: readonly CaseResult[]): readonly Unmet[] {
  const rows = new Map<string, Unmet>();
  // Cases that are about a row come before those that only came across it.
  for (const isAbout of [true, false])
    for (const result of results)
      for (const finding of result.findings)
        if (isAboutTarget(finding) && isOwn(result, finding) === isAbout)
          rows.set(rowName(finding), withCase(rows.get(rowName(finding)), finding, result.id));
  return [...rows.values()].sort((a, b) => bySeverity(a, b) || b.cases.length - a.cases.length);
}

/** Whether a case is about the row that something was found of, and did not only come across it. */
export function isOwn({ requirements }: CaseResult, { requirement }: Finding): boolean {
  return requirement !== null && requirements.includes(requirement);
}

/** What the harness sent or did wrong says nothing about a target. */
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

/** The command that asks a target the same case again. */
export function rerunLine(again: string | undefined, id: string): string[] {
  return again === undefined ? [] : [`again: ${again.replace("<case>", id)}`];
}

/** Sorts the gravest verdict to the front. */
export function bySeverity(a: { readonly verdict: Verdict }, b: { readonly verdict: Verdict }): number {
  return VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict);
}
