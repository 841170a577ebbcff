import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { TraceScope } from "../../subjects/traces/port.ts";
import type { WrittenRows } from "../journal/line.ts";
import type { NamedRows } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { imageOfNames, imageOfRows, namesAsOf, type RowsImage, sealedImage } from "./image.ts";
import { isInstant } from "./instants.ts";
import { checkScope, isUuid, scopeKey } from "./paths.ts";
import { type RowView, rowsAsOf } from "./rows-as-of.ts";
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
import { sizesBelow } from "./sizes.ts";
import { beginTail } from "./tail.ts";

/** The trace rows of a world, in files of the pool. New rows are pending in memory until `appendToFiles`. */
export type RowStore = ReturnType<typeof openRowStore>;

/** How to open a store of rows. */
export interface RowStoreOptions {
  readonly pool: Pool;
  /** The owner of its tails. */
  readonly owner: number;
  readonly image: RowsImage;
  /** Called when rows are pending. */
  readonly changed: () => void;
  /** Called before the tails grow. */
  readonly appending: () => void;
}

/** Pending rows beyond this size are written to the tails immediately. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

function checkRows(rows: readonly TraceRow[]): void {
  let lastSessionId: string | undefined;
  for (const { id, session_id, start_time } of rows) {
    if (!isUuid(id)) throw new Error(`The row id ${JSON.stringify(id)} is not a lower-case UUID.`);
    if (session_id !== lastSessionId && !isUuid(session_id))
      throw new Error(`The session id ${JSON.stringify(session_id)} is not a lower-case UUID.`);
    if (!isInstant(start_time))
      throw new Error(`The start time ${JSON.stringify(start_time)} is not a UTC time with six decimals.`);
    lastSessionId = session_id;
  }
}

/** The tenants of a world. Each is loaded at its first use. */
function createScopes(pool: Pool, image: RowsImage) {
  const scopes = new Map<string, Scope>();
  /** Consecutive calls mostly use the same scope. */
  let latest: { readonly key: TraceScope; readonly scope: Scope } | undefined;
  // Forks must not name the tails of this owner, which will grow.
  const sealed = sealedImage(image);

  function load(scope: TraceScope): Scope {
    checkScope(scope);
    const rows = image.scopes.get(scopeKey(scope))?.rows();
    const ownRows = rows && { index: rows.index.copy(), segments: rows.segments.map(copySegment) };
    return openScope(pool, scope, ownRows);
  }

  return {
    get(key: TraceScope): Scope {
      if (latest?.key === key) return latest.scope;
      const text = scopeKey(key);
      const scope = scopes.get(text) ?? load(key);
      scopes.set(text, scope);
      latest = { key, scope };
      return scope;
    },
    /** Loads the tenants that have not been used. */
    segments(): readonly Segment[] {
      const unused = [...image.scopes].filter(([key]) => !scopes.has(key));
      return [
        ...unused.flatMap(([, each]) => each.rows().segments),
        ...[...scopes.values()].flatMap(({ segments }) => segments),
      ];
    },
    names(next: number): NamedRows {
      const unused = [...image.scopes]
        .filter(([key]) => !scopes.has(key))
        .flatMap(([, each]) => each.names());
      const loadedSegments = [...scopes.values()].flatMap(({ segments }) =>
        segments.filter(({ rowFiles }) => rowFiles.length > 0),
      );
      return { next, segments: [...unused, ...loadedSegments.map(nameSegment)] };
    },
    image(next: number): RowsImage {
      const images = [...scopes].map(([key, scope]) => [key, imageOfRows(scope.sealed(next))] as const);
      return { next, scopes: new Map([...sealed.scopes, ...images]) };
    },
  };
}

/** Opens the trace rows of a world: row files, and a packed index of them in memory. */
export function openRowStore(options: RowStoreOptions) {
  const { pool, owner, changed } = options;
  const key = pool.folder(owner);
  const scopes = createScopes(pool, options.image);
  let { next } = options.image;
  const tails = createTails(options, next);
  let sizes: ReturnType<typeof sizesBelow> | undefined;
  let latest: RowsImage | undefined;

  /** Appends pending rows to the tails; they count only once a journal line gives the new lengths. */
  function appendToFiles(): void {
    tails.append(next);
  }

  /** The current rows, for forks. */
  function image(): RowsImage {
    appendToFiles();
    latest ??= scopes.image(next);
    return latest;
  }

  const readers: Omit<RowView, "asOf"> = {
    key,
    location(partition) {
      if (tails.dirty.size > 0) appendToFiles();
      const segment = scopes.get(partition).segment(partition.sessionId, partition.day);
      return { world: key, root: pool.root, id: pool.id, rowFiles: segment ? extentsOf(segment) : [] };
    },
    names: () => scopes.names(next),
    write(scope, rows) {
      checkRows(rows);
      if (rows.length === 0) return;
      for (const segment of scopes.get(scope).write(rows, next)) tails.dirty.add(segment);
      next += rows.length;
      sizes = undefined;
      latest = undefined;
      changed();
      if (tails.pendingBytes() > MAX_WAITING_BYTES) appendToFiles();
    },
    read: (scope, id) => (isUuid(id) ? scopes.get(scope).read(id) : undefined),
    readAsOf: (scope, id, mark) => asOf(mark).read(scope, id),
    list: (scope, range) => scopes.get(scope).list(range),
    mark: () => next,
    days: (scope, sessionId, start, end) => scopes.get(scope).days(sessionId, start, end),
    stats() {
      appendToFiles();
      sizes ??= sizesBelow(pool, scopes.segments(), next);
      return sizes;
    },
  };
  const live = { ...readers, appendToFiles };
  const asOf = (mark: number): RowView =>
    rowsAsOf({ pool, live, scopeOf: scopes.get, allSegments: scopes.segments }, mark);
  return {
    ...live,
    asOf,
    /** Bytes of pending rows. */
    waitingBytes: tails.pendingBytes,
    /** The rows appended since the last call. The next journal line has to name them. */
    takeWritten: (): WrittenRows => takeNames(tails.appended),
    image,
    /** The same with numbers below the mark. */
    imageAsOf(mark: number): RowsImage {
      const present = image();
      return mark === next ? present : imageOfNames(pool, namesAsOf(scopes.names(next), mark));
    },
  };
}

/** Appends the pending rows of segments to files; `next` is the number of the next row. */
function createTails({ pool, owner, appending }: RowStoreOptions, first: number) {
  /** Segments with pending rows. */
  const dirty = new Set<Segment>();
  /** Segments with appended rows; true for those with a new file. */
  const appended = new Map<Segment, boolean>();
  // This makes tail numbers unique: each row begins at most two tails, one in its segment and one in the segment that it left.
  let nextTail = 2 * first;
  return {
    dirty,
    appended,
    append(next: number): void {
      if (dirty.size > 0) appending();
      for (const segment of dirty) {
        const isNew = !hasTail(segment);
        if (isNew) beginTail(pool, segment, owner, nextTail++);
        appended.set(segment, isNew || appended.get(segment) === true);
        appendWaiting(pool, segment);
      }
      dirty.clear();
      nextTail = 2 * next;
    },
    pendingBytes(): number {
      let sum = 0;
      for (const segment of dirty) sum += waitingBytes(segment);
      return sum;
    },
  };
}

function takeNames(appended: Map<Segment, boolean>): WrittenRows {
  const entries = [...appended];
  appended.clear();
  return {
    segments: entries.flatMap(([segment, isNew]) => (isNew ? nameSegment(segment) : [])),
    tails: entries.flatMap(([segment, isNew]) => (isNew ? [] : [lengthOfTail(segment)])),
  };
}
