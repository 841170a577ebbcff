import type { RowTest } from "../filters/compile.ts";
import type { ListedRow, TraceScope, TraceStore } from "../traces/port.ts";

/** A trace of a project, and how to look through it. */
interface Tree {
  readonly scope: TraceScope;
  readonly sessionId: string;
  readonly traceId: string;
}

/** What a filter found in a trace when the store stood at `asOf`. */
interface Found {
  readonly asOf: number;
  /** A row that passes; undefined when none did. */
  readonly witness: string | undefined;
}

/** Each is about 200 bytes. */
const TRACES_REMEMBERED = 10_000;
const FILTERS_REMEMBERED = 4;

const MEMORIES = new WeakMap<TraceStore, Map<string, Map<string, Found>>>();

/**
 * Whether any row of a trace passes a filter. To look through a large trace takes long, and every page of a
 * list would do it again: what was found is remembered until rows are written.
 */
export function rememberedTreeTest(traces: TraceStore, filter: unknown, test: RowTest) {
  const known = memoryFor(traces, JSON.stringify(filter));
  return (tree: Tree): boolean => {
    const { scope, sessionId, traceId } = tree;
    const key = [scope.region, scope.tenantId, sessionId, traceId].join("/");
    const before = known.get(key);
    const asOf = traces.mark();
    if (before?.asOf === asOf) return before.witness !== undefined;
    const witness = stillPasses(traces, tree, test, before?.witness) ?? firstPassing(traces, tree, test);
    keep(known, key, { asOf, witness }, TRACES_REMEMBERED);
    return witness !== undefined;
  };
}

function memoryFor(traces: TraceStore, filter: string): Map<string, Found> {
  const memories = MEMORIES.get(traces) ?? new Map<string, Map<string, Found>>();
  MEMORIES.set(traces, memories);
  const memory = memories.get(filter) ?? new Map<string, Found>();
  keep(memories, filter, memory, FILTERS_REMEMBERED);
  return memory;
}

/** Puts an entry behind all others, and lets the foremost go when there are too many. */
function keep<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
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
  witness: string | undefined,
): string | undefined {
  const row = witness === undefined ? undefined : traces.read(scope, witness);
  const isThere = row !== undefined && row.trace_id === traceId && row.session_id === sessionId;
  return isThere && test(row) ? witness : undefined;
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
