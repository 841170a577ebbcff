/**
 * §2.7: the columns of an exported file, in the order in which the specification lists them.
 * `v1` and `v2` name the Parquet type of a column in the default format and in `v2_beta`
 * (§2.5 format_version; the types are our reading of "enhanced column datatypes", see the assumptions).
 */

/** The headings of §2.7 under which the columns are listed. */
export type ColumnGroup =
  | "identifiers_and_hierarchy"
  | "basic_metadata"
  | "run_data"
  | "tags_and_feedback"
  | "token_usage_and_costs";

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
  readonly group: ColumnGroup;
  readonly v1: ColumnType;
  readonly v2: ColumnType;
  /** Not a field of the run data format: it exists in exports only. */
  readonly exportOnly?: true;
}

const identifier = { group: "identifiers_and_hierarchy", v1: "string", v2: "string" } as const;
const metadata = { group: "basic_metadata", v1: "string", v2: "string" } as const;
const time = { group: "basic_metadata", v1: "local_timestamp", v2: "timestamp" } as const;
const data = { group: "run_data", v1: "string", v2: "json" } as const;
const tokens = { group: "token_usage_and_costs", v1: "int64", v2: "int64" } as const;
const cost = { group: "token_usage_and_costs", v1: "double", v2: "decimal" } as const;

/** In the order in which files have them unless `export_fields` asks for another. */
export const EXPORT_COLUMNS = {
  id: identifier,
  tenant_id: { ...identifier, exportOnly: true },
  session_id: identifier,
  trace_id: identifier,
  parent_run_id: identifier,
  parent_run_ids: { group: "identifiers_and_hierarchy", v1: "string", v2: "strings" },
  reference_example_id: identifier,

  name: metadata,
  run_type: metadata,
  start_time: time,
  end_time: time,
  status: metadata,
  is_root: { group: "basic_metadata", v1: "boolean", v2: "boolean", exportOnly: true },
  dotted_order: metadata,
  trace_tier: metadata,

  inputs: data,
  outputs: data,
  error: { group: "run_data", v1: "string", v2: "string" },
  extra: data,
  events: data,

  tags: { group: "tags_and_feedback", v1: "string", v2: "strings" },
  feedback_stats: { group: "tags_and_feedback", v1: "string", v2: "json" },

  total_tokens: tokens,
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_cost: cost,
  prompt_cost: cost,
  completion_cost: cost,
  first_token_time: { group: "token_usage_and_costs", v1: "local_timestamp", v2: "timestamp" },
} as const satisfies Record<string, Column>;

export type ColumnName = keyof typeof EXPORT_COLUMNS;

export const COLUMN_NAMES = Object.keys(EXPORT_COLUMNS) as readonly ColumnName[];

/**
 * A trace row as it is kept and exported: one value per column but `tenant_id`, which the place where
 * the row is kept already says. Times are ISO 8601 UTC with six decimals and `Z`; costs are decimal
 * numerals in text (no rounding on the way); inputs, outputs, extra, events and feedback_stats are
 * the JSON values themselves.
 */
export interface TraceRow {
  readonly id: string;
  readonly session_id: string;
  readonly trace_id: string;
  readonly parent_run_id: string | null;
  readonly parent_run_ids: readonly string[];
  readonly reference_example_id: string | null;
  readonly name: string;
  readonly run_type: string;
  readonly start_time: string;
  readonly end_time: string | null;
  readonly status: string;
  readonly is_root: boolean;
  readonly dotted_order: string;
  readonly trace_tier: string | null;
  readonly error: string | null;
  readonly tags: readonly string[];
  readonly total_tokens: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_cost: string | null;
  readonly prompt_cost: string | null;
  readonly completion_cost: string | null;
  readonly first_token_time: string | null;
  readonly inputs: unknown;
  readonly outputs: unknown;
  readonly extra: unknown;
  readonly events: unknown;
  readonly feedback_stats: unknown;
}
