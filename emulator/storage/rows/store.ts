import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { TraceScope } from "../../subjects/traces/port.ts";
import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import type { WrittenRows } from "../journal/line.ts";
import type { NamedRows } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { imageOfNames, imageOfRows, namesAsOf, type Rows, type RowsImage, sealedImage } from "./image.ts";
import { isInstant } from "./instants.ts";
import { checkScope, isUuid, scopeKey } from "./paths.ts";
import type { LocatedFile } from "./plan.ts";
import type { RowView } from "./row-view.ts";
import { rowsAsOf } from "./rows-as-of.ts";
import { openScope, type Scope } from "./scope.ts";
import {
  appendWaiting,
  copySegment,
  extentsOf,
  hasTail,
  lengthOfTail,
  nameSegment,
  type Segment,
  waitingBytes,
} from "./segment.ts";
import { beginTail } from "./tail.ts";

/** The trace rows of a world, in files of the pool: what is written waits in memory for the next `append`. */
export interface RowStore extends RowView {
  /** Appends pending rows to the tails; they count only once a journal line gives the new lengths. */
  appendToFiles(): void;
  /** Bytes of pending rows. */
  waitingBytes(): number;
  /** What was appended since the last call: the next journal line has to name it. */
  takeWritten(): WrittenRows;
  /** The rows as they are now, for others to go on from. */
  image(): RowsImage;
  /** The same as they were when the next row got this number. */
  imageAsOf(mark: number): RowsImage;
}

/** What a store of rows is opened with. */
export interface RowStoreOptions {
  readonly pool: Pool;
  /** In whose folder its tails lie. */
  readonly owner: number;
  readonly image: RowsImage;
  /** Called when rows are pending. */
  readonly changed: () => void;
  /** Called before the tails grow. */
  readonly appending: () => void;
}

/** So much may wait in memory: what a turn writes beyond that goes to the tails at once. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

function checkRows(rows: readonly TraceRow[]): void {
  let known: string | undefined;
  for (const { id, session_id, start_time } of rows) {
    if (!isUuid(id)) throw new Error(`not a lower-case uuid: ${JSON.stringify(id)}`);
    if (session_id !== known && !isUuid(session_id))
      throw new Error(`not a session id: ${JSON.stringify(session_id)}`);
    if (!isInstant(start_time)) throw new Error(`not a start time: ${JSON.stringify(start_time)}`);
    known = session_id;
  }
}

/** The tenants that were used, each loaded at its first use. */
function createScopes(pool: Pool, image: RowsImage) {
  const scopes = new Map<string, Scope>();
  /** A caller that asks for many rows names the same scope for each. */
  let latest: { readonly scope: TraceScope; readonly opened: Scope } | undefined;
  // What others go on from names no tails of this owner: those will grow.
  const sealed = sealedImage(image);

  function load(scope: TraceScope): Scope {
    checkScope(scope);
    const rows = image.scopes.get(scopeKey(scope))?.rows();
    return openScope(pool, scope, rows && ownRows(rows));
  }

  return {
    of(scope: TraceScope): Scope {
      if (latest?.scope === scope) return latest.opened;
      const key = scopeKey(scope);
      const opened = scopes.get(key) ?? load(scope);
      scopes.set(key, opened);
      latest = { scope, opened };
      return opened;
    },
    /** Reads what was not used yet. */
    count(): number {
      const unused = [...image.scopes].filter(([key]) => !scopes.has(key));
      const counts = [
        ...unused.map(([, each]) => each.rows().index.size),
        ...[...scopes.values()].map((scope) => scope.count()),
      ];
      return counts.reduce((sum, count) => sum + count, 0);
    },
    names(next: number): NamedRows {
      const unused = [...image.scopes]
        .filter(([key]) => !scopes.has(key))
        .flatMap(([, each]) => each.names());
      const used = [...scopes.values()].flatMap(({ segments }) =>
        segments.filter(({ rowFiles }) => rowFiles.length > 0),
      );
      return { next, segments: [...unused, ...used.map(nameSegment)] };
    },
    image(next: number): RowsImage {
      const used = [...scopes].map(([key, scope]) => [key, imageOfRows(scope.sealed(next))] as const);
      return { next, scopes: new Map([...sealed.scopes, ...used]) };
    },
  };
}

