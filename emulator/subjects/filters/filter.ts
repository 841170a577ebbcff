import type {
  FieldComparator,
  FilterEntries,
  FilterField,
  FilterFieldRow,
} from "../../../contracts/spec/filter-language.ts";
import { FILTER_FIELDS } from "../../../contracts/spec/filter-language.ts";
import type { JsonObject } from "../traces/json.ts";

/** A parsed and checked filter: plain data. */
export type Filter = Junction | Negation | Search | Comparison;

/** At least two conditions; a single one is not wrapped. */
interface Junction {
  readonly op: "and" | "or";
  readonly filters: readonly Filter[];
}

interface Negation {
  readonly op: "not";
  readonly filter: Filter;
}

interface Search {
  readonly op: "search";
  readonly term: string;
}

/** One comparison of a field with a literal: `gt(latency, 1.5)`. */
export interface Comparison {
  readonly op: FieldComparator;
  readonly field: FilterField;
  readonly value: Operand;
}

export type Scalar = string | number | boolean;

/**
 * The form depends on the field: times are ISO 8601 UTC with six decimals, durations seconds, uuids lower
 * case; `in` has a list, `has` of the metadata a JSON object.
 */
export type Operand = Scalar | readonly Scalar[] | JsonObject;

/** The entries that a comparison refers to; undefined for a column of the row. */
export function entriesOf(filter: Filter): FilterEntries | undefined {
  return "field" in filter ? fieldRow(filter.field).entries : undefined;
}

export function fieldRow(field: FilterField): FilterFieldRow {
  return FILTER_FIELDS[field];
}
