import { bySection } from "../engine/case.ts";
import type { Comparison, Drift } from "../engine/compare.ts";
import { markdownBody, prettyBody, type ReportBody } from "./body.ts";
import { bySeverity, rowName } from "./findings.ts";
import { groupedBy } from "./grouping.ts";
import { inline } from "./markdown-text.ts";
import type { ReportModel, ReportRow } from "./model.ts";
import { countsLine, expiredAddressLine } from "./summary.ts";

/** The report of a comparison: a row for each difference. */
export function comparisonReport(comparison: Comparison): ReportModel {
  return {
    name: comparison.targets.join(" and "),
    summary: comparisonCounts(comparison),
    suites: () => [{ name: "differences", rows: comparison.drifts.map(driftRow) }],
    pretty: () => prettyBody(bodyOf(comparison)),
    markdown: () => [
      `## Drift: ${comparison.targets.map(inline).join(" and ")}`,
      "",
      ...markdownBody(bodyOf(comparison)),
    ],
    json: () => comparison,
  };
}

function driftRow({ id, requirement, section, text, verdict }: Drift): ReportRow {
  return {
    id: `§${requirement ?? section}`,
    name: id,
    className: `§${section}`,
    outcome: "failed",
    verdict,
    message: `the servers differ: ${text}`,
    details: [],
  };
}

/** Differences by requirement, then what was not compared and the counts. */
function bodyOf(comparison: Comparison): ReportBody {
  const { targets, drifts, skipped, temporaryServer } = comparison;
  const counts = comparisonCounts(comparison);
  return {
    columns: [],
    rows: [],
    sections: groupsOf(drifts).map((group) => ({
      title: titleOf(group[0]),
      lines: group.flatMap((drift) => driftLines(drift, targets)),
    })),
    notes: [
      ...(drifts.length > 0 ? expiredAddressLine(temporaryServer) : []),
      ...skipped.map(({ reason, cases }) => `UNSUPPORTED  ${cases.length} cases: ${reason}`),
      ...counts.slice(0, -1),
    ],
    counts: counts.at(-1) ?? "",
  };
}

/** Drifts about the same requirement, each different one once. */
function groupsOf(drifts: readonly Drift[]): readonly (readonly [Drift, ...Drift[]])[] {
  const groups = groupedBy(drifts, (drift) =>
    [rowName(drift), drift.verdict, drift.blame, drift.side].join(" "),
  );
  // Drifts with a known reply of the other server come first.
  const rank = ({ first, second }: Drift) => (first === null || second === null ? 1 : 0);
  const distinct = [...groups.values()].map((group) =>
    [...groupedBy(group, ({ text }) => text).values()]
      .map(([drift]) => drift as Drift)
      .sort((a, b) => rank(a) - rank(b)),
  ) as [Drift, ...Drift[]][];
  return distinct.sort(
    ([a], [b]) => bySeverity(a, b) || bySection(a.requirement ?? a.section, b.requirement ?? b.section),
  );
}

function titleOf(drift: Drift): string {
  return `${drift.verdict} (${drift.blame})  §${rowName(drift)}: ${drift.statement}`;
}

function driftLines(drift: Drift, [first, second]: Comparison["targets"]): string[] {
  const { id, text, curl } = drift;
  const side = (name: string, did: string | null, differs: boolean) =>
    `  ${differs ? "≠" : "="} ${name}: ${did ?? "as expected"}`;
  return [
    `${text} (${id})`,
    side(first, drift.first, drift.side === "first"),
    side(second, drift.second, drift.side === "second"),
    ...(curl === undefined ? [] : [`  ${curl}`]),
  ];
}

/** Counts of compared and differing cases. */
export function comparisonCounts({
  targets,
  compared,
  verdicts,
  differing,
  notCompared,
}: Comparison): string[] {
  return [
    `${targets[0]}: ${countsLine(verdicts.first) || "no case was run"}`,
    `${targets[1]}: ${countsLine(verdicts.second) || "no case was run"}`,
    `${differing} of ${compared} cases differ; ${notCompared} could not be run on both`,
  ];
}