/** Rows of an image for the only store that may write behind them. */
function ownRows({ index, segments }: Rows): Rows {
  return { index: index.copy(), segments: segments.map(copySegment) };
}

/** Opens the trace rows of a world: files in files, and a packed index of them in memory. */
export function openRowStore(options: RowStoreOptions): RowStore {
  const { pool, owner, changed, appending } = options;
  const scopes = createScopes(pool, options.image);
  const dirty = new Set<Segment>();
  /** Segments that were appended to; true for those that have got a file by that. */
  const written = new Map<Segment, boolean>();
  let { next } = options.image;
  // No number of a tail comes twice: a write of some rows begins, with the segments that they leave, at most two for each.
  let nextTail = 2 * next;
  let bytes: number | undefined;
  let latest: RowsImage | undefined;

  function appendToFiles(): void {
    if (dirty.size > 0) appending();
    for (const segment of dirty) {
      const isNew = !hasTail(segment);
      if (isNew) beginTail(pool, segment, owner, nextTail++);
      written.set(segment, isNew || written.get(segment) === true);
      appendWaiting(pool, segment);
    }
    dirty.clear();
    nextTail = 2 * next;
  }

  function write(scope: TraceScope, rows: readonly StoredRow[]): void {
    for (const segment of scopes.of(scope).write(rows, next)) dirty.add(segment);
    next += rows.length;
    bytes = undefined;
    latest = undefined;
    changed();
    if (bytesThatWait() > MAX_WAITING_BYTES) appendToFiles();
  }

  function bytesThatWait(): number {
    let sum = 0;
    for (const segment of dirty) sum += waitingBytes(segment);
    return sum;
  }

  function image(): RowsImage {
    appendToFiles();
    latest ??= scopes.image(next);
    return latest;
  }

  const store: Omit<RowStore, "asOf"> = {
    key: pool.folder(owner),
    rowFiles(partition) {
      if (dirty.size > 0) appendToFiles();
      const segment = scopes.of(partition).segment(partition.sessionId, partition.day);
      return segment === undefined ? [] : locatedIn(pool, segment);
    },
    appendToFiles: appendToFiles,
    waitingBytes: bytesThatWait,
    takeWritten: () => takeNames(written),
    names: () => scopes.names(next),
    image,
    imageAsOf(mark) {
      const present = image();
      return mark === next ? present : imageOfNames(pool, namesAsOf(scopes.names(next), mark));
    },
    write(scope, rows) {
      checkRows(rows);
      if (rows.length > 0) write(scope, rows);
    },
    read: (scope, id) => (isUuid(id) ? scopes.of(scope).read(id) : undefined),
    readAsOf: (scope, id, mark) => (isUuid(id) ? scopes.of(scope).readAsOf(id, mark) : undefined),
    list: (scope, range) => scopes.of(scope).list(range),
    mark: () => next,
    days: (scope, sessionId, start, end) => scopes.of(scope).days(sessionId, start, end),
    stats() {
      appendToFiles();
      bytes ??= bytesBelow(join(pool.folder(owner), "rows"));
      return { rows: scopes.count(), bytes };
    },
  };
  return { ...store, asOf: (mark) => rowsAsOf({ pool, live: store, scopeOf: scopes.of }, mark) };
}

function locatedIn(pool: Pool, segment: Segment): readonly LocatedFile[] {
  return extentsOf(segment).map(({ file, ...extent }) => ({ ...extent, path: pool.path(file) }));
}

function takeNames(written: Map<Segment, boolean>): WrittenRows {
  const all = [...written];
  written.clear();
  return {
    segments: all.flatMap(([segment, isNew]) => (isNew ? nameSegment(segment) : [])),
    tails: all.flatMap(([segment, isNew]) => (isNew ? [] : [lengthOfTail(segment)])),
  };
}

function bytesBelow(folder: string): number {
  let entries: ReturnType<typeof listFiles>;
  try {
    entries = listFiles(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return 0;
  }
  return entries.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
