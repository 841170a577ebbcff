import type { CaseResult } from "../engine/case.ts";
import { describeRequirement } from "../engine/requirement-text.ts";
import { withoutIds } from "../engine/shown.ts";
import type { Finding } from "../engine/verdict.ts";
import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";
import { bySeverity, isOwn, rowName } from "./findings.ts";
import { groupedBy } from "./grouping.ts";

/** A statement that is not met, with everything that was found about it. */
export interface BrokenRow {
  readonly requirement: RequirementId | null;
  readonly assumption?: AssumptionId;
  readonly section: string;
  readonly statement: string;
  /** The most severe verdict. */
  readonly verdict: Finding["verdict"];
  readonly blame: Finding["blame"];
  /** The baseline of the run has all of its findings. */
  readonly isKnown: boolean;
  readonly cases: readonly string[];
  /** Each different one once, the most severe first, those of the cases about the row before others. */
  readonly findings: readonly RowFinding[];
}

/** A finding and the cases that have it. */
export interface RowFinding {
  readonly finding: Finding;
  readonly cases: readonly string[];
}

/** A requirement that a target does not meet, without its findings. */
export type Unmet = Omit<BrokenRow, "findings" | "blame" | "isKnown">;

/** What was found, by the row of the specification: the most severe first, then by number of cases. */
export function brokenRows(results: readonly CaseResult[]): readonly BrokenRow[] {
  const caseFindings = results.flatMap((result) =>
    result.findings
      .filter(({ verdict }) => verdict !== "UNSUPPORTED")
      .map((finding) => ({ finding, id: result.id, isOwn: isOwn(result, finding) })),
  );
  const rows = groupedBy(caseFindings, ({ finding }) => rowKey(finding));
  return [...rows.values()]
    .map(rowOf)
    .sort(
      (a, b) => bySeverity(a, b) || Number(a.isKnown) - Number(b.isKnown) || b.cases.length - a.cases.length,
    );
}

/** The rows that the target does not meet. */
export function unmet(results: readonly CaseResult[]): readonly Unmet[] {
  return brokenRows(results)
    .filter(isAboutTarget)
    .map(({ findings: _, blame: __, isKnown: ___, ...row }) => row);
}

/** A choice is one cause, whatever rows it shows at. */
function rowKey(finding: Finding): string {
  const { verdict, blame, assumption } = finding;
  if (!isAboutTarget(finding)) return `${blame} ${rowName(finding)}`;
  return verdict === "UNSPECIFIED" && assumption !== undefined ? assumption : rowName(finding);
}

interface CaseFinding {
  readonly finding: Finding;
  readonly id: string;
  /** The case is about the row. */
  readonly isOwn: boolean;
}

/** Mistakes of the harness and deliberately wrong requests do not concern the target. */
function isAboutTarget({ blame }: Pick<Finding, "blame">): boolean {
  return blame !== "harness" && blame !== "caller";
}

function rowOf(caseFindings: readonly CaseFinding[]): BrokenRow {
  const ordered = [...caseFindings].sort((a, b) => Number(b.isOwn) - Number(a.isOwn));
  const kinds = groupedBy(
    ordered,
    ({ finding }) => `${finding.verdict} ${finding.isKnown === true} ${withoutIds(finding.text)}`,
  );
  const findings = [...kinds.values()]
    .map((same) => ({ finding: (same[0] as CaseFinding).finding, cases: idsOf(same) }))
    .sort(
      (a, b) =>
        bySeverity(a.finding, b.finding) || Number(a.finding.isKnown ?? 0) - Number(b.finding.isKnown ?? 0),
    );
  const { requirement, assumption, section, verdict, blame } = (findings[0] as RowFinding).finding;
  return {
    requirement,
    assumption,
    section,
    statement: describeRequirement(requirement, assumption),
    verdict,
    blame,
    isKnown: ordered.every(({ finding }) => finding.isKnown === true),
    cases: idsOf(ordered),
    findings,
  };
}

function idsOf(caseFindings: readonly CaseFinding[]): readonly string[] {
  return [...new Set(caseFindings.map(({ id }) => id))];
}
