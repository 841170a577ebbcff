import type { TraceScope } from "../../subjects/traces/port.ts";
import { createIdIndex, type IdIndex } from "./id-index.ts";
import { locateAll, type TraceLayer } from "./layers.ts";
import { createOpenFiles } from "./open-files.ts";
import { scopeKey } from "./paths.ts";
import { readRows } from "./read-rows.ts";
import { borrowSegment, createSegment, loadPieces, type Segment } from "./segment.ts";

/** The segments of a tenant and where in them the newest version of each row is. */
export interface ScopeRows {
  readonly index: IdIndex;
  readonly segments: readonly Segment[];
}

/** The rows of layers that several stores go on from: read once for all of them, and kept in memory once. */
export interface InheritedRows {
  /** Rows of a tenant to go on from; undefined when each store has to read them for itself. */
  take(scope: TraceScope): ScopeRows | undefined;
  /** Has to be called before rows change that are known already. */
  settle(): void;
}

const FILES_OPEN = 4;

/** `known` tells the rows of tenants that need not be read any more; asked once, when the first are wanted. */
export function createInheritedRows(
  layers: readonly TraceLayer[],
  known: () => ReadonlyMap<string, ScopeRows> = () => new Map(),
): InheritedRows {
  let taken: Map<string, ScopeRows | undefined> | undefined;
  function all(): Map<string, ScopeRows | undefined> {
    taken ??= new Map(known());
    return taken;
  }
  return {
    take(scope) {
      if (layers.length === 0) return undefined;
      const key = scopeKey(scope);
      if (!all().has(key)) all().set(key, readLayers(layers, scope));
      const rows = all().get(key);
      return rows && borrowRows(rows);
    },
    settle: () => void all(),
  };
}

/** The same rows for a store that goes on from them. */
export function borrowRows({ index, segments }: ScopeRows): ScopeRows {
  return { index: index.copy(), segments: segments.map(borrowSegment) };
}

/** Undefined when a move has to be ended, which takes a folder of one's own. */
function readLayers(layers: readonly TraceLayer[], scope: TraceScope): ScopeRows | undefined {
  const files = createOpenFiles(FILES_OPEN);
  try {
    const index = createIdIndex();
    const segments = locateAll(layers, scope).map(({ sessionId, day, pieces }, number) => {
      const segment = createSegment(number, sessionId, day);
      loadPieces(files, segment, pieces);
      return segment;
    });
    const rows = { index, segments };
    const unfinished = readRows(files, rows, new Map());
    return unfinished.length > 0 ? undefined : rows;
  } finally {
    files.closeAll();
  }
}
