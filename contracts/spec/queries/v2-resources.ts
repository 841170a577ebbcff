import {
  boolean,
  dateTime,
  type Field,
  freeForm,
  integer,
  listOf,
  maybe,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from "../fields.ts";
import { extension, filterText, ids, MAX_IDS, row } from "./resources.ts";

/** Members of a row that the newest public client can select; rows omit those that are not emulated. */
const RUN_MEMBERS = [
  ...["ID", "NAME", "RUN_TYPE", "STATUS", "START_TIME", "END_TIME", "LATENCY_SECONDS", "FIRST_TOKEN_TIME"],
  ...["ERROR", "ERROR_PREVIEW", "EXTRA", "METADATA", "EVENTS", "INPUTS", "INPUTS_PREVIEW", "OUTPUTS"],
  ...["OUTPUTS_PREVIEW", "MANIFEST", "PARENT_RUN_IDS", "PROJECT_ID", "TRACE_ID", "THREAD_ID", "DOTTED_ORDER"],
  ...["IS_ROOT", "REFERENCE_EXAMPLE_ID", "REFERENCE_DATASET_ID", "TOTAL_TOKENS", "PROMPT_TOKENS"],
  ...["COMPLETION_TOKENS", "TOTAL_COST", "PROMPT_COST", "COMPLETION_COST", "PROMPT_TOKEN_DETAILS"],
  ...["COMPLETION_TOKEN_DETAILS", "PROMPT_COST_DETAILS", "COMPLETION_COST_DETAILS", "PRICE_MODEL_ID", "TAGS"],
  ...["APP_PATH", "ATTACHMENTS", "THREAD_EVALUATION_TIME", "IS_IN_DATASET", "LAST_QUEUED_AT", "SHARE_URL"],
  ...["FEEDBACK_STATS", "LS_USER_ID"],
];

/** Members of a trace in the list of a thread; OP and TURN_NUMBER are not emulated. */
const THREAD_TRACE_MEMBERS = [
  ...["THREAD_ID", "TRACE_ID", "OP", "PROMPT_TOKENS", "COMPLETION_TOKENS", "TOTAL_TOKENS", "START_TIME"],
  ...["END_TIME", "LATENCY", "FIRST_TOKEN_TIME", "INPUTS_PREVIEW", "OUTPUTS_PREVIEW", "INPUTS", "OUTPUTS"],
  ...["ERROR", "PROMPT_COST", "COMPLETION_COST", "TOTAL_COST", "PROMPT_TOKEN_DETAILS"],
  ...["COMPLETION_TOKEN_DETAILS", "PROMPT_COST_DETAILS", "COMPLETION_COST_DETAILS", "NAME", "ERROR_PREVIEW"],
  "TURN_NUMBER",
];

const TOTALS = [
  ...["PROMPT_TOKENS", "PROMPT_COST", "COMPLETION_TOKENS", "COMPLETION_COST", "TOTAL_TOKENS", "TOTAL_COST"],
  ...["PROMPT_TOKEN_DETAILS", "COMPLETION_TOKEN_DETAILS", "PROMPT_COST_DETAILS", "COMPLETION_COST_DETAILS"],
];

const THREAD_FIGURES = [
  ...["TURNS", "FIRST_START_TIME", "LAST_START_TIME", "LAST_END_TIME", "LATENCY_P50", "LATENCY_P99"],
  ...[...TOTALS, "FEEDBACK_STATS"],
];

const ALL_THREADS_FIGURES = [
  ...["THREAD_COUNT", "TRACE_COUNT", "ERROR_RATE", "STREAMING_RATE", "LATENCY_P50", "LATENCY_P99"],
  ...["MEDIAN_TOKENS", "FIRST_TOKEN_P50", "FIRST_TOKEN_P99", ...TOTALS, "THREAD_FEEDBACK_STATS"],
];

const selected = (members: readonly string[], description: string) =>
  listOf(oneOf(members), { ...extension, maxItems: 200, description });

const figures = (members: readonly string[]) =>
  listOf(oneOf(members), { ...extension, minItems: 1, maxItems: 200, description: "Figures to return." });

/** The members of rows to return (query.v2_selects). */
export const v2Selects = selected(
  RUN_MEMBERS,
  "Members to return, for example NAME; only the id by default.",
);

export const threadTraceSelects = selected(
  THREAD_TRACE_MEMBERS,
  "Members to return, for example NAME; trace_id is always returned.",
);

export const threadFigures = figures(THREAD_FIGURES);

const v2Window = {
  min_start_time: maybe(
    text({ description: "Rows that started at this time or later; ISO 8601; 24 hours ago by default." }),
  ),
  max_start_time: maybe(
    text({ description: "Rows that started before this time; same format; now by default." }),
  ),
};

const pageSize = (most: number, standard: number, of: string) =>
  integer({
    minimum: 1,
    maximum: most,
    description: `Maximum number of ${of} of a page; ${standard} by default.`,
  });

/** Cursors contain a time and an id; those of projects by name contain a name, with up to 12 characters for each of its. */
const CURSOR_CHARACTERS = { standard: 500, ofNames: 15_000 };

const nextCursor = (maxLength: number) =>
  text({ maxLength, description: "next_cursor of the previous page." });

/** Pages of threads, of traces of a thread, and of projects. */
export const DEFAULT_PAGE_SIZE = 20;

const postPage = (most: number, standard: number, of: string) => ({
  page_size: maybe(pageSize(most, standard, of)),
  cursor: maybe(nextCursor(CURSOR_CHARACTERS.standard)),
});

export const getPage = (of: string, cursorCharacters = CURSOR_CHARACTERS.standard) => ({
  page_size: optional(pageSize(100, DEFAULT_PAGE_SIZE, of)),
  cursor: optional(nextCursor(cursorCharacters)),
});

const notEmulated = (description: string) =>
  maybe(text({ ...extension, description: `${description}; not emulated, so it is refused.` }));

const projectId = uuid({ description: "Tracing project of the rows." });

/** The query for rows in the format of the newest public client. */
export const runQueryV2 = object(
  {
    project_ids: listOf(uuid(), {
      minItems: 1,
      maxItems: MAX_IDS,
      description: "Tracing projects of the rows.",
    }),
    ids: ids("The rows themselves."),
    trace_id: maybe(uuid({ description: "Rows of this trace." })),
    reference_examples: ids("Rows that were run on one of these examples."),
    run_type: maybe(
      text({ pattern: "^[^a-z]+$", description: "Kind of step in upper case, for example LLM." }),
    ),
    is_root: maybe(boolean({ description: "Only rows without a caller, or only those with one." })),
    has_error: maybe(boolean({ description: "Only rows with an error, or only those without." })),
    filter: filterText("Expression for the rows themselves."),
    trace_filter: filterText("Expression for the root row of their trace."),
    tree_filter: filterText("Expression for any row of their trace."),
    ...v2Window,
    selects: maybe(v2Selects),
    ...postPage(1_000, 100, "rows"),
    ai_search: notEmulated("A criterion in natural language"),
  },
  extension,
);

/** The query for traces: root rows with the totals of their trace. */
export const traceQuery = object(
  {
    project_id: projectId,
    trace_ids: ids("The traces themselves."),
    trace_filter: filterText("Expression for the root row of the trace."),
    tree_filter: filterText("Expression for any row of the trace."),
    ...v2Window,
    selects: maybe(v2Selects),
    ...postPage(1_000, 100, "traces"),
    ai_search: notEmulated("A criterion in natural language"),
  },
  extension,
);

const threadSelection = {
  project_id: projectId,
  filter: filterText("Expression for the root rows that count."),
  trace_filter: filterText("Expression for the root row of at least one trace of the thread."),
  tree_filter: filterText("Expression for any row of at least one trace of the thread."),
  thread_filter: notEmulated("Expression for the thread as a whole"),
  ...v2Window,
};

/** The query for threads, latest activity first. */
export const threadQuery = object(
  {
    ...threadSelection,
    ...postPage(100, DEFAULT_PAGE_SIZE, "threads"),
    ai_search: notEmulated("A criterion in natural language"),
  },
  extension,
);

/** The query for statistics of all threads of a project. */
export const allThreadsQuery = object(
  { ...threadSelection, select: figures(ALL_THREADS_FIGURES) },
  extension,
);

export const projectListV2 = {
  id: optional(listOf(uuid(), { description: "Return only these projects." })),
  name: optional(text({ description: "Return only the project with exactly this name." })),
  name_contains: optional(text({ description: "Return only projects whose name contains this text." })),
  include_stats: optional(boolean({ description: "Whether to add the figures of their root rows." })),
  sort_by: optional(oneOf(["NAME", "START_TIME"], { description: "Order; by start_time by default." })),
  sort_order: optional(oneOf(["asc", "desc"], { description: "Direction; latest first by default." })),
  ...getPage("projects", CURSOR_CHARACTERS.ofNames),
};

const v2Page = <T>(items: Field<T>, of: string) =>
  object(
    {
      items: listOf(items, { description: `${of} of this page.` }),
      next_cursor: nullable(text({ description: "Cursor of the next page; null on the last page." })),
    },
    extension,
  );

/** A page of rows in the format of the newest public client. */
export const runPageV2 = v2Page(row, "Rows");

export const runV2 = freeForm({
  ...extension,
  description: "A row in the format of the newest public client.",
});

const trace = object({
  root_run: row,
  trace_aggregates: optional(
    freeForm({ ...extension, description: "Tokens, costs and first_token_time of the trace, if selected." }),
  ),
});

export const tracePage = v2Page(trace, "Traces");

/** All rows of a trace. */
export const traceRuns = object(
  { items: listOf(row, { description: "Rows of the trace, in the order of their start." }) },
  extension,
);

export const threadTracePage = v2Page(row, "Traces");

/** What the turns of a thread come to; members without a value are omitted. */
const thread = object({
  thread_id: text({ description: "The thread." }),
  count: integer({ description: "Root rows (turns) in the time range." }),
  num_errored_turns: integer({ description: "Those of them that failed." }),
  start_time: dateTime({ description: "When the latest turn started; the threads are sorted by it." }),
  min_start_time: dateTime({ description: "When the first turn started." }),
  max_start_time: dateTime({ description: "When the latest turn started." }),
  trace_id: uuid({ description: "Trace of the latest turn." }),
  first_trace_id: uuid({ description: "Trace of the first turn." }),
  last_trace_id: uuid({ description: "Trace of the latest turn." }),
  first_inputs: optional(text({ description: "Beginning of the inputs of the first turn." })),
  last_outputs: optional(text({ description: "Beginning of the outputs of the latest turn." })),
  last_error: optional(text({ description: "Beginning of the latest error." })),
  latency_p50: optional(number({ description: "Seconds that half of the ended turns took at most." })),
  latency_p99: optional(number({ description: "Seconds that 99 of 100 ended turns took at most." })),
  total_tokens: integer({ description: "Tokens of the turns." }),
  total_cost: optional(number({ description: "Cost of the turns." })),
  feedback_stats: optional(freeForm({ description: "Feedback by key: how many, and their average score." })),
});

export const threadPage = v2Page(thread, "Threads");

/** Figures in the members that `selects` names; those without a value are omitted. */
export const selectedFigures = freeForm({ ...extension, description: "The requested figures." });

export const runUrl = object(
  { url: text({ description: "Address of the row in the platform's web app." }) },
  extension,
);

export const projectPageV2 = v2Page(
  freeForm({ ...extension, description: "The members of a project, and `type`, which is PROJECT." }),
  "Projects",
);
