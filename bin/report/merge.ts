import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { RunReport } from "../../contracts/engine/run.ts";
import { written } from "../../contracts/report/report.ts";
import { countsLine, countsOf, isGood } from "../../contracts/report/summary.ts";
import { fileAdvice } from "../../emulator/storage/file-advice.ts";
import type { ExplorationReport } from "../../scenarios/exploration.ts";
import { explorationReport, summaryLine } from "../../scenarios/exploration-reports.ts";
import type { Outcome } from "../../scenarios/replay.ts";
import { type ReportName, report as replayReport } from "../../scenarios/reports.ts";
import { type Invocation, UsageError } from "../command.ts";
import { exitCodeOf as exitCodeOfExploration } from "../replay/explore.ts";
import { deliver, exitCodeOf as exitCodeOfReplay, reportOf } from "../replay/play.ts";

/** A report as `--report json` writes it, by the command that wrote it. */
type ReportFile =
  | { readonly kind: "replay"; readonly scenarios: readonly Outcome[] }
  | { readonly kind: "exploration"; readonly exploration: ExplorationReport }
  | { readonly kind: "contract run"; readonly report: RunReport };

type Kind = ReportFile["kind"];

/** What the parts are together. */
interface Merged {
  readonly exitCode: number;
  readonly summary: string;
  written(name: ReportName): string;
}

/** `report merge`: one report of the parts of a run, and the exit code that the whole would have had. */
export async function mergeReports(invocation: Invocation): Promise<number> {
  const { operands, cwd } = invocation;
  const name = reportOf(invocation);
  const files = operands.map((file) => ({ file, ...readReport(file, cwd) }));
  const other = files.find(({ kind }) => kind !== files[0]?.kind);
  if (other !== undefined)
    throw new UsageError(
      `${other.file}: a report of ${other.kind}, and ${operands[0]} is one of ${files[0]?.kind}`,
    );
  const { exitCode, summary, written: text } = merged(files, cwd);
  deliver(invocation, exitCode > 0, text(name), summary);
  return exitCode;
}

function readReport(file: string, cwd: string): ReportFile {
  const value = parsed(file, cwd);
  if (Array.isArray(value.scenarios)) return { kind: "replay", scenarios: value.scenarios as Outcome[] };
  const { exploration, results, counts } = value;
  if (typeof exploration === "object" && exploration !== null)
    return { kind: "exploration", exploration: exploration as ExplorationReport };
  if (Array.isArray(results) && counts !== undefined)
    return { kind: "contract run", report: value as object as RunReport };
  throw new UsageError(`${file}: no report of replay, exec or contract run; make it with --report json`);
}

function parsed(file: string, cwd: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(resolve(cwd, file), "utf8"));
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    if ("code" in (error as Error)) throw new UsageError(`${file}: ${fileAdvice(error)}`);
  }
  throw new UsageError(`${file}: no JSON report; make it with --report json`);
}

function of<K extends Kind>(
  files: readonly ReportFile[],
  kind: K,
): readonly Extract<ReportFile, { kind: K }>[] {
  return files.filter((each): each is Extract<ReportFile, { kind: K }> => each.kind === kind);
}

function merged(files: readonly ReportFile[], cwd: string): Merged {
  if (files[0]?.kind === "replay") return mergedReplays(of(files, "replay"), cwd);
  if (files[0]?.kind === "exploration") return mergedExplorations(of(files, "exploration"), cwd);
  return mergedContracts(of(files, "contract run"));
}

function mergedReplays(files: readonly Extract<ReportFile, { kind: "replay" }>[], cwd: string): Merged {
  const outcomes = once(
    files.flatMap(({ scenarios }) => scenarios),
    ({ file }) => file,
  );
  return {
    exitCode: exitCodeOfReplay(outcomes),
    summary: replayReport("pretty", outcomes, cwd),
    written: (name) => replayReport(name, outcomes, cwd),
  };
}

function mergedExplorations(
  files: readonly Extract<ReportFile, { kind: "exploration" }>[],
  cwd: string,
): Merged {
  const reports = files.map(({ exploration }) => exploration);
  const names = new Set(reports.map(({ name }) => name));
  if (names.size > 1)
    throw new UsageError(`the reports are of ${[...names].join(" and ")}; merge those of one`);
  const refused = new Map(reports.flatMap((each) => each.refused).map((each) => [each.subject, each]));
  const whole: ExplorationReport = {
    name: [...names].join(),
    results: once(
      reports.flatMap(({ results }) => results),
      ({ file, subject, trial }) => `${file} ${subject}: ${trial}`,
    ),
    notRun: reports.flatMap(({ notRun }) => notRun),
    // Every part plays every baseline.
    refused: [...refused.values()],
  };
  return {
    exitCode: exitCodeOfExploration(whole),
    summary: summaryLine(whole),
    written: (name) => explorationReport(name, whole, cwd),
  };
}

function mergedContracts(files: readonly Extract<ReportFile, { kind: "contract run" }>[]): Merged {
  const reports = files.map(({ report }) => report);
  const results = once(
    reports.flatMap((report) => report.results),
    ({ id }) => id,
  );
  // The rest of such a file is counted anew.
  const { target, seed, again } = reports[0] as RunReport;
  const sum = (of: (report: RunReport) => number) => reports.reduce((total, each) => total + of(each), 0);
  const whole: RunReport = {
    target,
    seed,
    ...(again !== undefined && { again }),
    results,
    requests: sum(({ requests }) => requests),
    wallMs: sum(({ wallMs }) => wallMs),
  };
  return {
    exitCode: isGood(whole, false) ? 0 : 1,
    summary: `${whole.target}: ${countsLine(countsOf(results))}`,
    written: (name) => written(whole, name, false),
  };
}

/** A part that is given twice would be counted twice. */
function once<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const names = items.map(nameOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`${twice}: in two of the reports; give each part once`);
  return items;
}
