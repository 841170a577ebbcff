import { mkdirSync, rmSync } from "node:fs";
import type { TraceRow } from "../../../contracts/spec/export-columns.ts";
import type { TraceScope, TraceStore } from "../../domain/traces/port.ts";
import { isInstant } from "./instants.ts";
import { bytesIn, forgetNext, noteNext, readNext, scopesIn } from "./marks.ts";
import { createOpenFiles } from "./open-files.ts";
import { isUuid, scopeFolder } from "./places.ts";
import { openScope, type Scope } from "./scope.ts";

export interface TraceStoreOptions {
  /** Where the files are; it is created when it is missing. */
  readonly folder: string;
  /** How many patches of a workspace may wait for their rows. */
  readonly heldPatchesMax?: number;
}

const SEGMENTS_OPEN_MAX = 64;
const HELD_PATCHES_MAX = 100_000;

function checkRow(row: TraceRow): void {
  if (!isUuid(row.id)) throw new Error(`not a lower-case uuid: ${JSON.stringify(row.id)}`);
  if (!isUuid(row.session_id)) throw new Error(`not a session id: ${JSON.stringify(row.session_id)}`);
  if (!isInstant(row.start_time)) throw new Error(`not a start time: ${JSON.stringify(row.start_time)}`);
}

function keyOf({ region, tenantId }: TraceScope): string {
  return `${region}/${tenantId}`;
}

/** Opens the trace rows of a world: files in one folder, and a packed index of them in memory. */
export function openTraceStore({ folder, heldPatchesMax = HELD_PATCHES_MAX }: TraceStoreOptions): TraceStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = createOpenFiles(SEGMENTS_OPEN_MAX);
  const scopes = new Map<string, Scope>();
  let next = readNext(folder);
  let isNoted = true;
  let bytes: number | undefined;

  function scopeOf(scope: TraceScope): Scope {
    const key = keyOf(scope);
    let opened = scopes.get(key);
    if (opened === undefined) {
      opened = openScope(files, scopeFolder(folder, scope), heldPatchesMax);
      scopes.set(key, opened);
    }
    return opened;
  }

  return {
    write(scope, rows) {
      rows.forEach(checkRow);
      if (rows.length === 0) return;
      const opened = scopeOf(scope);
      if (isNoted) forgetNext(folder);
      isNoted = false;
      const sequence = next;
      next += rows.length;
      try {
        const grown = opened.write(rows, sequence);
        if (bytes !== undefined) bytes += grown;
      } catch (error) {
        // What memory says of the files may be wrong now: the files are settled again at the next use.
        files.closeAll();
        scopes.delete(keyOf(scope));
        bytes = undefined;
        throw error;
      }
    },
    read: (scope, id) => (isUuid(id) ? scopeOf(scope).read(id) : undefined),
    readAsOf: (scope, id, mark) => (isUuid(id) ? scopeOf(scope).readAsOf(id, mark) : undefined),
    list: (scope, range) => scopeOf(scope).list(range),
    holdPatches(scope, patches) {
      const opened = scopeOf(scope);
      for (const { id } of patches) {
        if (!isUuid(id)) throw new Error(`not a lower-case uuid: ${JSON.stringify(id)}`);
        if (opened.has(id)) throw new Error(`the row ${id} is there, so its patch is not to be held`);
      }
      opened.held.hold(patches);
    },
    heldPatches: (scope, id) => scopeOf(scope).held.held(id),
    mark: () => next,
    days: (scope, sessionId, start, end) => scopeOf(scope).days(sessionId, start, end),
    stats() {
      bytes ??= bytesIn(folder);
      return { rows: next, bytes };
    },
    clear() {
      files.closeAll();
      scopes.clear();
      for (const path of scopesIn(folder)) rmSync(path, { recursive: true, force: true });
      forgetNext(folder);
      next = 0;
      bytes = 0;
      isNoted = false;
    },
    close() {
      files.closeAll();
      scopes.clear();
      noteNext(folder, next);
    },
  };
}
