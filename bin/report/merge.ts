import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { RunReport } from "../../contracts/engine/run.ts";
import { contractReport } from "../../contracts/report/contract-report.ts";
import type { ReportModel } from "../../contracts/report/model.ts";
import { isSuccessful } from "../../contracts/report/summary.ts";
import { REPORTERS } from "../../contracts/report/write.ts";
import { fileAdvice } from "../../emulator/storage/file-advice.ts";
import type { ExplorationReport } from "../../scenarios/exploration.ts";
import { explorationReport } from "../../scenarios/exploration-reports.ts";
import type { Outcome } from "../../scenarios/replay.ts";
import { replayReport } from "../../scenarios/reports.ts";
import { type Invocation, UsageError } from "../command.ts";
import { exitCodeOf as exitCodeOfExploration } from "../replay/explore.ts";
import { exitCodeOf as exitCodeOfReplay } from "../replay/play.ts";
import { FORMATS, formatOf, type HtmlReportKind, publish } from "../report-output.ts";

/** A report as `--report json` writes it, by the command that wrote it. */
type ReportFile =
  | { readonly kind: "replay"; readonly scenarios: readonly Outcome[] }
  | { readonly kind: "exploration"; readonly exploration: ExplorationReport }
  | { readonly kind: "contract run"; readonly report: RunReport };

type Kind = ReportFile["kind"];

/** The report of all parts together. */
interface Merged {
  readonly exitCode: number;
  readonly model: ReportModel;
  readonly page?: HtmlReportKind;
}

/** `report merge`: one report of the parts of a run, and the exit code that the whole would have had. */
export async function mergeReports(invocation: Invocation): Promise<number> {
  const { operands, cwd } = invocation;
  formatOf(invocation);
  const files = operands.map((file) => ({ file, ...readReport(file, cwd) }));
  const mismatch = files.find(({ kind }) => kind !== files[0]?.kind);
  if (mismatch !== undefined)
    throw new UsageError(
      `${mismatch.file} is a report of ${mismatch.kind}, and ${operands[0]} is a report of ${files[0]?.kind}; merge reports of one command`,
    );
  const { exitCode, model, page } = mergedReport(files, cwd);
  const format = formatOf(invocation, page ? FORMATS : REPORTERS);
  publish(invocation, model, { format, ...(page && { page }), isLoud: exitCode > 0 });
  return exitCode;
}

function readReport(file: string, cwd: string): ReportFile {
  const value = parseReport(file, cwd);
  if (Array.isArray(value.scenarios)) return { kind: "replay", scenarios: value.scenarios as Outcome[] };
  const { exploration, results, counts } = value;
  if (typeof exploration === "object" && exploration !== null)
    return { kind: "exploration", exploration: exploration as ExplorationReport };
  if (Array.isArray(results) && counts !== undefined)
    return { kind: "contract run", report: value as object as RunReport };
  throw new UsageError(
    `${file} is not a report of replay, exec or contract run; write one with --report json`,
  );
}

function parseReport(file: string, cwd: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(resolve(cwd, file), "utf8"));
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    if ("code" in (error as Error)) throw new UsageError(`${file}: ${fileAdvice(error)}`);
  }
  throw new UsageError(`${file} is not JSON; write the report with --report json`);
}

function filesOf<K extends Kind>(
  files: readonly ReportFile[],
  kind: K,
): readonly Extract<ReportFile, { kind: K }>[] {
  return files.filter((each): each is Extract<ReportFile, { kind: K }> => each.kind === kind);
}

function mergedReport(files: readonly ReportFile[], cwd: string): Merged {
  if (files[0]?.kind === "replay") return mergedReplays(filesOf(files, "replay"), cwd);
  if (files[0]?.kind === "exploration") return mergedExplorations(filesOf(files, "exploration"), cwd);
  return mergedContracts(filesOf(files, "contract run"));
}

function mergedReplays(files: readonly Extract<ReportFile, { kind: "replay" }>[], cwd: string): Merged {
  const outcomes = once(
    files.flatMap(({ scenarios }) => scenarios),
    ({ file }) => file,
  );
  return {
    exitCode: exitCodeOfReplay(outcomes),
    model: replayReport(outcomes, cwd),
    page: "replay",
  };
}

function mergedExplorations(
  files: readonly Extract<ReportFile, { kind: "exploration" }>[],
  cwd: string,
): Merged {
  const reports = files.map(({ exploration }) => exploration);
  const names = new Set(reports.map(({ name }) => name));
  if (names.size > 1)
    throw new UsageError(`the reports are of ${[...names].join(" and ")}; merge reports of one kind`);
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
    model: explorationReport(whole, cwd),
  };
}

function mergedContracts(files: readonly Extract<ReportFile, { kind: "contract run" }>[]): Merged {
  const reports = files.map(({ report }) => report);
  const results = once(
    reports.flatMap((report) => report.results),
    ({ id }) => id,
  );
  // Counts and lists of unmet requirements are computed again.
  const { target, seed, again } = reports[0] as RunReport;
  const sum = (countOf: (report: RunReport) => number) =>
    reports.reduce((total, each) => total + countOf(each), 0);
  const whole: RunReport = {
    target,
    seed,
    ...(again !== undefined && { again }),
    results,
    requests: sum(({ requests }) => requests),
    wallMs: sum(({ wallMs }) => wallMs),
  };
  return {
    exitCode: isSuccessful(whole, false) ? 0 : 1,
    model: contractReport(whole, false),
    page: "contract",
  };
}

/** Refuses a part that is given twice: it would be counted twice. */
function once<T>(items: readonly T[], nameOf: (item: T) => string): readonly T[] {
  const names = items.map(nameOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`${twice} is in two of the reports; give each part once`);
  return items;
}
