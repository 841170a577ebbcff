import { formatInstant, formatInstantOrNull } from "../../kernel/instant.ts";
import { type ListFilters, listOf } from "../control-list.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { objects } from "../object-storage/records.ts";
import { PROJECTS } from "../projects/projects.ts";
import type { Reader, World } from "../turn.ts";
import { workspaceKey } from "../workspace.ts";
import { SLOT_QUEUE } from "./capacity.ts";
import { isFinal } from "./lifecycle.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun, rowsExported, SPAWNED } from "./records.ts";

/** An export in the control API: times are ISO 8601. */
export type ExportOverview = ReturnType<typeof overviewOf>;

/** One export with the details of its runs. */
export type ExportDetail = ReturnType<typeof detailOf>;

/** The newest exports of all workspaces, oldest first. */
export function listExports(reader: Reader, query: ListFilters) {
  return listOf(reader.list(EXPORTS), query, {
    filters: {
      status: ({ status }) => status,
      project: (record) => projectNameOf(reader, record) ?? String(record.session_id),
      kind: kindOf,
    },
    show: (record) => overviewOf(reader, record),
  });
}

function kindOf({ interval_hours, source_bulk_export_id }: BulkExport): string {
  if (interval_hours !== null) return "schedule";
  return source_bulk_export_id === null ? "one-off" : "from a schedule";
}

/** The name of the project of an export; null once it is deleted. */
export function projectNameOf(reader: Reader, record: BulkExport): string | null {
  if (record.session_id === null) return "all experiments";
  return reader.get(PROJECTS, `${workspaceKey(record)}/${record.session_id}`)?.name ?? null;
}

function overviewOf(reader: Reader, record: BulkExport) {
  const { runsLeft: _, created_at, updated_at, finished_at, ...shown } = record;
  const destination = reader.get(DESTINATIONS, record.bulk_export_destination_id);
  return {
    ...shown,
    /** Null for a deleted project or destination. */
    project: projectNameOf(reader, record),
    destination: destination?.display_name ?? null,
    created_at: formatInstant(created_at),
    updated_at: formatInstant(updated_at),
    finished_at: formatInstantOrNull(finished_at),
    runs: [...reader.list(EXPORT_RUNS, record.id)].map(runOverview),
  };
}

function runOverview(run: ExportRun) {
  const { id, status, attempt, start_time, end_time } = run;
  const updated_at = formatInstant(run.updated_at);
  const finished_at = formatInstantOrNull(run.finished_at);
  const created_at = formatInstant(run.created_at);
  const [rows, files] = [rowsExported(run), run.files.length];
  return { id, status, attempt, rows, files, start_time, end_time, created_at, updated_at, finished_at };
}

/** `GET /exports/{export_id}`. */
export function detailOf(world: World, record: BulkExport) {
  const { reader } = world;
  const due = dueByRef(world);
  const waiting = [...reader.list(SLOT_QUEUE)];
  const waitsFor = ({ id, finished_at }: BulkExport | ExportRun) => {
    const request = waiting.find((each) => each.id === id);
    const position = request && waiting.filter(({ pool }) => pool === request.pool).indexOf(request);
    return {
      /** Its scheduled events, without its deadline. */
      due: (due.get(id) ?? []).filter(({ kind }) => !kind.endsWith(".deadline")),
      deadline: finished_at === null ? deadlineIn(due.get(id)) : null,
      in_flight: world.inFlight().flatMap(({ kind, ref }) => (ref === id ? [kind] : [])),
      /** The number of requests for a slot before it (§8.2); null when it is not waiting for a slot. */
      queue_position: position ?? null,
    };
  };
  return {
    ...overviewOf(reader, record),
    ...waitsFor(record),
    /** The objects that an export without success has left in an embedded bucket, also those without a checkpoint. */
    files_left: filesLeft(reader, record),
    spawned: [...reader.list(SPAWNED, record.id)].map(({ id }) => id),
    runs: [...reader.list(EXPORT_RUNS, record.id)].map((run) => ({
      ...runOverview(run),
      errors: run.errors,
      latest_cursor: run.latest_cursor,
      files: run.files,
      ...waitsFor(run),
    })),
  };
}

const MAX_FILES_LEFT = 1_000;

function filesLeft(reader: Reader, record: BulkExport) {
  if (!isFinal(record) || record.status === "COMPLETED" || record.interval_hours !== null) return [];
  const folder = `export_id=${record.id}/`;
  return [...reader.list(objects, record.bucket_name)]
    .filter(({ key }) => key.includes(folder))
    .slice(0, MAX_FILES_LEFT)
    .map(({ key, size }) => ({ key, bytes: size }));
}

function dueByRef(world: World) {
  const byRef = new Map<string, { readonly at: string; readonly kind: string }[]>();
  for (const { at, kind, ref } of world.queue()) {
    const events = byRef.get(ref) ?? [];
    events.push({ at: formatInstant(at), kind });
    byRef.set(ref, events);
  }
  return byRef;
}

function deadlineIn(events: readonly { readonly at: string; readonly kind: string }[] = []): string | null {
  return events.find(({ kind }) => kind.endsWith(".deadline"))?.at ?? null;
}
