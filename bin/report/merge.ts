import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CaseResult } from "../../contracts/engine/case.ts";
import type { RunReport } from "../../contracts/engine/run.ts";
import { VERDICTS } from "../../contracts/engine/verdict.ts";
import { contractReport } from "../../contracts/report/contract-report.ts";
import type { ReportModel, ReportPart } from "../../contracts/report/model.ts";
import { isSuccessful } from "../../contracts/report/summary.ts";
import { REPORTERS } from "../../contracts/report/write.ts";
import { fileAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { type ExplorationReport, uniqueResults } from "../../scenarios/exploration.ts";
import { explorationReport } from "../../scenarios/exploration-reports.ts";
import type { Outcome } from "../../scenarios/replay.ts";
import { replayReport } from "../../scenarios/reports.ts";
import { type Invocation, UsageError } from "../command.ts";
import { isResult } from "../contract/baseline.ts";
import { exitCodeOf as exitCodeOfExploration } from "../replay/explore.ts";
import { exitCodeOf as exitCodeOfReplay } from "../replay/play.ts";
import { FORMATS, formatOf, type HtmlReportKind, publish } from "../report-output.ts";

const GIVE_REPORT =
  "give a file that `emulator replay`, `emulator exec` or `emulator contract run` wrote with --report json";

/** A report as `--report json` writes it, by the command that wrote it. */
type ReportFile = { readonly part: ReportPart } & (
  | { readonly kind: "replay"; readonly scenarios: readonly Outcome[] }
  | { readonly kind: "exploration"; readonly exploration: ExplorationReport }
  | { readonly kind: "contract run"; readonly report: RunReport & { readonly strict?: boolean } }
);

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
  const plan = planOf(files);
  files.sort((left, right) => left.part.index - right.part.index);
  const { exitCode, model, page } = mergedReport(files, cwd);
  const format = formatOf(invocation, page ? FORMATS : REPORTERS);
  publish(
    invocation,
    { ...model, part: { index: 1, count: 1, plan } },
    { format, ...(page && { page }), isLoud: exitCode > 0 },
  );
  return exitCode;
}

/** The plan of the run whose parts these are. Throws `UsageError` for parts of several runs, a part given twice and a missing one. */
function planOf(files: readonly (ReportFile & { readonly file: string })[]): string {
  const [first] = files as [ReportFile & { readonly file: string }];
  const { count, plan } = first.part;
  const other = files.find(({ part }) => part.plan !== plan || part.count !== count);
  if (other !== undefined)
    throw new UsageError(
      `${other.file} (${labelOf(other.part)}) and ${first.file} (${labelOf(first.part)}) are parts of different runs; merge parts that were run with the same selection, options and version`,
    );
  const indexes = files.map(({ part }) => part.index);
  const again = files.find(({ part }, at) => indexes.indexOf(part.index) !== at);
  if (again !== undefined)
    throw new UsageError(`part ${again.part.index}/${count} is in two of the reports; give each part once`);
  const missingIndexes = Array.from({ length: count }, (_, at) => at + 1).filter(
    (index) => !indexes.includes(index),
  );
  if (missingIndexes.length > 0)
    throw new UsageError(
      `the reports are incomplete: ${missingIndexes.map((index) => `part ${index}/${count}`).join(", ")} missing; give the report of every part`,
    );
  return plan;
}

function labelOf({ index, count, plan }: ReportPart): string {
  return `part ${index}/${count}, plan ${plan}`;
}

function readReport(file: string, cwd: string): ReportFile {
  const value = parseReport(file, cwd);
  const { scenarios, exploration, results, counts } = value;
  const isContract = Array.isArray(results) && results.every(isReported) && counts !== undefined;
  if (!Array.isArray(scenarios) && !isObject(exploration) && !isContract)
    throw new UsageError(`${file} is not a report; ${GIVE_REPORT}`);
  const { part } = value;
  if (!isPart(part))
    throw new UsageError(
      `${file} does not say which part of a run it is; write it again with this version of the emulator`,
    );
  if (Array.isArray(scenarios)) return { kind: "replay", part, scenarios: scenarios as Outcome[] };
  if (isContract) return { kind: "contract run", part, report: value as object as RunReport };
  return { kind: "exploration", part, exploration: exploration as ExplorationReport };
}

