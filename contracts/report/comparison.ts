import type { Comparison, Drift, Side } from "../engine/compare.ts";
import { VERDICTS } from "../engine/verdict.ts";
import { expiredAddressLine } from "./digest.ts";
import { inline, span, table } from "./markdown-text.ts";
import type { ReportModel, ReportRow } from "./model.ts";

const MAX_GROUPS = 3;
const MAX_CELL_CHARACTERS = 60;

/** The report of a comparison: a row for each difference. */
export function comparisonReport(comparison: Comparison): ReportModel {
  return {
    name: comparison.targets.join(" and "),
    tool: "emulator contract run --compare",
    rules: {},
    summary: comparisonCounts(comparison),
    suites: () => [{ name: "differences", rows: comparison.drifts.map(driftRow) }],
    pretty: () => prettyLines(comparison),
    markdown: () => markdownLines(comparison),
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

/** Differences by requirement, then the counts. */
function prettyLines(comparison: Comparison): readonly string[] {
  const { targets, drifts } = comparison;
  return [
    ...groupsOf(drifts).flatMap((group) => [
      ...headLines(group[0] as Drift),
      ...group.flatMap((drift) => driftLines(drift, targets)),
      "",
    ]),
    ...(drifts.length > 0 ? expiredAddressLine(comparison.temporaryServer) : []),
    ...skippedLines(comparison),
    ...comparisonCounts(comparison),
  ];
}

/** A table with a line for each requirement. */
function markdownLines(comparison: Comparison): readonly string[] {
  const { targets, drifts } = comparison;
  const [first, second] = [inline(targets[0]), inline(targets[1])];
  return [
    `## Drift: ${first} and ${second}`,
    "",
    ...comparisonCounts(comparison).map((line) => `${inline(line)}  `),
    "",
    ...table(
      ["§", "Specification", "Expectation", first, second, "Verdict"],
      groupsOf(drifts).map(groupCells),
    ),
    ...skippedLines(comparison).map((line) => `- ${inline(line.trim())}`),
    "",
  ];
}

function groupCells(group: readonly Drift[]): readonly string[] {
  const { section, requirement, assumption, statement, verdict, blame } = group[0] as Drift;
  const clearestDrifts = clearestOf(group).slice(0, MAX_GROUPS);
  const rest = group.length - clearestDrifts.length;
  const list = (of: (drift: Drift) => string) => clearestDrifts.map(of).join("<br>");
  const requestCell = list(({ text }) => inline(text)) + (rest > 0 ? `<br>and ${rest} more` : "");
  const did = (side: Side) => list((drift) => cell(drift, side));
  return [
    `${requirement ?? section}`,
    inline(assumption === undefined ? statement : `${statement} (${assumption})`),
    requestCell,
    did("first"),
    did("second"),
    `${verdict} (${blame})`,
  ];
}

function cell(drift: Drift, side: Side): string {
  const did = drift[side];
  if (did !== null && did.length > MAX_CELL_CHARACTERS) return span(`${did.slice(0, MAX_CELL_CHARACTERS)}…`);
  if (did !== null) return span(did);
  return drift.side === side ? "" : "as expected";
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

/** Those come first in which the servers did something that was not seen before. */
function clearestOf(group: readonly Drift[]): readonly Drift[] {
  const seenTexts = new Set<string>();
  const isNew = ({ first, second }: Drift) => {
    const sizeBefore = seenTexts.size;
    if (first !== null && second !== null) seenTexts.add(`${first} ${second}`);
    return seenTexts.size > sizeBefore;
  };
  const fresh = group.filter(isNew);
  return [...fresh, ...group.filter((drift) => !fresh.includes(drift))];
}

function headLines({ requirement, section, assumption, statement, verdict, blame }: Drift): string[] {
  const name = [requirement ?? section, ...(assumption === undefined ? [] : [assumption])].join(", ");
  return [`${verdict} (${blame})  §${name}: ${statement}`];
}

function driftLines(drift: Drift, [first, second]: Comparison["targets"]): string[] {
  const { id, text, curl } = drift;
  const side = (name: string, did: string | null, differs: boolean) =>
    `    ${differs ? "≠" : "="} ${name}: ${did ?? "as expected"}`;
  return [
    `  ${text} (${id})`,
    side(first, drift.first, drift.side === "first"),
    side(second, drift.second, drift.side === "second"),
    ...(curl === undefined ? [] : [`    ${curl}`]),
  ];
}

function skippedLines({ skipped }: Comparison): string[] {
  return skipped.map(({ reason, cases }) => `UNSUPPORTED  ${cases.length} cases: ${reason}`);
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
