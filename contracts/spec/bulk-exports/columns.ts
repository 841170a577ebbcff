/**
 * §2.7: the columns of an exported file, in the order in which the specification lists them.
 * `v1` and `v2` name the Parquet type of a column in the default format and in `v2_beta`
 * (§2.5 format_version; the types are our reading of "enhanced column datatypes", see the assumptions).
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
}

const text = { v1: "string", v2: "string" } as const;
const optionalText = { ...text, nullable: true } as const;
const texts = { v1: "string", v2: "strings" } as const;
const json = { v1: "string", v2: "json" } as const;
const time = { v1: "local_timestamp", v2: "timestamp" } as const;
const optionalTime = { ...time, nullable: true } as const;
const tokens = { v1: "int64", v2: "int64", nullable: true } as const;
const cost = { v1: "double", v2: "decimal", nullable: true } as const;

/** In the order in which files have them unless `export_fields` asks for another. */
export const EXPORT_COLUMNS = {
  id: text,
  tenant_id: text,
  session_id: text,
  trace_id: text,
  parent_run_id: optionalText,
  parent_run_ids: texts,
  reference_example_id: optionalText,

  name: text,
  run_type: text,
  start_time: time,
  end_time: optionalTime,
  status: text,
  is_root: { v1: "boolean", v2: "boolean" },
  dotted_order: text,
  trace_tier: optionalText,

  inputs: json,
  outputs: json,
  error: optionalText,
  extra: json,
  events: json,

  tags: texts,
  feedback_stats: json,

  total_tokens: tokens,
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_cost: cost,
  prompt_cost: cost,
  completion_cost: cost,
  first_token_time: optionalTime,
} as const satisfies Record<string, Column>;

export type ColumnName = keyof typeof EXPORT_COLUMNS;

export const COLUMN_NAMES = Object.keys(EXPORT_COLUMNS) as readonly ColumnName[];

/** What a trace row keeps for a column, by its type in `v2_beta`. */
interface KeptTypes {
  readonly string: string;
  /** The JSON value itself. */
  readonly json: unknown;
  readonly strings: readonly string[];
  readonly boolean: boolean;
  readonly int64: number;
  readonly double: number;
  /** A decimal numeral: no rounding on the way. */
  readonly decimal: string;
  /** ISO 8601 UTC with six decimals and `Z`. */
  readonly timestamp: string;
  readonly local_timestamp: string;
}

type KeptValue<C extends Column> =
  | KeptTypes[C["v2"]]
  | (C extends { readonly nullable: true } ? null : never);

/** A trace row as it is kept and exported: a value per column but `tenant_id`, which is a part of where it is kept. */
export type TraceRow = {
  readonly [Name in Exclude<ColumnName, "tenant_id">]: KeptValue<(typeof EXPORT_COLUMNS)[Name]>;
};
