/**
 * §2.7: the columns of an exported file, in the order of the specification. Stored rows, ingest, the row that the
 * API returns and the Parquet schema are derived from this table.
 * `v1` and `v2` name the Parquet type of a column in the default format and in `v2_beta`
 * (§2.5 format_version; the types are our interpretation of "enhanced column datatypes", see the assumptions).
 */

/**
 * - `string`: UTF-8 text; `json`: a JSON text; `strings`: list of UTF-8 text
 * - `boolean`, `int64`, `double`, `decimal` (fixed point, twelve digits after the point)
 * - `timestamp`: microseconds, UTC (`isAdjustedToUTC`); `local_timestamp`: the same without a zone
 */
export type ColumnType =
  | "string"
  | "json"
  | "strings"
  | "boolean"
  | "int64"
  | "double"
  | "decimal"
  | "timestamp"
  | "local_timestamp";

/** A row of §2.7: a column with its type in either format. */
export interface Column {
  readonly v1: ColumnType;
  readonly v2: ColumnType;
  /** A row may have no value for it. */
  readonly nullable?: true;
  readonly format?: "uuid";
  readonly description: string;
}

const text = (description: string) => ({ v1: "string", v2: "string", description }) as const;
const optionalText = (description: string) => ({ ...text(description), nullable: true }) as const;
const uuid = (description: string) => ({ ...text(description), format: "uuid" }) as const;
const optionalUuid = (description: string) => ({ ...uuid(description), nullable: true }) as const;
const texts = (description: string) => ({ v1: "string", v2: "strings", description }) as const;
const json = (description: string) => ({ v1: "string", v2: "json", description }) as const;
const time = (description: string) => ({ v1: "local_timestamp", v2: "timestamp", description }) as const;
const optionalTime = (description: string) => ({ ...time(description), nullable: true }) as const;
const tokens = (description: string) => ({ v1: "int64", v2: "int64", nullable: true, description }) as const;
const cost = (description: string) => ({ v1: "double", v2: "decimal", nullable: true, description }) as const;

/** In the order of the files, unless `export_fields` requests another order. */
export const EXPORT_COLUMNS = {
  id: uuid("Identifier of the row."),
  tenant_id: uuid("Workspace that owns the row."),
  session_id: uuid("Tracing project of the row."),
  trace_id: uuid("Identifier of the root row of its trace."),
  parent_run_id: optionalUuid("The row that called it; null for a root row."),
  parent_run_ids: texts("Its callers, from the root row down."),
  reference_example_id: optionalUuid("Dataset example that it ran on."),

  name: text("Name of the step."),
  run_type: text("Kind of step, for example chain, llm or tool."),
  start_time: time("When it started."),
  end_time: optionalTime("When it ended; null while it runs."),
  status: text("success, error or pending, unless the client sent another status."),
  is_root: { v1: "boolean", v2: "boolean", description: "Whether it is the root row of its trace." },
  dotted_order: text("Text that sorts the rows of a trace in tree order."),
  trace_tier: optionalText("Retention tier of the trace."),

  inputs: json("Input of the step."),
  outputs: json("Output of the step."),
  error: optionalText("Error message, if it failed."),
  extra: json("Metadata and other data from the client."),
  events: json("Events during the step."),

  tags: texts("Labels."),
  feedback_stats: json("Summary of its feedback."),

  total_tokens: tokens("Total number of tokens."),
  prompt_tokens: tokens("Tokens of the prompt."),
  completion_tokens: tokens("Tokens of the completion."),
  total_cost: cost("Total cost, as decimal text."),
  prompt_cost: cost("Cost of the prompt, as decimal text."),
  completion_cost: cost("Cost of the completion, as decimal text."),
  first_token_time: optionalTime("When the first token arrived."),
} as const satisfies Record<string, Column>;

export type ColumnName = keyof typeof EXPORT_COLUMNS;

export const COLUMN_NAMES = Object.keys(EXPORT_COLUMNS) as readonly ColumnName[];

/** Newer than the specification (platform.newer_features): a file has it only if `export_fields` names it. */
export const FILE_COLUMNS = {
  ...EXPORT_COLUMNS,
  feedbacks: json("Its feedback entries, as a list."),
} as const satisfies Record<string, Column>;

export type FileColumnName = keyof typeof FILE_COLUMNS;

/** The stored value of a column, by its type in `v2_beta`. */
interface StoredTypes {
  readonly string: string;
  /** The JSON value itself. */
  readonly json: unknown;
  readonly strings: readonly string[];
  readonly boolean: boolean;
  readonly int64: number;
  readonly double: number;
  /** A decimal numeral, so that it is never rounded. */
  readonly decimal: string;
  /** ISO 8601 UTC with six decimals and `Z`. */
  readonly timestamp: string;
  readonly local_timestamp: string;
}

type StoredValue<C extends Column> =
  | StoredTypes[C["v2"]]
  | (C extends { readonly nullable: true } ? null : never);

/** A stored trace row: a value per column except `tenant_id`, which is part of its storage path. */
export type TraceRow = {
  readonly [Name in Exclude<ColumnName, "tenant_id">]: StoredValue<(typeof EXPORT_COLUMNS)[Name]>;
};
