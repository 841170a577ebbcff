import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import type { StoredRow } from "../traces/roll-up.ts";
import { threadOf } from "../traces/thread.ts";
import type { RowSummaryForm, ThreadConditions } from "./events.ts";
import { preview } from "./preview.ts";
import { type QueryContext, scopeOf } from "./rows.ts";
import type { SentSelection } from "./selection.ts";
import { createStatsAccumulator, type RunStats, type StatsAccumulator } from "./stats.ts";
import { textPage } from "./text-page.ts";
import { pick } from "./view.ts";

/** Reads all rows of a selection, earliest first. */
export type Scan = (sentSelection: SentSelection, visit: (row: StoredRow) => void) => Promise<void>;

/** Latest activity first. */
export const THREAD_ORDER = { by: "MAX_START_TIME", order: "desc" } as const;

type ThreadView = ReplyBodyOf<"queryThreads">["items"][number];

/** Computes the body of the reply that a summary was requested for. */
export async function sumUp(
  sentSelection: SentSelection,
  form: RowSummaryForm,
  context: QueryContext,
  scan: Scan,
): Promise<unknown> {
  switch (form.of) {
    case "rows": {
      const stats = createStatsAccumulator(sentSelection.is_root === true);
      await scan(sentSelection, stats.add);
      return stats.result();
    }
    case "projects":
      return projectReply(form, await statsByProject(sentSelection, scan));
    case "thread": {
      const turns = createTurns();
      await scan(sentSelection, turns.add);
      return selectedFigures(turns.figures(), form.figures);
    }
    case "all threads": {
      const threads = new Set<string>();
      const turns = createTurns();
      await scanThreads(sentSelection, form.with, scan, (row, thread) => {
        threads.add(thread);
        turns.add(row);
      });
      const { turns: trace_count, ...figures } = turns.figures();
      return selectedFigures({ ...figures, trace_count, thread_count: threads.size }, form.figures);
    }
    case "threads":
      return threadPage(await threadsOf(sentSelection, form, scan), form, context);
  }
}

async function statsByProject(sentSelection: SentSelection, scan: Scan): Promise<(id: string) => RunStats> {
  const projects = new Map<string, StatsAccumulator>();
  await scan(sentSelection, (row) => {
    const stats = projects.get(row.session_id) ?? createStatsAccumulator(true);
    projects.set(row.session_id, stats);
    stats.add(row);
  });
  return (id) => (projects.get(id) ?? createStatsAccumulator(true)).result();
}

function projectReply(
  { projects, as }: Extract<RowSummaryForm, { of: "projects" }>,
  statsOf: (id: string) => RunStats,
): unknown {
  const items = projects.map((project) => ({ ...project, ...statsOf(project.id) }));
  if (as === "list") return items;
  if (as === "one") return items[0];
  return {
    items: items.map((item) => ({ ...item, ...costsOf(item), type: "PROJECT" })),
    next_cursor: as.next,
  };
}

/** Visits the root rows of threads of which one trace meets the conditions. */
async function scanThreads(
  sentSelection: SentSelection,
  conditions: ThreadConditions,
  scan: Scan,
  visit: (row: StoredRow, thread: string) => void,
): Promise<void> {
  let matchingThreads: Set<string> | undefined;
  if (conditions.trace_filter || conditions.tree_filter) {
    const threadIds = new Set<string>();
    await scan({ ...sentSelection, ...conditions }, (row) => threadIds.add(threadOf(row) ?? ""));
    matchingThreads = threadIds;
  }
  await scan(sentSelection, (row) => {
    const thread = threadOf(row);
    if (thread !== null && (!matchingThreads || matchingThreads.has(thread))) visit(row, thread);
  });
}

async function threadsOf(
  sentSelection: SentSelection,
  form: Extract<RowSummaryForm, { of: "threads" }>,
  scan: Scan,
): Promise<ReadonlyMap<string, Turns>> {
  const threads = new Map<string, Turns>();
  await scanThreads(sentSelection, form.with, scan, (row, thread) => {
    const turns = threads.get(thread) ?? createTurns();
    threads.set(thread, turns);
    turns.add(row);
  });
  return threads;
}