/** Whether a value has what reports need of the result of a case. */
function isReported(value: unknown): boolean {
  if (!isResult(value)) return false;
  const { verdict, requirements, checkedRequirements } = value as Partial<CaseResult>;
  const isVerdict = VERDICTS.some((each) => each === verdict);
  return isVerdict && Array.isArray(requirements) && Array.isArray(checkedRequirements);
}

const MAX_PARTS = 1_000;

function isPart(value: unknown): value is ReportPart {
  if (!isObject(value)) return false;
  const { index, count, plan } = value;
  const isCount = Number.isInteger(count) && Number(count) >= 1 && Number(count) <= MAX_PARTS;
  const isIndex = Number.isInteger(index) && Number(index) >= 1 && Number(index) <= Number(count);
  return isCount && isIndex && typeof plan === "string" && /^[0-9a-f]+$/.test(plan);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function parseReport(file: string, cwd: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(resolve(cwd, file), "utf8"));
    if (isObject(value)) return value;
  } catch (error) {
    if ("code" in (error as Error)) throw new UsageError(`${file}: ${fileAdvice(error)}`);
  }
  throw new UsageError(`${file} is not JSON; ${GIVE_REPORT}`);
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

/** The items of all parts in the order of the whole run, of which each part had every n-th. */
function inTurn<T>(parts: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => parts.flatMap((items) => items.slice(at, at + 1))).flat();
}

function mergedReplays(files: readonly Extract<ReportFile, { kind: "replay" }>[], cwd: string): Merged {
  const outcomes = inTurn(files.map(({ scenarios }) => scenarios));
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
  const reasons = new Set(reports.flatMap(({ notRun }) => notRun.map(({ why }) => why)));
  const refusals = new Map(reports.flatMap((each) => each.refused).map((each) => [each.subject, each]));
  const whole: ExplorationReport = {
    name: [...names].join(),
    results: uniqueResults(inTurn(reports.map(({ results }) => results))),
    notRun: [...reasons].flatMap((reason) =>
      inTurn(reports.map(({ notRun }) => notRun.filter(({ why }) => why === reason))),
    ),
    // Every part plays every baseline.
    refused: [...refusals.values()],
    part: { ...(files[0] as ReportFile).part, index: 1, count: 1 },
  };
  return {
    exitCode: exitCodeOfExploration(whole),
    model: explorationReport(whole, cwd),
  };
}

function mergedContracts(files: readonly Extract<ReportFile, { kind: "contract run" }>[]): Merged {
  const reports = files.map(({ report }) => report);
  const results = inTurn(reports.map((report) => report.results));
  const isStrict = reports.some(({ strict }) => strict);
  // Counts and lists of unmet requirements are computed again.
  const { target, temporaryServer, seed, again } = reports[0] as RunReport;
  const sum = (countOf: (report: RunReport) => number) =>
    reports.reduce((total, each) => total + countOf(each), 0);
  const findings = (state: keyof NonNullable<RunReport["baseline"]>) =>
    sum(({ baseline }) => baseline?.[state] ?? 0);
  const whole: RunReport = {
    target,
    ...(temporaryServer !== undefined && { temporaryServer }),
    seed,
    ...(again !== undefined && { again }),
    results,
    requests: sum(({ requests }) => requests),
    wallMs: sum(({ wallMs }) => wallMs),
    ...(reports.some(({ baseline }) => baseline) && {
      baseline: { known: findings("known"), new: findings("new"), gone: findings("gone") },
    }),
    ...(reports.some(({ interrupted }) => interrupted) && {
      interrupted: {
        done: sum((each) => each.interrupted?.done ?? each.results.length),
        total: results.length,
      },
    }),
  };
  return {
    exitCode: isSuccessful(whole, isStrict) ? 0 : 1,
    model: contractReport(whole, isStrict),
    page: "contract",
  };
}
