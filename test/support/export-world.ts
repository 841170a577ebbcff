import type { TraceRow } from "../../contracts/spec/bulk-exports/columns.ts";
import type { BodyOf } from "../../contracts/spec/operations.ts";
import type { WorldState } from "../../emulator/kernel/commit.ts";
import { createExport } from "../../emulator/subjects/bulk-exports/create.ts";
import type { FileRequest } from "../../emulator/subjects/bulk-exports/encoder.ts";
import type { FileWritten, WriteFile } from "../../emulator/subjects/bulk-exports/events.ts";
import { cancelExport } from "../../emulator/subjects/bulk-exports/export.ts";
import {
  type BulkExport,
  EXPORT_RUNS,
  EXPORTS,
  type ExportRun,
  SPAWNED,
} from "../../emulator/subjects/bulk-exports/records.ts";
import { DESTINATIONS } from "../../emulator/subjects/destinations/records.ts";
import { compileFilter } from "../../emulator/subjects/filters/compile.ts";
import { parseFilter } from "../../emulator/subjects/filters/parse.ts";
import { SEEDED_KEY, seedObjectStorage } from "../../emulator/subjects/object-storage/seed.ts";
import type { BodyKeeper } from "../../emulator/subjects/object-storage/staged.ts";
import { PROJECTS } from "../../emulator/subjects/projects/projects.ts";
import type { LimitSettings } from "../../emulator/subjects/settings.ts";
import type { TraceStore } from "../../emulator/subjects/traces/port.ts";
import { resultOf } from "./steps.ts";
import { DEFAULTS, openWorld, WORKSPACE, withVerbs } from "./world.ts";

export const NOW = Date.UTC(2026, 0, 10);
export const BUCKET = "traces";
const CREDENTIALS = {
  accessKeyId: SEEDED_KEY.access_key_id,
  secretAccessKey: SEEDED_KEY.secret_access_key,
  sessionToken: null,
};
export type TestWorkspace = typeof WORKSPACE;
export const OTHER_WORKSPACE: TestWorkspace = {
  region: "us",
  tenant_id: "00000000-0000-4000-8000-000000000002",
};

/** Every workspace has one project. */
function projectOf({ tenant_id }: TestWorkspace): string {
  return `99999999-0000-4000-8000-${tenant_id.slice(-12)}`;
}

export interface ExportWorldOptions {
  readonly limits?: Partial<LimitSettings>;
  readonly seed?: number;
  readonly now?: number;
  /** The state to resume from, without rows and files; by default the world is new. */
  readonly state?: WorldState;
  /** Whether destinations are buckets of the emulator itself. */
  readonly embedded?: boolean;
}

interface RowVersion {
  readonly sequence: number;
  readonly workspace: TestWorkspace;
  readonly row: TraceRow;
}

/** What survives the end of the process: the rows that came in and the files that were written, in this order. */
interface Disk {
  readonly versions: RowVersion[];
  readonly files: Map<string, readonly string[]>;
  readonly puts: string[];
}

export type ExportWorld = ReturnType<typeof openExportWorld>;

/**
 * Exports whose files real turns store in the object store; rows are kept in a list, and a file is a list of row
 * versions.
 */
