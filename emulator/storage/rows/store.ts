import { mkdirSync } from "node:fs";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { TraceScope, TraceStore } from "../../subjects/traces/port.ts";
import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import { createForking, type Fork } from "./fork.ts";
import { createInheritedRows, type InheritedRows, type ScopeRows } from "./inherited-rows.ts";
import { isInstant } from "./instants.ts";
import { type TraceLocation, topOf } from "./layers.ts";
import { bytesIn, forgetNext, noteNext, readEnd, scopesIn } from "./marks.ts";
import { createOpenFiles, type OpenFiles } from "./open-files.ts";
import { isUuid, scopeKey } from "./paths.ts";
import { openScope, type Scope } from "./scope.ts";

/** `folder` is created when it is missing; the layers are only read. */
export interface TraceStoreOptions extends TraceLocation {
  /** The rows of the layers, where other stores go on from them too. */
  readonly inherited?: InheritedRows;
}

/** A trace store in files, of which copies can be made that cost nothing. */
export interface TraceFiles extends TraceStore {
  /** Where its rows are, for those who read them in other threads. */
  readonly location: TraceLocation;
  /**
   * Prepares an empty folder for a store that begins with the rows of this one: open it with what is answered. Neither side sees what the other writes from now on. No row is copied; this folder
   * has to stay for as long as there are forks of it.
   */
  fork(folder: string): Fork;
}

const SEGMENTS_OPEN_MAX = 64;

function checkRow(row: TraceRow): void {
  if (!isUuid(row.id)) throw new Error(`not a lower-case uuid: ${JSON.stringify(row.id)}`);
  if (!isUuid(row.session_id)) throw new Error(`not a session id: ${JSON.stringify(row.session_id)}`);
  if (!isInstant(row.start_time)) throw new Error(`not a start time: ${JSON.stringify(row.start_time)}`);
}

/** The tenants that were used, each loaded at its first use. */
function createScopes(files: OpenFiles, location: TraceLocation, inherited: InheritedRows) {
  const scopes = new Map<string, Scope>();
  return {
    of(scope: TraceScope): Scope {
      const key = scopeKey(scope);
      const opened = scopes.get(key) ?? openScope(files, location, scope, inherited);
      scopes.set(key, opened);
      return opened;
    },
    has: (scope: TraceScope) => scopes.has(scopeKey(scope)),
    rows: (): ReadonlyMap<string, ScopeRows> =>
      new Map([...scopes].map(([key, scope]) => [key, scope.rows()])),
    /** Lets go of a tenant, or of all. */
    drop(scope?: TraceScope): void {
      files.closeAll();
      if (scope === undefined) scopes.clear();
      else scopes.delete(scopeKey(scope));
    },
  };
}

/** Rows whose move to another day was begun and not ended: loading a tenant ends those of its rows. */
function createMoves(folder: string, wasClosed: boolean, load: (scope: TraceScope) => unknown) {
  let areEnded = wasClosed;
  return {
    areEnded: () => areEnded,
    interrupted(): void {
      areEnded = false;
    },
    /** Has to be called before a fork: their ends have numbers below its mark, where nothing may change then. */
    end(): void {
      if (!areEnded) scopesIn(folder).forEach(load);
      areEnded = true;
    },
  };
}

/** Opens the trace rows of a world: files in one folder, and a packed index of them in memory. */
export function openTraceStore(options: TraceStoreOptions): TraceFiles {
  const { folder, layers = [] } = options;
  const { inherited = createInheritedRows(layers) } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const location = { folder, layers };
  const files = createOpenFiles(SEGMENTS_OPEN_MAX);
  const scopes = createScopes(files, location, inherited);
  const end = readEnd(folder);
  let next = Math.max(end.next, topOf(layers));
  let isNoted = true;
  let bytes: number | undefined;
  const forking = createForking({
    files,
    location,
    inherited,
    rows: scopes.rows,
    copied() {
      scopes.drop();
      bytes = undefined;
    },
  });

  const moves = createMoves(folder, end.wasClosed, scopeOf);

  function scopeOf(scope: TraceScope): Scope {
    // To end a move that another process has begun, loading may have appended something.
    if (layers.length > 0 && !scopes.has(scope)) bytes = undefined;
    return scopes.of(scope);
  }

  function write(scope: TraceScope, rows: readonly StoredRow[]): void {
    const opened = scopeOf(scope);
    if (isNoted) forgetNext(folder);
    isNoted = false;
    const sequence = next;
    next += rows.length;
    forking.writing();
    try {
      const grown = opened.write(rows, sequence);
      if (bytes !== undefined) bytes += grown;
    } catch (error) {
      // What memory says of the files may be wrong now: the files are settled again at the next use.
      scopes.drop(scope);
      bytes = undefined;
      moves.interrupted();
      throw error;
    }
  }

  return {
    location,
    fork(target) {
      moves.end();
      return forking.fork(target, next);
    },
    write(scope, rows) {
      rows.forEach(checkRow);
      if (rows.length > 0) write(scope, rows);
    },
    read: (scope, id) => (isUuid(id) ? scopeOf(scope).read(id) : undefined),
    readAsOf: (scope, id, mark) => (isUuid(id) ? scopeOf(scope).readAsOf(id, mark) : undefined),
    list: (scope, range) => scopeOf(scope).list(range),
    mark: () => next,
    days: (scope, sessionId, start, end) => scopeOf(scope).days(sessionId, start, end),
    stats() {
      bytes ??= bytesIn(folder);
      return { rows: next, bytes };
    },
    close() {
      scopes.drop();
      if (moves.areEnded()) noteNext(folder, next);
    },
  };
}
