import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { counted } from "../../contracts/report/counted.ts";
import type { AdvanceResult } from "../../emulator/client/views.ts";
import type { ReadyLine } from "../../emulator/config/configuration.ts";
import type { RunningEmulator } from "../../emulator/runtime/start.ts";
import type { Verification } from "../../emulator/subjects/control-operation.ts";
import { SEEDED_BUCKET, SEEDED_KEY } from "../../emulator/subjects/object-storage/seed.ts";
import { CommandFailure } from "../command.ts";
import { type ExportRun, runsOf } from "../export/resources.ts";
import type { Progress } from "../progress.ts";
import { type RunningWorld, worldAt } from "../running.ts";
import { verdictLines } from "../terminal.ts";
import { exportOnSchedule, isWhole, type ScheduledExport, scheduleLines } from "./schedule.ts";

/** The demo's results, as data and as lines of text. */
export interface DemoReport {
  readonly facts: {
    readonly verified: boolean;
    readonly export_id: string;
    readonly schedule_id: string;
    readonly rows: number;
    readonly files: readonly string[];
  };
  readonly lines: readonly string[];
}

interface DemoContext extends RunningWorld {
  readonly progress: Progress;
  readonly ready: ReadyLine;
}

interface OneOffExport {
  readonly id: string;
  readonly runs: readonly ExportRun[];
  readonly verdict: Verification;
}

const PROJECT = "demo";
const PREFIX = "demo";
const ROWS = 1_200;
const WINDOW_DAYS = 3;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 10 * 60_000;

/** Runs the demo over HTTP, from the first trace to the verified files. */
export async function runDemo(
  { ready, objectsFolder }: Pick<RunningEmulator, "ready" | "objectsFolder">,
  progress: Progress,
): Promise<DemoReport> {
  const context: DemoContext = { ready, progress, ...worldAt(ready.url, TIMEOUT_MS) };
  const window = windowBefore(ready.now);
  const projectId = await sendTraces(context, window);
  const destinationId = await createDestination(context);
  const oneOff = await exportOnce(context, { projectId, destinationId, ...window });
  progress.show("moving the clock through a schedule");
  await generate(context, dayAfter(ready.now), ready.seed + 1);
  const start = window.to;
  const scheduled = await exportOnSchedule(context, { projectId, destinationId, start });
  const files = filesOnDisk(objectsFolder, oneOff);
  return {
    facts: factsOf(oneOff, scheduled, files),
    lines: linesOf(ready, window, { oneOff, scheduled }, files),
  };
}

async function sendTraces(context: DemoContext, window: Window): Promise<string> {
  const { api, progress, ready } = context;
  progress.show(`sending ${ROWS} sample rows`);
  await generate(context, window, ready.seed);
  const [project] = await api<readonly { readonly id: string }[]>("GET", `/api/v1/sessions?name=${PROJECT}`);
  if (project === undefined)
    throw new CommandFailure(`the project ${PROJECT} is missing after its traces were sent`);
  return project.id;
}

async function generate({ client }: DemoContext, { from, to }: Window, seed: number): Promise<void> {
  await client.generateTraces({ count: ROWS, project: PROJECT, from, to, seed });
}

async function createDestination({ api, progress }: DemoContext): Promise<string> {
  progress.show("creating a destination");
  const { id } = await api<{ readonly id: string }>("POST", "/api/v1/bulk-exports/destinations", {
    destination_type: "s3",
    display_name: "Demo bucket",
    config: { bucket_name: SEEDED_BUCKET, prefix: PREFIX, region: "us-east-1" },
    credentials: SEEDED_KEY,
  });
  return id;
}

