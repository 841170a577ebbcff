/**
 * §2.5 filter: the query language as data. The specification shows and, eq and like; the rest is what
 * public clients are documented to send (see the assumptions `export.filter_…`).
 */

import { type Column, type ColumnName, type ColumnType, EXPORT_COLUMNS } from "./bulk-exports/columns.ts";

/** A function whose arguments are conditions. */
export interface FilterOperator {
  readonly text: string;
  /** Conditions that it takes at least and at most; without a maximum, as many as the bounds allow. */
  readonly least: number;
  readonly most?: number;
}

export const FILTER_OPERATORS = {
  and: { text: "All of its conditions hold; key and value conditions pair up.", least: 1 },
  or: { text: "One of its conditions holds.", least: 1 },
  not: { text: "Its condition does not hold.", least: 1, most: 1 },
} as const satisfies Record<string, FilterOperator>;

/** A function that is a condition itself. */
export interface FilterComparatorRow {
  readonly text: string;
  /** How many arguments it takes; where there are two, the first one is a field. */
  readonly takes: 1 | 2;
}

export const FILTER_COMPARATORS = {
  eq: { text: "The field has this value.", takes: 2 },
  neq: { text: "The opposite of eq: a row without a value matches.", takes: 2 },
  gt: { text: "Greater, or later.", takes: 2 },
  gte: { text: "Greater or equal, or not earlier.", takes: 2 },
  lt: { text: "Less, or earlier.", takes: 2 },
  lte: { text: "Less or equal, or not later.", takes: 2 },
  in: { text: "The field has one of the values of a list.", takes: 2 },
  like: {
    text: "The text matches a pattern: % is any text, _ any character, and a backslash escapes them.",
    takes: 2,
  },
  notlike: { text: "The opposite of like.", takes: 2 },
  has: { text: "The labels include one, or the metadata a JSON object.", takes: 2 },
  exists: { text: "The metadata has a key.", takes: 2 },
  search: { text: "The inputs or outputs contain a text, whatever its case.", takes: 1 },
} as const satisfies Record<string, FilterComparatorRow>;

export type FilterOperatorName = keyof typeof FILTER_OPERATORS;
export type FilterComparator = keyof typeof FILTER_COMPARATORS;
/** A comparator whose first argument is a field. */
export type FieldComparator = Exclude<FilterComparator, "search">;

/** The comparators and values of a kind of field. */
export interface FilterKind {
  readonly comparators: readonly FieldComparator[];
  /** Those of them that the service was seen to refuse (`export.filter_fields`). */
  readonly refused?: readonly FieldComparator[];
  /** The value that it is compared with, as a phrase. */
  readonly value: string;
}

const equality = ["eq", "neq"] as const;
const order = ["gt", "gte", "lt", "lte"] as const;
const patterns = ["like", "notlike"] as const;

/** Kinds of fields: which comparators take them, with what values. */
export const FILTER_KINDS = {
  identifier: { comparators: [...equality, "in", ...patterns], refused: patterns, value: "a uuid in quotes" },
  text: { comparators: [...equality, "in", ...patterns], value: "a text in quotes" },
  thread: { comparators: [...equality, "in", ...patterns], value: "a text in quotes" },
  sortable_text: { comparators: [...equality, ...order, "in", ...patterns], value: "a text in quotes" },
  time: { comparators: [...equality, ...order], value: 'a date or a time such as "2026-01-31T12:00:00Z"' },
  duration: { comparators: [...equality, ...order], value: 'a number of seconds or a text such as "1.5s"' },
  boolean: { comparators: equality, value: "true or false, without quotes" },
  labels: {
    comparators: ["has", ...equality, ...patterns],
    refused: [...equality, ...patterns],
    value: "a text in quotes",
  },
  document: { comparators: [...patterns, ...equality], refused: equality, value: "a text in quotes" },
  metadata: { comparators: ["has", "exists"], value: "a JSON object in single quotes, or a key in quotes" },
  key: { comparators: [...equality, "in", ...patterns], value: "a key in quotes" },
  value: {
    comparators: [...equality, ...order, "in", ...patterns],
    value: "a text in quotes, a number or a boolean",
  },
  score: { comparators: [...equality, ...order], value: "a number" },
  figure: { comparators: [...equality, ...order, "in"], value: "a number" },
  identifiers: {
    comparators: ["has", ...equality, ...patterns],
    refused: [...equality, ...patterns],
    value: "a uuid in quotes",
  },
} as const satisfies Record<string, FilterKind>;

