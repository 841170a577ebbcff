import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";
import type { CaseResult } from "./case.ts";
import { describeRequirement } from "./requirement-text.ts";
import type { RunReport } from "./run.ts";
import { describeActual, withoutIds } from "./shown.ts";
import type { Blame, Finding, Verdict } from "./verdict.ts";

/** The server that does not meet the requirement. */
export type Side = "first" | "second";

/** A requirement that one of two servers meets and the other one does not. */
export interface Drift {
  readonly id: string;
  readonly title: string;
  readonly section: string;
  readonly requirement: RequirementId | null;
  readonly assumption?: AssumptionId;
  /** What the specification says, or what was chosen where it is silent. */
  readonly statement: string;
  readonly text: string;
  readonly verdict: Finding["verdict"];
  readonly blame: Blame;
  readonly side: Side;
  /** What each of them did; null where this was not checked. */
  readonly first: string | null;
  readonly second: string | null;
  /** The request as a curl command. */
  readonly curl?: string;
}

/** Cases that did not run against both servers, and why. */
export interface SkippedCases {
  readonly reason: string;
  readonly cases: readonly string[];
}

/** How two servers differ from each other in meeting the requirements. */
export interface Comparison {
  readonly targets: readonly [string, string];
  /** What its addresses point to, if that no longer exists after the run. */
  readonly temporaryServer?: string;
  /** Cases that ran against both servers. */
  readonly compared: number;
  /** How many of these have each verdict. */
  readonly verdicts: Readonly<Record<Side, Readonly<Partial<Record<Verdict, number>>>>>;
  /** Cases in which the servers differ. */
  readonly differing: number;
  readonly notCompared: number;
  readonly skipped: readonly SkippedCases[];
  readonly drifts: readonly Drift[];
}

/** The differences between two runs of the same cases; a case that one of them could not run is left out. */
export function compareRuns(first: RunReport, second: RunReport): Comparison {
  const others = new Map(second.results.map((result) => [result.id, result]));
  const firstIds = new Set(first.results.map(({ id }) => id));
  const pairs = first.results.flatMap((result) => {
    const other = others.get(result.id);
    return other ? [[result, other] as const] : [];
  });
  const comparedPairs = pairs.filter((pair) => pair.every(({ verdict }) => verdict !== "UNSUPPORTED"));
  const skippedResults = [
    ...pairs.map(([one, other]) => (one.verdict === "UNSUPPORTED" ? one : other)),
    ...second.results.filter(({ id }) => !firstIds.has(id)),
  ].filter(({ verdict }) => verdict === "UNSUPPORTED");
  const drifts = comparedPairs.flatMap(([one, other]) => [
    ...driftsOf(one, other, "first"),
    ...driftsOf(other, one, "second"),
  ]);
  const temporaryServer = [first.temporaryServer, second.temporaryServer]
    .filter((result) => result !== undefined)
    .join(" and ");
  return {
    targets: [first.target, second.target],
    temporaryServer: temporaryServer || undefined,
    compared: comparedPairs.length,
    verdicts: {
      first: verdictsOf(comparedPairs.map(([one]) => one)),
      second: verdictsOf(comparedPairs.map(([, other]) => other)),
    },
    differing: new Set(drifts.map(({ id }) => id)).size,
    notCompared: skippedResults.length,
    skipped: reasonsOf(skippedResults),
    drifts,
  };
}

/** Findings about one of them that were not made about the other. */
function driftsOf(result: CaseResult, other: CaseResult, side: Side): readonly Drift[] {
  const others = new Set(other.findings.map(findingKey));
  // Mistakes in requests of the harness do not concern a server.
  const relevant = result.findings.filter(({ blame }) => blame !== "caller");
  const findingsByKey = new Map(relevant.map((finding) => [findingKey(finding), finding]));
  return [...findingsByKey]
    .filter(([key]) => !others.has(key))
    .map(([, finding]) => driftOf(result, finding, counterpart(other, finding), side));
}

function driftOf({ id, title }: CaseResult, finding: Finding, expected: string | null, side: Side): Drift {
  const { section, requirement, assumption, text, verdict, blame, exchange } = finding;
  const did = describeActual(finding, exchange);
  return {
    id,
    title,
    section,
    requirement,
    assumption,
    statement: describeRequirement(requirement, assumption),
    text,
    verdict,
    blame,
    side,
    first: side === "first" ? did : expected,
    second: side === "second" ? did : expected,
    curl: exchange?.curl,
  };
}

/** What the other server did where it met the same expectation. */
function counterpart({ metExpectations = [] }: CaseResult, { requirement, text }: Finding): string | null {
  const same = metExpectations.find((one) => one.requirement === requirement && one.text === text);
  return same?.did ?? null;
}

/** Without ids and ports, which differ between any two servers. */
function findingKey({ verdict, requirement, section, assumption, text }: Finding): string {
  const plain = withoutIds(text).replace(/https?:\/\/[^\s/]+/g, "…");
  return `${verdict} ${requirement ?? section} ${assumption ?? ""} ${plain}`;
}

function verdictsOf(results: readonly CaseResult[]): Partial<Record<Verdict, number>> {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of results) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

function reasonsOf(skippedResults: readonly CaseResult[]): readonly SkippedCases[] {
  const reasons = new Map<string, string[]>();
  for (const { id, findings } of skippedResults) {
    const reason = findings[0]?.text ?? "";
    reasons.set(reason, [...(reasons.get(reason) ?? []), id]);
  }
  return [...reasons].map(([reason, cases]) => ({ reason, cases }));
}
