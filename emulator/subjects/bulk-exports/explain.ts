import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { type Explanation, explainFilter } from "../filters/explain.ts";
import { parseFilter } from "../filters/parse.ts";
import { hasHeldPatches } from "../traces/held-patches.ts";
import type { TraceStore } from "../traces/port.ts";
import type { Reader } from "../turn.ts";
import { isFinal } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun, SPAWNED } from "./records.ts";
import { requireExport } from "./require-export.ts";

/** Why a trace row is in an export or not. */
export interface RowExplanation extends Findings {
  /** Of a schedule: the export that it has spawned for the row, if it has. */
  readonly export_id: string;
  /** The trace row. */
  readonly run: string;
}

interface Findings {
  /** Null as long as it is open. */
  readonly included: boolean | null;
  readonly why: string;
  readonly row: { readonly start_time: string; readonly session_id: string } | null;
  readonly project: { readonly session_id: string; readonly matches: boolean } | null;
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
  /** Whether it was written, as it is now, at or after the mark up to which its export run reads (§3.3-5). */
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
export function explainRow(reader: Reader, traces: Traces, exportId: string, rowId: string): RowExplanation {
  const found = requireExport(reader, exportId);
  const scope = { region: found.region, tenantId: found.tenant_id };
  const row = traces.read(scope, rowId);
  if (!row) {
    const reason = hasHeldPatches(reader, found, rowId)
      ? "Only changes of the row have come, not the row itself."
      : "This workspace has no such row.";
    return { ...UNDECIDED, export_id: exportId, run: rowId, included: false, why: reason };
  }
  const parent = found.interval_hours === null ? found : (spawnedFor(reader, found, row) ?? found);
  const runs = [...reader.list(EXPORT_RUNS, parent.id)];
  const findings = explainIn(parent, runs, row, (mark) => traces.readAsOf(scope, rowId, mark));
  return { export_id: parent.id, run: rowId, ...findings };
}

/** A run reads as of its own mark: it may see another version of the row than the newest, or none. */
function explainIn(
  parent: BulkExport,
  runs: readonly ExportRun[],
  newest: TraceRow,
  readAsOf: (mark: number) => TraceRow | undefined,
): Findings {
  const versions = new Map<number | null, TraceRow | undefined>([[null, newest]]);
  for (const run of runs) {
    if (!versions.has(run.asOf)) versions.set(run.asOf, readAsOf(run.asOf as number));
    const seen = versions.get(run.asOf);
    if (seen && isCoveredBy(parent, run, seen)) return explainCovered(parent, run, seen);
  }
  const missed = runs.find((run) => isCoveredBy(parent, run, newest));
  if (!missed) return { ...factsOf(parent, newest), ...explainUncovered(parent, newest) };
  const reason = "It came too late: it was written, as it is now, after its export run had begun to read.";
  return {
    ...factsOf(parent, newest),
    included: false,
    why: reason,
    late: true,
    partition: partitionOf(missed),
  };
}

/** The run sees the row, in its window and its project. */
function explainCovered(parent: BulkExport, run: ExportRun, row: TraceRow): Findings {
  const facts = {
    ...factsOf(parent, row),
    late: run.asOf === null ? null : false,
    partition: partitionOf(run),
  };
  const filtered = explainByFilter(parent, row);
  if (!filtered.passes) {
    const reason = `The filter keeps it out: ${filtered.clause} does not hold, for ${filtered.because}.`;
    return { ...facts, included: false, why: reason };
  }
  const file = fileWith(run, row);
  if (file)
    return {
      ...facts,
      included: true,
      why: "It is in this file.",
      file: `${parent.bucket_name}/${file.key}`,
    };
  return isFinal(run)
    ? { ...facts, included: false, why: `Its export run ended as ${run.status} before it came to this row.` }
    : { ...facts, why: "It is selected; its export run has not come to it." };
}

function explainUncovered(parent: BulkExport, row: TraceRow): Pick<Findings, "included" | "why"> {
  if (row.session_id !== parent.session_id) return { included: false, why: "It belongs to another project." };
  if (!isWithin(parent, row)) return { included: false, why: "It does not begin within the window." };
  if (isFinal(parent))
    return { included: false, why: `The export ended as ${parent.status} before it came to this row.` };
  return { included: null, why: "The export for its part of the window has not begun." };
}

/** Files follow one another in the order of rows, and each knows the last row that was looked at for it. */
function fileWith({ files }: ExportRun, { start_time, id }: TraceRow) {
  return files.find(({ cursor }) => cursor !== null && `${start_time} ${id}` <= cursor);
}

function factsOf(parent: BulkExport, row: TraceRow): Findings {
  const { start_time, end_time, session_id, filter: expression } = parent;
  const { passes, ...rejection } = explainByFilter(parent, row);
  return {
    ...UNDECIDED,
    row: { start_time: row.start_time, session_id: row.session_id },
    project: { session_id, matches: row.session_id === session_id },
    window: { start_time, end_time, matches: isWithin(parent, row) },
    filter: { expression, matches: passes, ...rejection },
  };
}

function explainByFilter({ filter, tenant_id }: BulkExport, row: TraceRow): Explanation {
  const read = filter === null ? undefined : parseFilter(filter);
  return read && "filter" in read ? explainFilter(read.filter, row, tenant_id) : { passes: true };
}

function isCoveredBy(parent: BulkExport, run: ExportRun, row: TraceRow): boolean {
  return row.session_id === parent.session_id && isWithin(run, row);
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
    const spawned = reader.get(EXPORTS, id);
    if (spawned && isWithin(spawned, row)) return spawned;
  }
  return undefined;
}

function partitionOf({ id, status, start_time, end_time }: ExportRun) {
  return { run_id: id, status, start_time, end_time };
}
