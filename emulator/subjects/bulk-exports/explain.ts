import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { Steps } from "../../kernel/steps.ts";
import { type Explanation, explainFilter } from "../filters/explain.ts";
import { parseFilter } from "../filters/parse.ts";
import { hasHeldPatches } from "../traces/held-patches.ts";
import type { TraceStore } from "../traces/port.ts";
import { missingParent } from "../traces/waiting.ts";
import type { Reader } from "../turn.ts";
import { isFinal } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun, SPAWNED } from "./records.ts";
import { requireExport } from "./require-export.ts";

/** Why an export includes a trace row or not. */
export interface RowExplanation extends Findings {
  /** For a schedule: the spawned export that covers the row, if there is one. */
  readonly export_id: string;
  /** The trace row. */
  readonly run: string;
}

interface Findings {
  /** Null while the result is open. */
  readonly included: boolean | null;
  readonly why: string;
  readonly row: { readonly start_time: string; readonly session_id: string } | null;
  readonly project: { readonly session_id: string | null; readonly matches: boolean } | null;
  readonly window: {
    readonly start_time: string;
    readonly end_time: string | null;
    readonly matches: boolean;
  } | null;
  readonly filter: {
    readonly expression: string | null;
    readonly matches: boolean;
    readonly clause?: string;
    readonly because?: string;
  } | null;
  /** Whether the current version of the row was written at or after the mark of its export run (§3.3-5). */
  readonly late: boolean | null;
  /** The export run that covers it. */
  readonly partition: {
    readonly run_id: string;
    readonly status: string;
    readonly start_time: string;
    readonly end_time: string;
  } | null;
  /** `<bucket>/<key>` */
  readonly file: string | null;
}

type Traces = Pick<TraceStore, "read" | "readAsOf">;

const UNDECIDED: Findings = {
  included: null,
  why: "",
  row: null,
  project: null,
  window: null,
  filter: null,
  late: null,
  partition: null,
  file: null,
};

/** `GET /exports/{id}/explain`. */
export function* explainRow(
  reader: Reader,
  traces: Traces,
  exportId: string,
  rowId: string,
): Steps<RowExplanation> {
  const record = requireExport(reader, exportId);
  const scope = { region: record.region, tenantId: record.tenant_id };
  const row = traces.read(scope, rowId);
  if (!row) {
    const reason = hasHeldPatches(reader, record, rowId)
      ? "Changes of the row were received, but not the row itself."
      : "This row does not exist in the workspace of the export.";
    return { ...UNDECIDED, export_id: exportId, run: rowId, included: false, why: reason };
  }
  const parent = record.interval_hours === null ? record : (spawnedFor(reader, record, row) ?? record);
  const runs = [...reader.list(EXPORT_RUNS, parent.id)];
  const findings = yield* explainIn(parent, runs, row, (mark) => traces.readAsOf(scope, rowId, mark));
  const why = [findings.why, missingParent(traces, scope, row) ?? []].flat().join(" ");
  return { export_id: parent.id, run: rowId, ...findings, why };
}

/** A run reads as of its own mark: it may see an older version of the row, or none. */
function* explainIn(
  parent: BulkExport,
  runs: readonly ExportRun[],
  newest: TraceRow,
  readAsOf: (mark: number) => TraceRow | undefined,
): Steps<Findings> {
  const versions = new Map<number | null, TraceRow | undefined>([[null, newest]]);
  for (const run of runs) {
    if (!versions.has(run.asOf)) versions.set(run.asOf, readAsOf(run.asOf as number));
    const visibleRow = versions.get(run.asOf);
    if (visibleRow && isCoveredBy(run, visibleRow)) return yield* explainCovered(parent, run, visibleRow);
  }
  const lateRun = runs.find((run) => isCoveredBy(run, newest));
  if (!lateRun)
    return { ...(yield* factsOf(parent, runs, newest)), ...explainUncovered(parent, runs, newest) };
  const reason = "The row is late: its current version was written after its export run started to read.";
  return {
    ...(yield* factsOf(parent, runs, newest)),
    included: false,
    why: reason,
    late: true,
    partition: partitionOf(lateRun),
  };
}

