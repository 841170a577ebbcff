import { markdownBody, prettyBody, type ReportBody } from "../contracts/report/body.ts";
import { counted } from "../contracts/report/counted.ts";
import type { ReportModel, ReportRow } from "../contracts/report/model.ts";
import type { ExplorationReport } from "./exploration.ts";
import { near } from "./reports.ts";
import type { TrialResult } from "./trials.ts";

/** Number of skipped trials that are listed by name. */
const MAX_SKIPPED_NAMES = 10;

/** The report of an exploration; file names are relative to `cwd`. */
export function explorationReport(report: ExplorationReport, cwd: string): ReportModel {
  return {
    name: report.name,
    summary: [summaryLine(report)],
    part: report.part,
    suites: () => [{ name: report.name, rows: rowsOf(report, cwd) }],
    pretty: () => prettyBody(bodyOf(report, cwd)),
    markdown: () => markdownBody(bodyOf(report, cwd)),
    json: () => ({ summary: explorationCounts(report), exploration: report }),
  };
}

/** Trials that were played, then those that were not, then baselines that failed. */
function rowsOf({ results, notRun, refused }: ExplorationReport, cwd: string): readonly ReportRow[] {
  const unplayed = { verdict: "not run", details: [] };
  return [
    ...results.map((result) => trialRow(result, cwd)),
    ...notRun.map(({ subject, trial, why }) => ({
      ...{ ...unplayed, id: `${subject}: ${trial}`, name: trial, className: subject },
      ...{ outcome: "skipped" as const, message: why },
    })),
    ...refused.map(({ subject, why }) => ({
      ...{ ...unplayed, id: `${subject}: baseline`, name: "baseline", className: subject },
      ...{ outcome: "error" as const, message: why },
    })),
  ];
}

const ROW_OUTCOMES = {
  held: "passed",
  differs: "failed",
  broken: "error",
  "not kept": "passed",
} as const satisfies Record<TrialResult["verdict"], ReportRow["outcome"]>;

function trialRow(result: TrialResult, cwd: string): ReportRow {
  const { subject, trial, file, failure, verdict, differs, durationMs } = result;
  const { place = { file, line: 1 }, label } = failure ?? {};
  const message = [label ?? differs, ...result.differences].join("; ");
  return {
    id: `${subject}: ${trial}`,
    name: trial,
    className: subject,
    outcome: ROW_OUTCOMES[verdict],
    verdict,
    message,
    details: verdict === "held" ? [] : [titleOf(result), ...detailLines(result, cwd)],
    durationMs,
    file: { path: near(place.file, cwd), line: place.line },
  };
}

/** The number of trials by outcome. */
export function explorationCounts({ results, notRun, refused }: ExplorationReport) {
  const count = (verdict: TrialResult["verdict"]) =>
    results.filter((each) => each.verdict === verdict).length;
  return {
    held: count("held"),
    differs: count("differs"),
    broken: count("broken"),
    not_kept: count("not kept"),
    not_run: notRun.length,
    refused: refused.length,
  };
}

/** A row for each trial name, with how many subjects held. */
function tableRows({ results }: ExplorationReport): readonly (readonly [string, string, string])[] {
  const names = [...new Set(results.map(({ trial }) => trial))];
  return names.map((name) => {
    const all = results.filter(({ trial }) => trial === name);
    const others = all.filter(isProblem).map((each) => each.subject);
    const heldCount = all.length - others.length;
    const outcome = others.length === 0 ? "ok" : `DIFFERS in ${others.join(", ")}`;
    return [
      `§${all[0]?.section}`,
      name,
      heldCount > 0 && others.length > 0 ? `${outcome} (${heldCount} ok)` : outcome,
    ];
  });
}

function isProblem({ verdict }: TrialResult): boolean {
  return verdict === "differs" || verdict === "broken";
}

const TITLES = {
  held: "ok",
  differs: "DIFFERS",
  broken: "BROKEN",
  "not kept": "NOT KEPT, as documented:",
} as const satisfies Record<TrialResult["verdict"], string>;

function titleOf({ verdict, subject, trial }: TrialResult): string {
  return `${TITLES[verdict]} ${subject}: ${trial}`;
}

function detailLines(result: TrialResult, cwd: string): readonly string[] {
  const { verdict, failure, differences, means, differs, again } = result;
  const { place, label } = failure ?? {};
  const where = place ? `${near(place.file, cwd)}:${place.line}: ${label}` : label;
  return [
    differs,
    ...(where === undefined ? [] : [where]),
    ...differences.map((difference) => `  ${difference}`),
    ...(verdict === "broken" ? [] : [means]),
    again,
  ];
}

const NOTHING_RUN =
  "No trial was run, so nothing was checked. Check the name at --only, the limits --budget and --max-runs, and whether the requests reach the emulator.";

/** Nothing held because nothing was played. */
export function isEmpty({ results }: ExplorationReport): boolean {
  return results.length === 0;
}

/** The baselines that failed, and the trials that were not run. */
function notesOf(report: ExplorationReport): readonly string[] {
  const { notRun, refused } = report;
  const whys = [...new Set(notRun.map(({ why }) => why))];
  return [
    ...refused.map(({ subject, why }) => `BROKEN  ${subject}: ${why}`),
    ...(isEmpty(report) ? [NOTHING_RUN] : []),
    ...whys.flatMap((why) =>
      notRunLines(
        why,
        notRun.filter((each) => each.why === why),
      ),
    ),
  ];
}

function notRunLines(why: string, trials: ExplorationReport["notRun"]): readonly string[] {
  const rest = trials.length - MAX_SKIPPED_NAMES;
  return [
    `${trials.length} not run (${why}):`,
    ...trials.slice(0, MAX_SKIPPED_NAMES).map(({ subject, trial }) => `  ${subject}: ${trial}`),
    ...(rest > 0 ? [`  and ${rest} more; see them all with --report json`] : []),
  ];
}

/** `--vary: 14 trials: 13 held, 1 differs`. */
export function summaryLine(report: ExplorationReport): string {
  const counts = Object.entries(explorationCounts(report)).filter(
    ([name, count]) => count > 0 || name === "held",
  );
  const text = counts.map(([name, count]) => `${count} ${name.replace("_", " ")}`).join(", ");
  const { length } = report.results;
  return `${report.name}: ${counted(length, "trial")}: ${text}`;
}

/** A row for each trial name, then the trials that differ and what was not run. */
function bodyOf(report: ExplorationReport, cwd: string): ReportBody {
  return {
    columns: ["§", "Trial", "Outcome"],
    rows: tableRows(report),
    sections: report.results
      .filter(({ verdict }) => verdict !== "held")
      .map((result) => ({ title: titleOf(result), lines: detailLines(result, cwd) })),
    notes: notesOf(report),
    counts: summaryLine(report),
  };
}
