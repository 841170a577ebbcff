import { type CaseResult, type Finding, VERDICTS, type Verdict } from "../case.ts";
import { saysOf } from "../says.ts";
import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";

/** A finding, and how many more there are that say the same. */
export interface Fold {
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
export function folded(result: CaseResult): readonly Fold[] {
  const kinds = new Map<string, Finding[]>();
  for (const finding of result.findings) {
    const kind = [finding.verdict, finding.blame, rowName(finding), finding.text].join(" ");
    kinds.set(kind, [...(kinds.get(kind) ?? []), finding]);
  }
  const own = (finding: Finding) => Number(isOwn(result, finding));
  return [...kinds.values()]
    .map((alike) => ({ finding: alike[0] as Finding, more: alike.length - 1 }))
    .sort((a, b) => byGravity(a.finding, b.finding) || own(b.finding) - own(a.finding));
}

/** So many findings of a row show what is wrong; the rest would say it again. */
const MOST_OF_A_ROW = 3;

/** Which findings a report shows in full: the first ones of each row, unless every one is wanted. */
export function shownInFull(results: readonly CaseResult[], verbose: boolean): ReadonlySet<Finding> {
  const counts = new Map<string, number>();
  const isShown = (finding: Finding) => {
    // What went wrong in the harness itself is no row's, and stands nowhere else.
    if (finding.blame === "harness") return true;
    const kind = `${finding.verdict} ${rowName(finding)}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return verbose || (counts.get(kind) ?? 0) <= MOST_OF_A_ROW;
  };
  // Those come first that are about the row, since they show it best.
  const found = [true, false].flatMap((isAbout) =>
    results.flatMap((result) => folded(result).filter(({ finding }) => isOwn(result, finding) === isAbout)),
  );
  return new Set(found.map(({ finding }) => finding).filter(isShown));
}

/** Whether nothing is left to be shown of a case, since others have shown it. */
export function isToldBefore(result: CaseResult, full: ReadonlySet<Finding>): boolean {
  return folded(result).every(({ finding }) => !full.has(finding));
}

/** Cases of which enough was shown before, with the verdict and the rows that they have in common. */
export interface ToldBefore {
  readonly verdict: CaseResult["verdict"];
  readonly rows: string;
  readonly cases: readonly string[];
}

/** Cases of which nothing is left to be shown. */
export function toldBefore(
  results: readonly CaseResult[],
  full: ReadonlySet<Finding>,
): readonly ToldBefore[] {
  const groups = new Map<string, ToldBefore>();
  for (const result of results) {
    if (!isToldBefore(result, full)) continue;
    const { id, verdict } = result;
    const rows = [...new Set(folded(result).map(({ finding }) => `§${rowName(finding)}`))].join(" and ");
    const known = groups.get(`${verdict} ${rows}`);
    groups.set(`${verdict} ${rows}`, { verdict, rows, cases: [...(known?.cases ?? []), id] });
  }
  return [...groups.values()].sort(byGravity);
}

/** What was sent can be read, but not be sent there any more. */
export function goneLine(fleeting: string | undefined): string[] {
  return fleeting === undefined ? [] : [`The curl lines show what was sent. Gone by now: ${fleeting}.`];
}

/** What a target does not meet, row by row: the gravest first, then what most cases have met with. */
export function unmet(results: readonly CaseResult[]): readonly Unmet[] {
  const rows = new Map<string, Unmet>();
  // Cases that are about a row come before those that only came across it.
  for (const isAbout of [true, false])
    for (const result of results)
      for (const finding of result.findings)
        if (isTelling(finding) && isOwn(result, finding) === isAbout)
          rows.set(rowName(finding), withCase(rows.get(rowName(finding)), finding, result.id));
  return [...rows.values()].sort((a, b) => byGravity(a, b) || b.cases.length - a.cases.length);
}

/** Whether a case is about the row that something was found of, and did not only come across it. */
function isOwn({ requirements }: CaseResult, { requirement }: Finding): boolean {
  return requirement !== null && requirements.includes(requirement);
}

/** What the harness sent or did wrong says nothing about a target. */
function isTelling({ verdict, blame }: Finding): boolean {
  return verdict !== "UNSUPPORTED" && blame !== "harness" && blame !== "caller";
}

function withCase(known: Unmet | undefined, finding: Finding, id: string): Unmet {
  const { requirement, assumption, section, verdict } = finding;
  return {
    requirement,
    ...(assumption !== undefined && { assumption }),
    section,
    says: saysOf(requirement, assumption),
    verdict: known && byGravity(finding, known) > 0 ? known.verdict : verdict,
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
export function againLine(again: string | undefined, id: string): string[] {
  return again === undefined ? [] : [`again: ${again.replace("<case>", id)}`];
}

function byGravity(a: { readonly verdict: Verdict }, b: { readonly verdict: Verdict }): number {
  return VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict);
}
