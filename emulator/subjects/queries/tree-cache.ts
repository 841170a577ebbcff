import type { Steps } from "../../kernel/steps.ts";
import type { RowTest } from "../filters/compile.ts";
import { type TraceScope, type TraceStore, unitsOf } from "../traces/port.ts";

/** Identifies a trace of a project. */
interface Tree {
  readonly scope: TraceScope;
  readonly sessionId: string;
  readonly traceId: string;
}

/** The result of a filter on a trace as of the mark `asOf`. */
interface CachedVerdict {
  readonly asOf: number;
  /** A passing row; undefined when none passes. */
  readonly passingRowId: string | undefined;
}

/** An entry takes about 200 bytes. */
const MAX_CACHED_TRACES = 10_000;
const MAX_CACHED_FILTERS = 4;

const CACHES = new WeakMap<TraceStore, Map<string, Map<string, CachedVerdict>>>();

/**
 * A test whether any row of a trace passes a filter. Searching a large trace is slow and every page of a list
 * would repeat it, so results are cached until rows are written.
 */
export function cachedTreeTest(traces: TraceStore, filter: unknown, test: RowTest) {
  const cache = cacheFor(traces, JSON.stringify(filter));
  return function* (tree: Tree): Steps<boolean> {
    const { scope, sessionId, traceId } = tree;
    const key = [scope.region, scope.tenantId, sessionId, traceId].join("/");
    const before = cache.get(key);
    const asOf = traces.mark();
    if (before?.asOf === asOf) return before.passingRowId !== undefined;
    const passingRowId =
      (yield* stillPasses(traces, tree, test, before?.passingRowId)) ??
      (yield* firstPassing(traces, tree, test));
    putNewest(cache, key, { asOf, passingRowId }, MAX_CACHED_TRACES);
    return passingRowId !== undefined;
  };
}

function cacheFor(traces: TraceStore, filter: string): Map<string, CachedVerdict> {
  const caches = CACHES.get(traces) ?? new Map<string, Map<string, CachedVerdict>>();
  CACHES.set(traces, caches);
  const cache = caches.get(filter) ?? new Map<string, CachedVerdict>();
  putNewest(caches, filter, cache, MAX_CACHED_FILTERS);
  return cache;
}

/** Inserts an entry as the newest and evicts the oldest above `most`. */
function putNewest<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= most) return;
  const [oldest = ""] = entries.keys();
  entries.delete(oldest);
}

/** Rechecks the row that passed before: writes since then rarely concern it. */
function* stillPasses(
  traces: TraceStore,
  { scope, sessionId, traceId }: Tree,
  test: RowTest,
  passingRowId: string | undefined,
): Steps<string | undefined> {
  const row = passingRowId === undefined ? undefined : traces.read(scope, passingRowId);
  const isInTrace = row !== undefined && row.trace_id === traceId && row.session_id === sessionId;
  return isInTrace && (yield* test(row)) ? passingRowId : undefined;
}

function* firstPassing(
  traces: TraceStore,
  { scope, sessionId, traceId }: Tree,
  test: RowTest,
): Steps<string | undefined> {
  for (const listedRow of traces.list(scope, { sessionIds: [sessionId], traceId, order: "asc" })) {
    yield unitsOf(listedRow);
    const row = listedRow.read();
    if (row.trace_id === traceId && (yield* test(row))) return listedRow.id;
  }
  return undefined;
}