export type FilterKindName = keyof typeof FILTER_KINDS;

/** What keys and values belong to: the entries of a row's metadata, inputs, outputs and feedback. */
export type FilterEntries = "metadata" | "input" | "output" | "feedback";

/** A field of a row that filters can name. */
export interface FilterFieldRow {
  readonly kind: FilterKindName;
  readonly entries?: FilterEntries;
}

const KINDS_BY_TYPE = {
  string: "text",
  json: "document",
  strings: "labels",
  boolean: "boolean",
  int64: "figure",
  double: "figure",
  decimal: "figure",
  timestamp: "time",
  local_timestamp: "time",
} as const satisfies Record<ColumnType, FilterKindName>;

type KindOf<C extends Column> = C extends { readonly format: "uuid" }
  ? "identifier"
  : (typeof KINDS_BY_TYPE)[C["v2"]];

const columnFields = Object.fromEntries(
  Object.entries<Column>(EXPORT_COLUMNS).map(([name, { v2, format }]) => [
    name,
    { kind: format === "uuid" ? "identifier" : KINDS_BY_TYPE[v2] },
  ]),
) as { readonly [Name in ColumnName]: { readonly kind: KindOf<(typeof EXPORT_COLUMNS)[Name]> } };

/** The names that filters use: every column, and further fields of a row. */
export const FILTER_FIELDS = {
  ...columnFields,
  parent_run_ids: { kind: "identifiers" },
  dotted_order: { kind: "sortable_text" },
  latency: { kind: "duration" },
  thread_id: { kind: "thread" },
  metadata: { kind: "metadata" },
  metadata_key: { kind: "key", entries: "metadata" },
  metadata_value: { kind: "value", entries: "metadata" },
  input_key: { kind: "key", entries: "input" },
  input_value: { kind: "value", entries: "input" },
  output_key: { kind: "key", entries: "output" },
  output_value: { kind: "value", entries: "output" },
  feedback_key: { kind: "key", entries: "feedback" },
  feedback_score: { kind: "score", entries: "feedback" },
  feedback_value: { kind: "value", entries: "feedback" },
} as const satisfies Record<string, FilterFieldRow>;

export type FilterField = keyof typeof FILTER_FIELDS;

const figures = "Export the column and filter what you read.";

/** Names that clients send but that are not columns of an export, with the replacement. */
export const UNFILTERABLE_FIELDS: Readonly<Record<string, string>> = {
  execution_order: "Write eq(is_root, true) for the first row of each trace, or compare start_time.",
};

/** Columns that the service was seen to refuse in a filter, or their like; with what to do instead (`export.filter_fields`). */
export const REFUSED_FIELDS: Readonly<Record<string, string>> = {
  error: 'Write eq(status, "error") for rows with an error, neq(status, "error") for the others.',
  total_tokens: figures,
  prompt_tokens: figures,
  completion_tokens: figures,
  total_cost: figures,
  prompt_cost: figures,
  completion_cost: figures,
  parent_run_ids: "Write eq(parent_run_id, …) for the direct caller, eq(trace_id, …) for the whole trace.",
  tenant_id: "An export holds the rows of one workspace only.",
  extra: "Write metadata, metadata_key and metadata_value for what is in its metadata.",
  events: "Write search, input_value or output_value for what the row holds.",
  feedback_stats: "Write feedback_key, feedback_score and feedback_value.",
};

/** How large an expression may be. */
export const FILTER_BOUNDS = {
  characters: 65_536,
  nesting: 100,
  arguments: 1_000,
  listItems: 1_000,
  /** Separate groups of `_` between two `%`: each is one more search of the whole text. */
  wildcards: 100,
  /** Members below a longer dotted key fit no list and no pattern of keys. */
  prefixCharacters: 1_000,
} as const;