function threadPage(
  threads: ReadonlyMap<string, Turns>,
  { limit, after }: Extract<RowSummaryForm, { of: "threads" }>,
  context: QueryContext,
): ReplyBodyOf<"queryThreads"> {
  const items = [...threads].map(([thread, turns]) => {
    const { id = "", start_time: key = "" } = turns.last ?? {};
    return { id, key, thread, turns };
  });
  const { page, next } = textPage(items, { ...THREAD_ORDER, limit, after });
  return { items: page.map(({ thread, turns }) => threadView(thread, turns, context)), next_cursor: next };
}

/** The times and the id of a row: rows themselves may be large, and threads have many. */
type TurnRow = Pick<StoredRow, "id" | "trace_id" | "start_time">;

type Turns = ReturnType<typeof createTurns>;

/** Accumulates the root rows of one thread, or of all threads, in the order of their start. */
function createTurns() {
  const stats = createStatsAccumulator(true);
  let first: TurnRow | undefined;
  let last: TurnRow | undefined;
  let lastErrorId: string | undefined;
  let errors = 0;
  let lastEnd: string | null = null;
  return {
    get first() {
      return first;
    },
    get last() {
      return last;
    },
    get lastErrorId() {
      return lastErrorId;
    },
    get errors() {
      return errors;
    },
    add(row: StoredRow): void {
      const { id, trace_id, start_time, end_time, status } = row;
      stats.add(row);
      last = { id, trace_id, start_time };
      first ??= last;
      if (end_time !== null && (lastEnd === null || end_time > lastEnd)) lastEnd = end_time;
      if (status !== "error") return;
      errors += 1;
      lastErrorId = id;
    },
    stats: stats.result,
    figures() {
      const { latency_p50, latency_p99, first_token_p50, first_token_p99, run_count, ...shared } =
        stats.result();
      return {
        ...shared,
        ...costsOf(shared),
        latency_p50_seconds: latency_p50,
        latency_p99_seconds: latency_p99,
        first_token_p50_seconds: first_token_p50,
        first_token_p99_seconds: first_token_p99,
        turns: run_count,
        first_start_time: first?.start_time,
        last_start_time: last?.start_time,
        last_end_time: lastEnd,
      };
    },
  };
}

function costsOf({
  total_cost,
  prompt_cost,
  completion_cost,
}: Pick<RunStats, "total_cost" | "prompt_cost" | "completion_cost">) {
  const [total, prompt, completion] = [total_cost, prompt_cost, completion_cost].map((cost) =>
    cost === null ? null : Number(cost),
  );
  return { total_cost: total, prompt_cost: prompt, completion_cost: completion };
}

/** LATENCY_P50 selects `latency_p50_seconds`, and TURNS `turns`. */
function selectedFigures(
  figures: Readonly<Record<string, unknown>>,
  selects: readonly string[],
): Readonly<Record<string, unknown>> {
  return withoutNulls(
    pick(
      figures,
      selects.flatMap((name) => [name, `${name}_SECONDS`]),
    ),
  );
}

function threadView(id: string, turns: Turns, { traces, workspace }: QueryContext): ThreadView {
  const read = (row: string | undefined) =>
    row === undefined ? undefined : traces.read(scopeOf(workspace), row);
  const { first, last, lastErrorId, errors } = turns;
  const { run_count, latency_p50, latency_p99, total_tokens, total_cost, feedback_stats } = turns.stats();
  return {
    thread_id: id,
    count: run_count,
    num_errored_turns: errors,
    start_time: last?.start_time ?? "",
    min_start_time: first?.start_time ?? "",
    max_start_time: last?.start_time ?? "",
    trace_id: last?.trace_id ?? "",
    first_trace_id: first?.trace_id ?? "",
    last_trace_id: last?.trace_id ?? "",
    total_tokens,
    ...withoutNulls({
      first_inputs: preview(read(first?.id)?.inputs),
      last_outputs: preview(read(last?.id)?.outputs),
      last_error: preview(read(lastErrorId)?.error),
      latency_p50,
      latency_p99,
      total_cost: total_cost === null ? null : Number(total_cost),
      feedback_stats,
    }),
  };
}

function withoutNulls<T extends Readonly<Record<string, unknown>>>(
  members: T,
): { readonly [Name in keyof T]?: NonNullable<T[Name]> } {
  const isNothing = (value: unknown) =>
    value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(members).filter(([, value]) => !isNothing(value))) as {
    readonly [Name in keyof T]?: NonNullable<T[Name]>;
  };
}
