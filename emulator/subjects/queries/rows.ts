import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { compileFilter, type RowTest } from "../filters/compile.ts";
import type { Filter } from "../filters/filter.ts";
import type { ListedRow, RowPlace, TraceScope, TraceStore } from "../traces/port.ts";
import type { Workspace } from "../workspace.ts";
import type { Order } from "./cursor.ts";
import type { Selection } from "./selection.ts";
import { cachedTreeTest } from "./tree-cache.ts";

/** The trace store and the projects of one workspace. */
export interface QueryContext {
  readonly traces: TraceStore;
  readonly workspace: Workspace;
  /** Whether a project has been deleted. */
  isDeleted(sessionId: string): boolean;
  /** All projects of the workspace. */
  projectIds(): readonly string[];
}

/** Most traces per page whose filter results are cached. */
const MAX_CACHED_TRACES = 10_000;

/** The rows to examine for a selection, in the given order, and the test that they have to pass. */
export function candidatesOf(context: QueryContext, selection: Selection, order: Order, after?: RowPlace) {
  const scope = scopeOf(context.workspace);
  return {
    rows: selection.ids
      ? readRowsById(context, scope, selection.ids, order, after)
      : listRows(context, scope, selection, order, after),
    test: testOf(context, selection),
  };
}

/** The partition of the trace store that holds the rows of a workspace. */
export function scopeOf({ region, tenant_id }: Workspace): TraceScope {
  return { region, tenantId: tenant_id };
}

/** The ids of the projects that a selection searches. */
export function sessionsFor(context: QueryContext, selection: Selection): readonly string[] {
  const { sessionIds, ids } = selection;
  // A stored parent or root determines the project.
  const related = sessionIds || ids ? undefined : relatedRow(context, selection);
  const selectedIds = sessionIds ?? (related ? [related.session_id] : context.projectIds());
  return selectedIds.filter((id) => !context.isDeleted(id));
}

function relatedRow(
  { traces, workspace }: QueryContext,
  { parentId, traceId }: Selection,
): TraceRow | undefined {
  const id = parentId ?? traceId;
  return id === undefined ? undefined : traces.read(scopeOf(workspace), id);
}

function listRows(
  context: QueryContext,
  scope: TraceScope,
  selection: Selection,
  order: Order,
  after: RowPlace | undefined,
): Iterable<ListedRow> {
  const { parentId, start, end } = selection;
  const trace =
    selection.traceId ?? (parentId === undefined ? undefined : relatedRow(context, selection)?.trace_id);
  return context.traces.list(scope, {
    sessionIds: sessionsFor(context, selection),
    ...(trace !== undefined && { traceId: trace }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    order,
    ...(after && { after }),
  });
}

/** Rows selected by id, in the order of the list. */
function readRowsById(
  { traces, isDeleted }: QueryContext,
  scope: TraceScope,
  ids: readonly string[],
  order: Order,
  after: RowPlace | undefined,
): readonly ListedRow[] {
  const sign = order === "asc" ? 1 : -1;
  return ids
    .flatMap((id) => {
      const row = traces.read(scope, id);
      if (!row || isDeleted(row.session_id)) return [];
      return [{ id, startTime: row.start_time, bytes: 0, read: () => row }];
    })
    .sort((a, b) => sign * compare(a, b))
    .filter((row) => after === undefined || sign * compare(row, after) > 0);
}

function compare(a: RowPlace, b: RowPlace): number {
  if (a.startTime !== b.startTime) return a.startTime < b.startTime ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function testOf(context: QueryContext, selection: Selection): RowTest {
  const scope = scopeOf(context.workspace);
  const { traceId, parentId, exampleIds, runType, runTypeV2, isRoot, hasError, start, end } = selection;
  const sessionIds = selection.sessionIds && new Set(selection.sessionIds);
  const conditions: (((row: TraceRow) => boolean) | false | undefined)[] = [
    sessionIds && ((row) => sessionIds.has(row.session_id)),
    traceId !== undefined && ((row) => row.trace_id === traceId),
    parentId !== undefined && ((row) => row.parent_run_id === parentId),
    exampleIds &&
      ((row) => row.reference_example_id !== null && exampleIds.includes(row.reference_example_id)),
    runType !== undefined && ((row) => row.run_type === runType),
    runTypeV2 !== undefined && ((row) => row.run_type.toUpperCase() === runTypeV2),
    isRoot !== undefined && ((row) => row.is_root === isRoot),
    hasError !== undefined && ((row) => hasErrorIn(row) === hasError),
    start !== undefined && ((row) => row.start_time >= start),
    end !== undefined && ((row) => row.start_time < end),
  ];
  const tests = [
    selection.filter && compileFilter(selection.filter, scope.tenantId),
    selection.traceFilter && cachedByTrace(rootTest(context, scope, selection.traceFilter)),
    selection.treeFilter && cachedByTrace(treeTest(context, scope, selection.treeFilter)),
  ];
  const active = conditions.filter((each) => typeof each === "function");
  return function* (row) {
    if (!active.every((holds) => holds(row))) return false;
    for (const test of tests) if (test && !(yield* test(row))) return false;
    return true;
  };
}

function hasErrorIn({ error, status }: TraceRow): boolean {
  return status === "error" || (error !== null && error !== "");
}

/** Evaluates the test once per trace and caches the result. */
function cachedByTrace(test: RowTest): RowTest {
  const results = new Map<string, boolean>();
  return function* (row) {
    const cached = results.get(row.trace_id);
    if (cached !== undefined) return cached;
    if (results.size >= MAX_CACHED_TRACES) results.clear();
    const passes = yield* test(row);
    results.set(row.trace_id, passes);
    return passes;
  };
}

function rootTest({ traces }: QueryContext, scope: TraceScope, filter: Filter): RowTest {
  const test = compileFilter(filter, scope.tenantId);
  return function* (row) {
    const root = row.is_root ? row : traces.read(scope, row.trace_id);
    return root !== undefined && (yield* test(root));
  };
}

function treeTest({ traces }: QueryContext, scope: TraceScope, filter: Filter): RowTest {
  const test = cachedTreeTest(traces, filter, compileFilter(filter, scope.tenantId));
  return ({ trace_id, session_id }) => test({ scope, sessionId: session_id, traceId: trace_id });
}
