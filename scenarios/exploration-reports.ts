import { relative } from "node:path";
import type { ExplorationReport } from "./exploration.ts";
import type { ReportName } from "./reports.ts";
import type { TrialResult } from "./trials.ts";
import { xml } from "./xml.ts";

/** Trials left out that are named one by one. */
const NAMED_NOT_RUN = 10;

/** Formats what became of an exploration. */
export function explorationReport(name: ReportName, report: ExplorationReport, cwd: string): string {
  return WRITERS[name](report, cwd);
}

const WRITERS: Readonly<Record<ReportName, (report: ExplorationReport, cwd: string) => string>> = {
  pretty: (report, cwd) =>
    [
      ...tableLines(report),
      ...report.results.flatMap((each) => detailLines(each, cwd)),
      ...footLines(report),
    ].join("\n"),
  json: (report) => JSON.stringify({ summary: explorationCounts(report), exploration: report }, null, 2),
  junit: (report, cwd) => junit(report, cwd),
  md: (report, cwd) => markdown(report, cwd),
};

/** How many trials came out how. */
export function explorationCounts({ results, notRun, refused }: ExplorationReport) {
  const count = (verdict: TrialResult["verdict"]) =>
    results.filter((each) => each.verdict === verdict).length;
  return {
    held: count("held"),
    differs: count("differs"),
    broken: count("broken"),
    not_run: notRun.length,
    refused: refused.length,
  };
}

/** A row for each trial name, with how many subjects held. */
function tableRows({ results }: ExplorationReport): readonly (readonly [string, string, string])[] {
  const names = [...new Set(results.map(({ trial }) => trial))];
  return names.map((name) => {
    const all = results.filter(({ trial }) => trial === name);
    const held = all.filter(({ verdict }) => verdict === "held").length;
    const others = all.filter(({ verdict }) => verdict !== "held").map((each) => each.subject);
    const outcome = others.length === 0 ? "ok" : `DIFFERS in ${others.join(", ")}`;
    return [`§${all[0]?.section}`, name, held > 0 && others.length > 0 ? `${outcome} (${held} ok)` : outcome];
  });
}

function tableLines(report: ExplorationReport): readonly string[] {
  const rows = tableRows(report);
  const [first = 0, second = 0] = [0, 1].map((at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map(
    ([section, name, outcome]) => `${section.padEnd(first)}  ${name.padEnd(second)}  ${outcome}`,
  );
}

function detailLines(result: TrialResult, cwd: string): readonly string[] {
  const { verdict, subject, trial, failure, differences, means, differs, again } = result;
  if (verdict === "held") return [];
  const { place, label } = failure ?? {};
  const where = place ? `${near(place.file, cwd)}:${place.line}: ${label}` : label;
  return [
    "",
    `${verdict === "broken" ? "BROKEN " : "DIFFERS"} ${subject}: ${trial}`,
    `        ${differs}`,
    ...(where === undefined ? [] : [`        ${where}`]),
    ...differences.map((difference) => `          ${difference}`),
    ...(verdict === "broken" ? [] : [`        ${means}`]),
    `        ${again}`,
  ];
}

/** What was not run, and the counts. */
function footLines(report: ExplorationReport): readonly string[] {
  const { notRun, refused } = report;
  const whys = [...new Set(notRun.map(({ why }) => why))].join(", ");
  const rest = notRun.length - NAMED_NOT_RUN;
  return [
    "",
    ...refused.map(({ subject, why }) => `REFUSED ${subject}: ${why}`),
    ...(notRun.length === 0 ? [] : [`${notRun.length} trials were not run (${whys}):`]),
    ...notRun.slice(0, NAMED_NOT_RUN).map(({ subject, trial }) => `  ${subject} ${trial}`),
    ...(rest > 0 ? [`  and ${rest} more; see them all with --report json`] : []),
    summaryLine(report),
  ];
}

/** `--vary: 14 trials: 13 held, 1 differs`. */
export function summaryLine(report: ExplorationReport): string {
  const counts = Object.entries(explorationCounts(report)).filter(
    ([name, count]) => count > 0 || name === "held",
  );
  const text = counts.map(([name, count]) => `${count} ${name.replace("_", " ")}`).join(", ");
  const { length } = report.results;
  return `${report.name}: ${length} trial${length === 1 ? "" : "s"}: ${text}`;
}

function junit(report: ExplorationReport, cwd: string): string {
  const { differs, broken, not_run, refused } = explorationCounts(report);
  const total = report.results.length + report.notRun.length + report.refused.length;
  const played = report.results.map((result) => {
    const { subject, trial, file, durationMs, verdict } = result;
    const open = `  <testcase name="${xml(trial)}" classname="${xml(subject)}" file="${xml(near(file, cwd))}" time="${(durationMs / 1000).toFixed(3)}"`;
    if (verdict === "held") return `${open}/>`;
    const tag = verdict === "broken" ? "error" : "failure";
    const text = xml(detailLines(result, cwd).slice(1).join("\n"));
    return `${open}>\n    <${tag} message="${verdict}">${text}</${tag}>\n  </testcase>`;
  });
  const left = report.notRun.map(
    ({ subject, trial, why }) =>
      `  <testcase name="${xml(trial)}" classname="${xml(subject)}"><skipped message="${xml(why)}"/></testcase>`,
  );
  const failing = report.refused.map(
    ({ subject, why }) =>
      `  <testcase name="baseline" classname="${xml(subject)}"><error message="${xml(why)}"/></testcase>`,
  );
  const head = `<testsuite name="${xml(report.name)}" tests="${total}" failures="${differs}" errors="${broken + refused}" skipped="${not_run}">`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    head,
    ...played,
    ...left,
    ...failing,
    "</testsuite>",
  ].join("\n");
}

function markdown(report: ExplorationReport, cwd: string): string {
  const details = report.results.flatMap((each) => detailLines(each, cwd));
  return [
    `**${summaryLine(report)}**`,
    "",
    "| § | Trial | Outcome |",
    "|---|---|---|",
    ...tableRows(report).map((row) => `| ${row.map(cell).join(" | ")} |`),
    "",
    "```",
    ...[...details, ...footLines(report)].slice(1),
    "```",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "\\<");
}

function near(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
