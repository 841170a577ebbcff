import type { Comparison, Drift, Side } from "../engine/compare.ts";
import { VERDICTS } from "../engine/verdict.ts";
import { markdownBody, prettyBody, type ReportBody } from "./body.ts";
import { expiredAddressLine } from "./digest.ts";
import { inline } from "./markdown-text.ts";
import type { ReportModel, ReportRow } from "./model.ts";

/** The report of a comparison: a row for each difference. */
export function comparisonReport(comparison: Comparison): ReportModel {
  return {
    name: comparison.targets.join(" and "),
    tool: "emulator contract run --compare",
    rules: {},
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
    findings: [],
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
      title: titleOf(group[0] as Drift),
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

/** The key of drifts about the same requirement. */
function groupsOf(drifts: readonly Drift[]): readonly (readonly Drift[])[] {
  const groups = new Map<string, Drift[]>();
  for (const drift of drifts) {
    const { requirement, section, assumption, verdict, blame, side } = drift;
    const key = [requirement ?? section, assumption, verdict, blame, side].join(" ");
    const group = groups.get(key) ?? [];
    if (!group.some(({ text }) => text === drift.text)) group.push(drift);
    groups.set(key, group);
  }
  // Drifts with a known reply of the other server come first.
  const rank = ({ first, second }: Drift) => (first === null || second === null ? 1 : 0);
  const sorted = [...groups.values()].map((group) => group.sort((a, b) => rank(a) - rank(b)));
  return sorted.sort(([a], [b]) => severity(b) - severity(a) || bySection(a, b));
}

function titleOf({ requirement, section, assumption, statement, verdict, blame }: Drift): string {
  const name = [requirement ?? section, ...(assumption === undefined ? [] : [assumption])].join(", ");
  return `${verdict} (${blame})  §${name}: ${statement}`;
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
  const counts = (side: Side) =>
    VERDICTS.flatMap((verdict) =>
      verdicts[side][verdict] ? [`${verdicts[side][verdict]} ${verdict}`] : [],
    ).join(" · ");
  return [
    `${targets[0]}: ${counts("first") || "no case was run"}`,
    `${targets[1]}: ${counts("second") || "no case was run"}`,
    `${differing} of ${compared} cases differ; ${notCompared} could not be run on both`,
  ];
}

function severity(drift: Drift | undefined): number {
  return drift ? VERDICTS.indexOf(drift.verdict) : 0;
}

function bySection(a: Drift | undefined, b: Drift | undefined): number {
  const name = (drift: Drift | undefined) => drift?.requirement ?? drift?.section ?? "";
  return name(a).localeCompare(name(b), "en", { numeric: true });
}