async function exportOnce(
  context: DemoContext,
  {
    projectId,
    destinationId,
    from,
    to,
  }: Window & { readonly projectId: string; readonly destinationId: string },
): Promise<OneOffExport> {
  const { api, client, progress } = context;
  progress.show("exporting");
  const { id } = await api<{ readonly id: string }>("POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id: destinationId,
    session_id: projectId,
    start_time: from,
    end_time: to,
    format_version: "v2_beta",
  });
  progress.show("moving the clock until the export is COMPLETED");
  const clock = await client.clock.advance({ until: { export: id, status: "COMPLETED" } });
  progress.show("reading the files back");
  const runs = await runsOf(context, id);
  if (!clock.reached) throw new CommandFailure(failureOf(id, clock, runs));
  const verdict = await client.exports.verify(id);
  return { id, runs, verdict };
}

function failureOf(id: string, { why }: AdvanceResult, runs: readonly ExportRun[]): string {
  const [error] = runs.flatMap(({ errors }) => Object.values(errors ?? {}));
  return `export ${id} did not become COMPLETED (${why ?? "no reason given"}); ${error ?? "see its runs"}`;
}

function factsOf(
  { id, verdict }: OneOffExport,
  scheduled: ScheduledExport,
  files: readonly string[],
): DemoReport["facts"] {
  const isThere = verdict.ok && verdict.rows > 0 && files.length === verdict.files;
  const verified = isThere && isWhole(scheduled);
  return { verified, export_id: id, schedule_id: scheduled.id, rows: verdict.rows, files };
}

function linesOf(
  ready: ReadyLine,
  window: Window,
  exports: { readonly oneOff: OneOffExport; readonly scheduled: ScheduledExport },
  files: readonly string[],
): string[] {
  const { id, runs, verdict } = exports.oneOff;
  const days = runs.map(
    ({ start_time, rows_exported, metadata }) =>
      `                ${start_time.slice(0, 10)}  ${String(rows_exported).padStart(6)} rows  ${counted(metadata.files.length, "file")}`,
  );
  const [first] = files;
  return [
    `An emulator ran at ${ready.url}, its object store at ${ready.s3_url}, on its own clock.`,
    "",
    `1 Traces        ${ROWS} sample trace rows into the project "${PROJECT}", ${window.from.slice(0, 10)} to ${window.to.slice(0, 10)}`,
    `2 Destination   s3://${SEEDED_BUCKET}/${PREFIX}, checked by writing a test file`,
    `3 Export        ${id}, format v2_beta`,
    "4 Fast-forward  to COMPLETED; a run for each day:",
    ...days,
    ...verdictLines(id, verdict).map(
      (line, index) => `${index === 0 ? "5 Read back     " : "                "}${line}`,
    ),
    ...scheduleLines(exports.scheduled),
    "",
    "Parquet files of the first export:",
    ...files.map((file) => `  ${file}`),
    ...(first === undefined ? [] : ["", "Open them, for example with DuckDB:", `  ${openingLine(first)}`]),
  ];
}

/** All files of the export in one table, with the days of their folders as columns. */
function openingLine(file: string): string {
  const root = file.slice(0, file.indexOf("/", file.indexOf("export_id=")));
  const query = `SELECT year, month, day, run_type, count(*) FROM read_parquet('${root}/**/*.parquet', hive_partitioning = true) GROUP BY ALL ORDER BY ALL`;
  return `duckdb -c "${query}"`;
}

/** The files on this machine's disk that the export's records name as `<bucket>/<key>`. */
function filesOnDisk(objectsFolder: string, { runs }: OneOffExport): string[] {
  return runs
    .flatMap(({ metadata }) => metadata.files)
    .map((name) => join(objectsFolder, name))
    .filter((path) => existsSync(path))
    .map((path) => relative(process.cwd(), path))
    .sort();
}

interface Window {
  readonly from: string;
  readonly to: string;
}

function windowBefore(now: string): Window {
  const to = Math.floor(Date.parse(now) / DAY_MS) * DAY_MS;
  return { from: new Date(to - WINDOW_DAYS * DAY_MS).toISOString(), to: new Date(to).toISOString() };
}

function dayAfter(now: string): Window {
  const from = Math.floor(Date.parse(now) / DAY_MS) * DAY_MS;
  return { from: new Date(from).toISOString(), to: new Date(from + DAY_MS).toISOString() };
}