export function openExportWorld({
  limits,
  embedded = true,
  seed,
  now = NOW,
  state,
}: ExportWorldOptions = {}) {
  const disk: Disk = { versions: [], files: new Map(), puts: [] };
  /** Files on their way to the embedded store, by the names of their bodies. */
  const staged: (readonly string[])[] = [];
  const bodies: BodyKeeper = {
    keep: (file, place) => void (place && store(disk, place.key, staged[Number(file)] ?? [])),
    drop: () => undefined,
    dropBucket: () => undefined,
  };
  let threadsEnded = 0;
  const base = openWorld({
    ...(seed !== undefined && { seed }),
    ...(state && { state }),
    now,
    settings: { ...DEFAULTS, limits: { ...DEFAULTS.limits, rows_per_file: 3, ...limits } },
    ports: { traces: tracesOf(disk), bodies, isEmbedded: () => embedded },
    effects: {
      "export.write_file": async ({ data }) => writeFile(data),
      "export.end_thread": async () => {
        threadsEnded += 1;
        return {};
      },
    },
  });
  const { turn } = base;
  const projects = [WORKSPACE, OTHER_WORKSPACE].map((workspace) => ({
    id: projectOf(workspace),
    name: "p",
    ...workspace,
    created_at: now,
  }));
  if (!state) {
    turn(seedObjectStorage);
    turn((open) => {
      for (const project of projects) open.put(PROJECTS, project as never);
    });
  }

  function writeFile({ order: request, key, destination }: WriteFile): FileWritten {
    if (request.crash) {
      threadsEnded += 1;
      return { failure: "worker_crash", message: "the encoding thread ended" };
    }
    const { rows, ...rest } = encode(disk, request);
    if (rows.length === 0) return { rows: 0, bytes: 0, ...rest };
    const written = { rows: rows.length, bytes: 10 * rows.length, ...rest };
    if (!destination.embedded) {
      store(disk, key, rows);
      return written;
    }
    const whole = { file: `${staged.length}`, size: written.bytes, sum: 0, etag: "", checksums: {} };
    staged.push(rows);
    return { ...written, staged: { file: { whole, parts: [] }, credentials: CREDENTIALS } };
  }

  function addDestination(workspace: TestWorkspace = WORKSPACE): string {
    return turn((open) => {
      const id = open.nextId("destination");
      open.put(DESTINATIONS, {
        ...workspace,
        id,
        destination_type: "s3",
        display_name: "",
        config: {
          bucket_name: BUCKET,
          prefix: "",
          region: "us-east-1",
          endpoint_url: null,
          include_bucket_in_prefix: false,
        },
        embedded,
        credentials: open.ports.secrets.seal(JSON.stringify(SEEDED_KEY)),
        credentials_keys: ["access_key_id", "secret_access_key"],
        created_at: open.now,
        updated_at: open.now,
      });
      return id;
    });
  }

  return withVerbs(base, {
    get threadsEnded() {
      return threadsEnded;
    },
    files: disk.files,
    puts: disk.puts,
    addDestination,
    removeDestination: (id: string) => turn((open) => open.remove(DESTINATIONS, id)),
    create: (body: Partial<BodyOf<"createBulkExport">>, workspace: TestWorkspace = WORKSPACE): BulkExport => {
      const whole = { session_id: projectOf(workspace), ...body } as BodyOf<"createBulkExport">;
      return turn((open) => createExport(open, workspace, whole));
    },
    cancel: (id: string) => turn((open) => cancelExport(open, open.get(EXPORTS, id) as BulkExport)),
    /** A new version of a row, which came in just now. */
    ingest(id: string, start_time: string, name: string, workspace: TestWorkspace = WORKSPACE): void {
      const row = { id, start_time, name, session_id: projectOf(workspace) } as TraceRow;
      disk.versions.push({ sequence: disk.versions.length, workspace, row });
    },
    export: (id: string) => base.reader.get(EXPORTS, id) as BulkExport,
    runs: (id: string): readonly ExportRun[] => [...base.reader.list(EXPORT_RUNS, id)],
    spawned: (id: string): readonly BulkExport[] =>
      [...base.reader.list(SPAWNED, id)].map((one) => base.reader.get(EXPORTS, one.id) as BulkExport),
    /** The row versions in the files that the record of the run names, as `id#sequence`. */
    rowsIn: (run: ExportRun) =>
      run.files.flatMap(({ key }) => disk.files.get(`${BUCKET}/${key}`) ?? ["lost"]),
    /** What the run has to export: the rows as of its mark. */
    selected: (parent: BulkExport, run: ExportRun) =>
      select(disk, { ...run, asOf: run.asOf as number }, parent.filter).map(nameOf),
    /** `kill -9` and a new start; of the files under way, those that `arrives` says so of are on the disk. */
    crash(arrives: (nth: number) => boolean): void {
      const writes = base
        .interrupt()
        .filter(({ kind }) => kind === "export.write_file")
        .map(({ data }) => data as unknown as WriteFile);
      writes.forEach(({ order, key }, nth) => {
        const { rows } = encode(disk, order);
        if (rows.length > 0 && !order.crash && arrives(nth)) store(disk, key, rows);
      });
      base.resume();
    },
  });
}

function store({ files, puts }: Disk, key: string, rows: readonly string[]): void {
  files.set(`${BUCKET}/${key}`, rows);
  puts.push(key);
}

interface Selection extends TestWorkspace {
  readonly session_id: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly asOf: number;
}

/** The slow, obvious way: the last version before the mark of every row, those in the window, in order. */
function select({ versions }: Pick<Disk, "versions">, selection: Selection, filter: string | null) {
  const last = new Map<string, RowVersion>();
  for (const version of versions) if (version.sequence < selection.asOf) last.set(version.row.id, version);
  const passes = filterOf(filter);
  return [...last.values()]
    .filter(
      ({ workspace, row }) =>
        workspace.tenant_id === selection.tenant_id &&
        row.session_id === selection.session_id &&
        row.start_time >= selection.start_time &&
        row.start_time < selection.end_time &&
        passes(row),
    )
    .sort((a, b) => (cursorOf(a) < cursorOf(b) ? -1 : 1));
}

function filterOf(filter: string | null): (row: TraceRow) => boolean {
  if (filter === null) return () => true;
  const parsedFilter = parseFilter(filter);
  if ("problem" in parsedFilter) throw new Error(filter);
  const test = compileFilter(parsedFilter.filter, "");
  return (row) => resultOf(test(row));
}

function cursorOf({ row }: RowVersion): string {
  return `${row.start_time} ${row.id}`;
}

function nameOf({ row, sequence }: RowVersion): string {
  return `${row.id}#${sequence}`;
}

function encode(disk: Disk, request: FileRequest) {
  const { tenantId: tenant_id, sessionId: session_id, start, end, cursor } = request;
  const selection = { ...request, tenant_id, session_id, start_time: start, end_time: end };
  const remainingRows = select(disk, selection, request.filter).filter(
    (version) => cursor === null || cursorOf(version) > cursor,
  );
  const fileRows = remainingRows.slice(0, request.rowsPerFile);
  const last = fileRows.at(-1);
  return {
    rows: fileRows.map(nameOf),
    cursor: last ? cursorOf(last) : cursor,
    done: fileRows.length === remainingRows.length,
  };
}

function tracesOf({ versions }: Disk): Partial<TraceStore> {
  return {
    mark: () => versions.length,
    days(scope, session_id, start_time, end_time) {
      const selection = { region: scope.region, tenant_id: scope.tenantId, session_id, start_time, end_time };
      const rowsOfWindow = select({ versions }, { ...selection, asOf: versions.length }, null);
      return [...new Set(rowsOfWindow.map(({ row }) => row.start_time.slice(0, 10)))];
    },
  };
}
