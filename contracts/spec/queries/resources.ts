import {
  anything,
  boolean,
  dateTime,
  type Field,
  freeForm,
  integer,
  listOf,
  maybe,
  nullable,
  number,
  type OptionalField,
  object,
  oneOf,
  optional,
  type TypeOf,
  text,
  uuid,
} from "../fields.ts";

export const extension = { "x-requirement": "X-1" };

/** §8.5 names the path of queries only; public clients ask for at most so many rows in a page. */
export const MAX_PAGE_ROWS = 100;

/** What one page looks at, whatever it finds. */
export const SCAN_BOUNDS = { rows: 5_000, bytes: 32 * 1024 * 1024 } as const;

export const MAX_IDS = 1_000;

export const filterText = (description: string) => maybe(text({ ...extension, description }));
export const ids = (description: string) => maybe(listOf(uuid(), { maxItems: MAX_IDS, description }));
const value = (description: string) => anything({ ...extension, description });

/** Which rows are meant; without projects the rows, trace or parent have to be named. */
const selection = {
  session: ids("Tracing projects of the rows."),
  id: ids("The rows themselves."),
  trace: maybe(uuid({ description: "Rows of this trace." })),
  parent_run: maybe(uuid({ description: "Rows that this row called." })),
  reference_example: ids("Rows that were run on one of these examples."),
  run_type: maybe(text({ description: "Kind of step." })),
  is_root: maybe(boolean({ description: "Only rows without a caller, or only those with one." })),
  error: maybe(boolean({ description: "Only rows with an error, or only those without." })),
  query: filterText("Text that the inputs or outputs contain."),
  filter: filterText("Expression for the rows themselves."),
  trace_filter: filterText("Expression for the root row of their trace."),
  tree_filter: filterText("Expression for any row of their trace."),
  start_time: maybe(
    text({ description: "Rows that started at this time or later; ISO 8601, UTC without a zone." }),
  ),
  end_time: maybe(text({ description: "Rows that started before this time; same format." })),
};

/** A query for rows, in the order of their start and page by page. */
export const runQuery = object(
  {
    ...selection,
    select: maybe(listOf(text(), { maxItems: 200, description: "Members to return; all by default." })),
    order: maybe(oneOf(["asc", "desc"], { description: "Order by start_time; latest first by default." })),
    limit: maybe(
      integer({
        minimum: 1,
        maximum: MAX_PAGE_ROWS,
        description: "Maximum number of rows of a page; 100 by default.",
      }),
    ),
    cursor: maybe(text({ maxLength: 500, description: "cursors.next of the previous page." })),
  },
  extension,
);

/** A selection of rows that are summed up. */
export const runStatsQuery = object(selection, extension);

export const row = freeForm({ ...extension, description: "The requested members of a row." });

/** A page of rows, with the cursor for the next one. */
export const runPage = object(
  {
    runs: listOf(row, { description: "Rows of this page." }),
    cursors: object(
      {
        next: nullable(text({ description: "Cursor of the next page; null on the last page." })),
        prev: nullable(text({ description: "Always null: pages are read forward." })),
      },
      { description: "Cursors of further pages." },
    ),
    parsed_query: nullable(
      text({ description: "Always null: queries in natural language are not supported." }),
    ),
  },
  extension,
);

const figure = (description: string) => nullable(number({ ...extension, description }));
const cost = (description: string) => nullable(text({ ...extension, description }));

const statsFields = {
  run_count: integer({ description: "Rows." }),
  error_rate: figure("Share of the rows that failed; null without rows."),
  latency_p50: figure("Seconds that half of the ended rows took at most."),
  latency_p99: figure("Seconds that 99 of 100 ended rows took at most."),
  latency_avg: figure("Seconds that an ended row took on average."),
  first_token_p50: figure("Seconds until the first token, for half of those that had one."),
  first_token_p99: figure("Seconds until the first token, for 99 of 100."),
  streaming_rate: figure("Share of the rows with a first token."),
  total_tokens: integer({ description: "Tokens of the selected rows, each counted where it was used." }),
  prompt_tokens: integer({ description: "Tokens of prompts, likewise." }),
  completion_tokens: integer({ description: "Tokens of completions, likewise." }),
  median_tokens: figure("Tokens of the row in the middle, among those with any."),
  total_cost: cost("Cost as decimal text, each counted where it arose."),
  prompt_cost: cost("Cost of prompts, likewise."),
  completion_cost: cost("Cost of completions, likewise."),
  last_run_start_time: nullable(dateTime({ description: "When the latest of them started." })),
  feedback_stats: value("Feedback by key: how many, and their average score."),
};

/** What the selected rows come to. */
export const runStats = object(statsFields, extension);

/** The same figures of a project; absent unless they were requested. */
export const projectStats = Object.fromEntries(
  Object.entries(statsFields).map(([name, field]) => [name, optional(field as Field<unknown>)]),
) as { readonly [Name in keyof typeof statsFields]: OptionalField<TypeOf<(typeof statsFields)[Name]>> };

/** What feedback says, which can be changed. */
const feedbackContent = {
  score: optional(value("A number or a boolean.")),
  value: optional(value("A value that is not a number.")),
  comment: maybe(text({ description: "Comment text." })),
  correction: optional(value("What it should have been.")),
};

const feedbackFields = {
  run_id: maybe(uuid({ description: "Row to which it belongs." })),
  trace_id: maybe(uuid({ description: "Trace of that row." })),
  session_id: maybe(
    uuid({ description: "Tracing project to which it belongs, if it does not belong to a row." }),
  ),
  key: text({ minLength: 1, maxLength: 180, description: "The kind of feedback." }),
  ...feedbackContent,
  feedback_source: maybe(freeForm({ description: "Source of the feedback." })),
  extra: maybe(freeForm({ description: "Data from the client." })),
};

export const feedbackCreate = object(
  {
    id: maybe(
      uuid({ description: "Identifier to use instead of a new one; existing feedback with it is replaced." }),
    ),
    created_at: maybe(dateTime({ description: "When it was created." })),
    ...feedbackFields,
  },
  extension,
);

export const feedbackUpdate = object(feedbackContent, extension);

/** Feedback on a row. */
export const feedback = object(
  {
    id: uuid({ description: "Identifier." }),
    run_id: nullable(uuid({ description: "Row to which it belongs." })),
    trace_id: nullable(uuid({ description: "Trace of that row." })),
    session_id: nullable(uuid({ description: "Tracing project to which it belongs." })),
    key: text({ description: "The kind of feedback." }),
    score: value("A number or a boolean; null when none was given."),
    value: value("A value that is not a number."),
    comment: nullable(text({ description: "Comment text." })),
    correction: value("What it should have been."),
    feedback_source: nullable(freeForm({ description: "Source of the feedback." })),
    extra: nullable(freeForm({ description: "Data from the client." })),
    created_at: dateTime({ description: "When it was created." }),
    modified_at: dateTime({ description: "When it was last changed." }),
  },
  extension,
);
