import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { COLUMN_NAMES, type ColumnName, type TraceRow } from "../../contracts/spec/bulk-exports/columns.ts";
import type { ExportStatusName } from "../../contracts/spec/lifecycle.ts";
import type { Collection } from "../../emulator/kernel/table.ts";
import { createOracle } from "../../emulator/oracle/oracle.ts";
import { createLineWriter } from "../../emulator/storage/line-writer.ts";
import { createBodyOpener } from "../../emulator/storage/objects/opened-body.ts";
import { encodeFile } from "../../emulator/storage/parquet/encode-file.ts";
import { createOpenFiles } from "../../emulator/storage/pool/open-files.ts";
import { splitLine, writeRow } from "../../emulator/storage/rows/lines.ts";
import { createPartitionReader } from "../../emulator/storage/rows/partition-reader.ts";
import { createSecrets } from "../../emulator/storage/secrets.ts";
import type {
  Compression,
  FileRequest,
  FormatVersion,
} from "../../emulator/subjects/bulk-exports/encoder.ts";
import { fileRequest, keyOfNextFile } from "../../emulator/subjects/bulk-exports/file.ts";
import { cutIntoDays } from "../../emulator/subjects/bulk-exports/partitions.ts";
import {
  type BulkExport,
  EXPORT_RUNS,
  EXPORTS,
  type ExportedFile,
  type ExportRun,
  SPAWNED,
} from "../../emulator/subjects/bulk-exports/records.ts";
import type { Verification } from "../../emulator/subjects/control-operation.ts";
import type { ObjectStoreClients } from "../../emulator/subjects/destinations/object-store-client.ts";
import { DESTINATIONS, type Destination } from "../../emulator/subjects/destinations/records.ts";
import { objectId, objects, type StoredObject } from "../../emulator/subjects/object-storage/records.ts";
import { openTraceStore, SCOPE, SESSION, temporaryFolder } from "../storage/rows/open-store.ts";
import { openWorld, settingsWith } from "../support/world.ts";

export const EXPORT_ID = "e0000000-0000-4000-8000-000000000001";
export const BUCKET = "exports";
const DESTINATION_ID = "d0000000-0000-4000-8000-000000000001";
const WORKSPACE = { region: SCOPE.region, tenant_id: SCOPE.tenantId };
const CREATED = Date.UTC(2026, 0, 1);
const TIMES = { created_at: CREATED, updated_at: CREATED };
const CAUSE = { type: "control", name: "test" } as const;

export interface ExportFixtureOptions {
  readonly rows: readonly TraceRow[];
  readonly start?: string;
  readonly end?: string;
  readonly formatVersion?: FormatVersion;
  readonly compression?: Compression;
  readonly fields?: readonly ColumnName[] | null;
  readonly rowsPerFile?: number;
  /** Doors make the destination one that is elsewhere. */
  readonly doors?: (files: ReadonlyMap<string, Uint8Array>) => ObjectStoreClients;
}

export type ExportFixture = Awaited<ReturnType<typeof createExportFixture>>;

const NO_OBJECT_STORES: ObjectStoreClients = {
  open() {
    throw new Error("The embedded store was to be read past its doors.");
  },
};

