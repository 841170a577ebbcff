/** §2.7, §2.8: the content and the paths of exported files, transcribed from the specification independently of the tables. */

/** What a column holds; times are in UTC, `count` is a whole number and `cost` an amount. */
export type ColumnKind = "text" | "texts" | "json" | "boolean" | "time" | "count" | "cost";

/** The columns, in the order of their groups. */
export const COLUMNS = {
  id: "text",
  tenant_id: "text",
  session_id: "text",
  trace_id: "text",
  parent_run_id: "text",
  parent_run_ids: "texts",
  reference_example_id: "text",

  name: "text",
  run_type: "text",
  start_time: "time",
  end_time: "time",
  status: "text",
  is_root: "boolean",
  dotted_order: "text",
  trace_tier: "text",

  inputs: "json",
  outputs: "json",
  error: "text",
  extra: "json",
  events: "json",

  tags: "texts",
  feedback_stats: "json",

  total_tokens: "count",
  prompt_tokens: "count",
  completion_tokens: "count",
  total_cost: "cost",
  prompt_cost: "cost",
  completion_cost: "cost",
  first_token_time: "time",
} as const satisfies Readonly<Record<string, ColumnKind>>;

export type ColumnName = keyof typeof COLUMNS;

export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[];

/** The columns that no client sends and an export may ask for. */
export const EXPORT_ONLY_COLUMNS = ["tenant_id", "is_root"] as const satisfies readonly ColumnName[];

/** What a path of a file names. */
interface FilePlace {
  readonly exportId: string;
  readonly tenantId: string;
  readonly sessionId: string;
}

/** §2.8: the path of an export's days, below the prefix of its destination. */
export function folderOf({ exportId, tenantId, sessionId }: FilePlace): string {
  return `export_id=${exportId}/tenant_id=${tenantId}/session_id=${sessionId}/runs/`;
}
