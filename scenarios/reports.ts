import { relative } from "node:path";
import { markdownBody, prettyBody, type ReportBody } from "../contracts/report/body.ts";
import { counted } from "../contracts/report/counted.ts";
import type { ReportModel, ReportPart, ReportRow } from "../contracts/report/model.ts";
import type { Outcome } from "./replay.ts";

/** The report of a replay; file names are relative to `cwd`. */
export function replayReport(outcomes: readonly Outcome[], cwd: string, part?: ReportPart): ReportModel {
  return {
    name: "scenarios",
    ...(part && { part }),
    summary: prettyBody(bodyOf(outcomes, cwd)),
    suites: () => [{ name: "scenarios", rows: outcomes.map((outcome) => outcomeRow(outcome, cwd)) }],
    pretty: () => prettyBody(bodyOf(outcomes, cwd)),
    markdown: () => markdownBody(bodyOf(outcomes, cwd)),
    json: () => ({ summary: counts(outcomes), scenarios: outcomes }),
  };
}

const ROW_OUTCOMES = {
  passed: "passed",
  failed: "failed",
  drifted: "failed",
  broken: "error",
  "not run": "skipped",
} as const satisfies Record<Outcome["verdict"], ReportRow["outcome"]>;

function outcomeRow(outcome: Outcome, cwd: string): ReportRow {
  const { name, sentence, file, failure, verdict, durationMs } = outcome;
  // A problem or a drift concerns the whole file.
  const place = failure?.place ?? { file, line: 1 };
  return {
    id: name,
    name: `${name}: ${sentence}`,
    className: "scenarios",
    outcome: ROW_OUTCOMES[verdict],
    verdict,
    message: problemOf(outcome),
    details: detailLines(outcome, cwd),
    remarks: warningLines(outcome),
    durationMs,
    file: { path: near(place.file, cwd), line: place.line },
  };
}

/** The failure in one line. */
function problemOf({ failure, problem, drift }: Outcome): string {
  if (problem !== undefined) return problem.replaceAll("\n", "; ");
  if (failure) return `${failure.label}: ${failure.differences.join("; ")}`;
  return drift?.kind === "drifted" ? `Its journal differs: ${drift.differences.join("; ")}` : "";
}

const MARKS = {
  passed: "ok",
  failed: "FAILED",
  drifted: "DRIFTED",
  broken: "BROKEN",
  "not run": "NOT RUN",
} as const;

const WORLD_REMOVED = "The world was removed. To keep the state after this step, replay with --keep.";

/** A row for each scenario, then the warnings and the details of those that have some. */
function bodyOf(outcomes: readonly Outcome[], cwd: string): ReportBody {
  const sections = outcomes.map((outcome) => ({
    title: `${MARKS[outcome.verdict]} ${outcome.name}`,
    lines: [...warningLines(outcome), ...detailLines(outcome, cwd)],
  }));
  return {
    columns: ["Outcome", "Time", "Scenario", "Description"],
    rows: outcomes.map(({ name, sentence, verdict, durationMs }) => [
      MARKS[verdict],
      `${Math.round(durationMs)} ms`,
      name,
      sentence,
    ]),
    sections: sections.filter(({ lines }) => lines.length > 0),
    notes: [],
    counts: countsLine(outcomes),
  };
}

function warningLines({ warnings }: Outcome): readonly string[] {
  return warnings.map((text) => `warning: ${text}`);
}

/** The details of a failure: step, differences, request, and the command that repeats it. */
function detailLines(
  { failure, drift, problem, isKept, again, verdict }: Outcome,
  cwd: string,
): readonly string[] {
  if (drift?.kind === "written") return ["its journal was written"];
  if (verdict === "passed") return [];
  const lines: string[] = [];
  if (problem !== undefined) lines.push(...problem.split("\n"));
  if (failure) {
    lines.push(`${near(failure.place.file, cwd)}:${failure.place.line}: ${failure.label}`);
    if (failure.note !== undefined) lines.push(failure.note);
    lines.push(...failure.differences.map((difference) => `  ${difference}`));
    if (failure.curl !== undefined) lines.push(failure.curl);
    if (failure.curl !== undefined && !isKept) lines.push(WORLD_REMOVED);
  }
  if (drift?.kind === "drifted") {
    lines.push(`its journal differs from ${near(drift.file, cwd)}`);
    lines.push(...drift.differences.map((difference) => `  ${difference}`), `to accept it, add --update`);
  }
  return [...lines, again];
}

function counts(outcomes: readonly Outcome[]): Readonly<Record<Outcome["verdict"], number>> {
  const totals = { passed: 0, failed: 0, drifted: 0, broken: 0, "not run": 0 };
  for (const { verdict } of outcomes) totals[verdict] += 1;
  return totals;
}

function countsLine(outcomes: readonly Outcome[]): string {
  const noted = Object.entries(counts(outcomes)).filter(
    ([verdict, count]) => count > 0 || verdict === "passed",
  );
  return `${counted(outcomes.length, "scenario")}: ${noted.map(([verdict, count]) => `${count} ${verdict}`).join(", ")}`;
}

/** A path relative to `cwd`, or the absolute path of a file outside of it. */
export function near(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith("..") ? file : path;
}