/** A world with a trace store and complete exports in an object store. */
export async function createExportFixture(options: ExportFixtureOptions) {
  const objectFolder = temporaryFolder();
  const traces = openTraceStore({ folder: temporaryFolder() });
  const settings = await settingsWith({ limits: { rows_per_file: options.rowsPerFile ?? 10 } });
  const secrets = createSecrets();
  const { world } = openWorld({ settings, now: CREATED, ports: { traces, secrets } });
  const elsewhere = new Map<string, Uint8Array>();
  const destination: Destination = {
    ...WORKSPACE,
    ...TIMES,
    id: DESTINATION_ID,
    destination_type: "s3",
    display_name: "destination",
    config: {
      bucket_name: BUCKET,
      prefix: "traces/all",
      region: null,
      endpoint_url: null,
      include_bucket_in_prefix: false,
    },
    embedded: options.doors === undefined,
    credentials: secrets.seal(JSON.stringify({ access_key_id: "key", secret_access_key: "secret" })),
    credentials_keys: [],
  };
  let bodies = 0;

  function put<T>(kind: Collection<T>, record: T): void {
    world.turn(CAUSE, (turn) => turn.put(kind, record));
  }

  function putObject(key: string, bytes: Uint8Array): void {
    elsewhere.set(key, bytes);
    bodies += 1;
    const file = `${bodies}.body`;
    writeFileSync(join(objectFolder, file), bytes);
    put(objects, { bucket: BUCKET, key, file, size: bytes.length, sum: crc32(bytes) } as StoredObject);
  }

  function runOf(day: string): ExportRun {
    const runs = [...world.reader.list(EXPORT_RUNS, EXPORT_ID)];
    return runs.find(({ start_time }) => start_time.startsWith(day)) as ExportRun;
  }

  async function exportRun(parent: BulkExport, blank: ExportRun): Promise<void> {
    const reader = createPartitionReader(traces.location);
    let run = blank;
    while (!run.exhausted) {
      const key = keyOfNextFile(settings, run, parent, destination.config);
      const { bytes, rows, cursor, done } = await encodeFile(
        reader,
        fileRequest(settings, run, parent),
        () => {},
      );
      if (bytes) putObject(key, bytes);
      const files = bytes ? [...run.files, { key, rows, bytes: bytes.length, cursor }] : run.files;
      run = { ...run, files, latest_cursor: cursor, exhausted: done };
    }
    reader.close();
    put(EXPORT_RUNS, run);
  }

  async function exportWindow(id: string, start: string, end: string, source: string | null): Promise<void> {
    const parent = exportRecord(options, {
      id,
      start_time: start,
      end_time: end,
      source_bulk_export_id: source,
    });
    put(EXPORTS, parent);
    if (source !== null) put(SPAWNED, { id, source });
    for (const window of cutIntoDays(start, end))
      await exportRun(parent, blankRun(id, window, traces.mark()));
  }

  traces.write(SCOPE, options.rows);
  put(DESTINATIONS, destination);
  const start = options.start ?? "2025-03-01T06:00:00.000000Z";
  await exportWindow(EXPORT_ID, start, options.end ?? "2025-03-04T18:00:00.000000Z", null);

  const oracle = createOracle({
    world,
    rowsOf: traces.location,
    objectStores: options.doors?.(elsewhere) ?? NO_OBJECT_STORES,
    secrets,
    maxVerifications: 16,
    objects: {
      files: {
        open: createBodyOpener({ path: (file) => join(objectFolder, file), files: createOpenFiles() }),
      },
    },
  });
  /** Encodes any rows at all, as a file of this export. */
  const encode = (rows: readonly TraceRow[], changes: Partial<FileRequest> = {}) =>
    encodeRows(rows, {
      ...fileRequest(settings, runOf("2025-03-01"), exportRecord(options, {})),
      ...changes,
    });

  /** Puts other bytes in the place of a file, and into the record what is true of them. */
  function replaceFile(day: string, at: number, bytes: Uint8Array, rows: number): void {
    const run = runOf(day);
    const key = run.files[at]?.key ?? "no such file";
    putObject(key, bytes);
    put(EXPORT_RUNS, { ...run, files: run.files.with(at, { key, rows, bytes: bytes.length, cursor: null }) });
  }

  return {
    world,
    traces,
    settings,
    oracle,
    put,
    putObject,
    runOf,
    exportWindow,
    verify: (id = EXPORT_ID, isAbandoned?: () => boolean): Promise<Verification> =>
      oracle.verify(id, isAbandoned),
    parent: () => world.reader.get(EXPORTS, EXPORT_ID) as BulkExport,
    schedule: (changes: Partial<BulkExport>) => put(EXPORTS, exportRecord(options, changes)),
    keyOf: (day: string, at = 0): string => runOf(day).files[at]?.key ?? "no such file",
    bytesOf: (key: string): Uint8Array => elsewhere.get(key) as Uint8Array,
    removeObject(key: string): void {
      elsewhere.delete(key);
      world.turn(CAUSE, (turn) => turn.remove(objects, objectId(BUCKET, key)));
    },
    moveObject(from: string, to: string): void {
      putObject(to, elsewhere.get(from) as Uint8Array);
      this.removeObject(from);
    },
    swapObjects(one: string, other: string): void {
      const [first, second] = [this.bytesOf(one), this.bytesOf(other)];
      putObject(one, second);
      putObject(other, first);
    },
    changeRun: (day: string, changes: Partial<ExportRun>) => put(EXPORT_RUNS, { ...runOf(day), ...changes }),
    removeRun: (day: string) => world.turn(CAUSE, (turn) => turn.remove(EXPORT_RUNS, runOf(day).id)),
    /** Writes these rows in the place of a file. */
    rewrite: async (day: string, at: number, rows: readonly TraceRow[], changes: Partial<FileRequest> = {}) =>
      replaceFile(day, at, await encode(rows, changes), rows.length),
    /** Changes what the record of a run says of a file. */
    changeFile(day: string, at: number, changes: Partial<ExportedFile>): void {
      const run = runOf(day);
      const files = run.files.with(at, { ...(run.files[at] as ExportedFile), ...changes });
      put(EXPORT_RUNS, { ...run, files });
    },
  };
}

function exportRecord(options: ExportFixtureOptions, changes: Partial<BulkExport>): BulkExport {
  return {
    ...WORKSPACE,
    ...TIMES,
    id: EXPORT_ID,
    bulk_export_destination_id: DESTINATION_ID,
    bucket_name: BUCKET,
    session_id: SESSION,
    start_time: "",
    end_time: null,
    filter: null,
    export_fields: options.fields ?? null,
    interval_hours: null,
    format_version: options.formatVersion ?? "v1",
    compression: options.compression ?? "none",
    status: "COMPLETED",
    finished_at: CREATED,
    source_bulk_export_id: null,
    runsLeft: 0,
    ...changes,
  };
}

function blankRun(
  exportId: string,
  window: { day: string; start: string; end: string },
  asOf: number,
): ExportRun {
  return {
    ...WORKSPACE,
    ...TIMES,
    id: `${exportId.slice(0, 24)}${window.day.replaceAll("-", "")}${window.start.slice(11, 13)}00`,
    bulk_export_id: exportId,
    session_id: SESSION,
    status: "COMPLETED" satisfies ExportStatusName,
    finished_at: CREATED,
    start_time: window.start,
    end_time: window.end,
    errors: {},
    latest_cursor: null,
    files: [],
    exhausted: false,
    asOf,
    attempt: 0,
  };
}

async function encodeRows(rows: readonly TraceRow[], request: FileRequest): Promise<Uint8Array> {
  const writer = createLineWriter();
  let left = rows.map((row, n) => {
    writeRow(writer, row, { sequence: n, previous: -1 });
    const line = Buffer.from(writer.bytes);
    writer.clear();
    return splitLine(line);
  });
  const reader = {
    open: () => ({
      take: (max: number) => left.splice(0, max),
      cursor: () => null,
      remaining: () => left.length,
    }),
    close: () => {
      left = [];
    },
  };
  const columns = request.columns.length > 0 ? request.columns : COLUMN_NAMES;
  const { bytes } = await encodeFile(reader, { ...request, columns, rowsPerFile: rows.length }, () => {});
  if (bytes === null) throw new Error("no rows");
  return bytes;
}
