import type {
  FieldComparator,
  FilterEntries,
  FilterField,
  FilterFieldRow,
} from "../../../contracts/spec/filter-language.ts";
import { FILTER_FIELDS } from "../../../contracts/spec/filter-language.ts";
import type { JsonObject } from "../traces/json.ts";

/** A filter that has been read and checked: plain data. */
export type Filter = Junction | Negation | Search | Comparison;

/** Two conditions or more: one alone stands for itself. */
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
 * By the field's kind: times are ISO 8601 UTC with six decimals, durations are seconds, uuids are in
 * lower case; `in` has a list, `has` of the metadata a JSON object.
 */
export type Operand = Scalar | readonly Scalar[] | JsonObject;

/** The entries that a comparison is about; undefined when it is about the row itself. */
export function entriesOf(filter: Filter): FilterEntries | undefined {
  return "field" in filter ? fieldRow(filter.field).entries : undefined;
}

export function fieldRow(field: FilterField): FilterFieldRow {
  return FILTER_FIELDS[field];
}