/** The run sees the row, in its window and its project. */
function* explainCovered(parent: BulkExport, run: ExportRun, row: TraceRow): Steps<Findings> {
  const facts = {
    ...(yield* factsOf(parent, [run], row)),
    late: run.asOf === null ? null : false,
    partition: partitionOf(run),
  };
  const { filter } = facts;
  if (filter?.matches === false) {
    const reason = `The filter excludes the row: ${filter.clause} does not hold, because ${filter.because}.`;
    return { ...facts, included: false, why: reason };
  }
  const file = fileWith(run, row);
  if (file)
    return {
      ...facts,
      included: true,
      why: "The row is in this file.",
      file: `${parent.bucket_name}/${file.key}`,
    };
  return isFinal(run)
    ? { ...facts, included: false, why: `Its export run ended as ${run.status} before it reached this row.` }
    : { ...facts, why: "The row is selected, but its export run has not reached it yet." };
}

function explainUncovered(
  parent: BulkExport,
  runs: readonly ExportRun[],
  row: TraceRow,
): Pick<Findings, "included" | "why"> {
  if (!isOfProject(parent, runs, row)) return { included: false, why: "The row belongs to another project." };
  if (!isWithin(parent, row))
    return { included: false, why: "The row does not start within the window of the export." };
  if (isFinal(parent))
    return { included: false, why: `The export ended as ${parent.status} before it reached this row.` };
  return { included: null, why: "The export run for this part of the window has not started yet." };
}

/** Files are in the order of rows, and each has the cursor of the last row that was read for it. */
function fileWith({ files }: ExportRun, { start_time, id }: TraceRow) {
  return files.find(({ cursor }) => cursor !== null && `${start_time} ${id}` <= cursor);
}

function* factsOf(parent: BulkExport, runs: readonly ExportRun[], row: TraceRow): Steps<Findings> {
  const { start_time, end_time, session_id, filter: expression } = parent;
  const { passes, ...rejection } = yield* explainByFilter(parent, row);
  return {
    ...UNDECIDED,
    row: { start_time: row.start_time, session_id: row.session_id },
    project: { session_id, matches: isOfProject(parent, runs, row) },
    window: { start_time, end_time, matches: isWithin(parent, row) },
    filter: { expression, matches: passes, ...rejection },
  };
}

function* explainByFilter({ filter, tenant_id }: BulkExport, row: TraceRow): Steps<Explanation> {
  const parseResult = filter === null ? undefined : parseFilter(filter);
  return parseResult && "filter" in parseResult
    ? yield* explainFilter(parseResult.filter, row, tenant_id)
    : { passes: true };
}

/** Which projects are experiments is decided when the export starts. */
function isOfProject({ session_id }: BulkExport, runs: readonly ExportRun[], row: TraceRow): boolean {
  if (session_id !== null) return row.session_id === session_id;
  return runs.length === 0 || runs.some((run) => run.session_id === row.session_id);
}

function isCoveredBy(run: ExportRun, row: TraceRow): boolean {
  return row.session_id === run.session_id && isWithin(run, row);
}

function isWithin(
  window: { readonly start_time: string; readonly end_time: string | null },
  row: TraceRow,
): boolean {
  const { start_time, end_time } = window;
  return row.start_time >= start_time && (end_time === null || row.start_time < end_time);
}

function spawnedFor(reader: Reader, schedule: BulkExport, row: TraceRow): BulkExport | undefined {
  for (const { id } of reader.list(SPAWNED, schedule.id)) {
    const spawnedExport = reader.get(EXPORTS, id);
    if (spawnedExport && isWithin(spawnedExport, row)) return spawnedExport;
  }
  return undefined;
}

function partitionOf({ id, status, start_time, end_time }: ExportRun) {
  return { run_id: id, status, start_time, end_time };
}
