import type { RowTest } from "../filters/compile.ts";
import type { ListedRow, TraceScope, TraceStore } from "../traces/port.ts";

/** A trace of a project, and how to look through it. */
interface Tree {
  readonly scope: TraceScope;
  readonly sessionId: string;
  readonly traceId: string;
}

/** What a filter found in a trace when the store stood at `asOf`. */
interface CachedVerdict {
  readonly asOf: number;
  /** A row that passes; undefined when none did. */
  readonly passingRowId: string | undefined;
}

/** Each is about 200 bytes. */
const CACHED_TRACES_MAX = 10_000;
const CACHED_FILTERS_MAX = 4;

const CACHES = new WeakMap<TraceStore, Map<string, Map<string, CachedVerdict>>>();

/**
 * Whether any row of a trace passes a filter. To look through a large trace takes long, and every page of a
 * list would do it again: what was found is remembered until rows are written.
 */
export function cachedTreeTest(traces: TraceStore, filter: unknown, test: RowTest) {
  const known = cacheFor(traces, JSON.stringify(filter));
  return (tree: Tree): boolean => {
    const { scope, sessionId, traceId } = tree;
    const key = [scope.region, scope.tenantId, sessionId, traceId].join("/");
    const before = known.get(key);
    const asOf = traces.mark();
    if (before?.asOf === asOf) return before.passingRowId !== undefined;
    const passingRowId =
      stillPasses(traces, tree, test, before?.passingRowId) ?? firstPassing(traces, tree, test);
    putNewest(known, key, { asOf, passingRowId }, CACHED_TRACES_MAX);
    return passingRowId !== undefined;
  };
}

function cacheFor(traces: TraceStore, filter: string): Map<string, CachedVerdict> {
  const caches = CACHES.get(traces) ?? new Map<string, Map<string, CachedVerdict>>();
  CACHES.set(traces, caches);
  const cache = caches.get(filter) ?? new Map<string, CachedVerdict>();
  putNewest(caches, filter, cache, CACHED_FILTERS_MAX);
  return cache;
}

/** Puts an entry behind all others, and lets the foremost go when there are too many. */
function putNewest<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= most) return;
  const [oldest = ""] = entries.keys();
  entries.delete(oldest);
}

/** Rows were written meanwhile, but mostly others than the one that passed. */
function stillPasses(
  traces: TraceStore,
  { scope, sessionId, traceId }: Tree,
  test: RowTest,
  passingRowId: string | undefined,
): string | undefined {
  const row = passingRowId === undefined ? undefined : traces.read(scope, passingRowId);
  const isThere = row !== undefined && row.trace_id === traceId && row.session_id === sessionId;
  return isThere && test(row) ? passingRowId : undefined;
}

function firstPassing(
  traces: TraceStore,
  { scope, sessionId, traceId }: Tree,
  test: RowTest,
): string | undefined {
  const passes = (found: ListedRow) => {
    const row = found.read();
    return row.trace_id === traceId && test(row);
  };
  for (const found of traces.list(scope, { sessionIds: [sessionId], traceId, order: "asc" }))
    if (passes(found)) return found.id;
  return undefined;
}
