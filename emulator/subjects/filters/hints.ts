import {
  FILTER_COMPARATORS,
  FILTER_FIELDS,
  FILTER_OPERATORS,
  type FilterField,
} from "../../../contracts/spec/filter-language.ts";
import { nearest } from "../../kernel/nearest.ts";
import { excerpt } from "./problem.ts";

const FUNCTIONS = [...Object.keys(FILTER_OPERATORS), ...Object.keys(FILTER_COMPARATORS)];
const FIELDS = Object.keys(FILTER_FIELDS);

/** Names from other languages that are too different for the spelling suggestion. */
const FUNCTION_ALIASES: Readonly<Record<string, string>> = {
  equals: "eq",
  equal: "eq",
  ne: "neq",
  not_eq: "neq",
  ge: "gte",
  le: "lte",
  contains: "like",
  ilike: "like",
  startswith: "like",
  endswith: "like",
  not_like: "notlike",
  includes: "has",
  any: "or",
  all: "and",
};

const FIELD_ALIASES: Readonly<Record<string, string>> = {
  type: "run_type",
  duration: "latency",
  root: "is_root",
  project_id: "session_id",
  run_id: "id",
  created_at: "start_time",
};

/** Longer names get no spelling suggestion, since comparing them would be slow. */
const MAX_NAME_CHARACTERS = 64;

/** A suggestion for an unknown function, or the list of functions. */
export function functionHint(name: string): string {
  return suggestionOr(name, FUNCTION_ALIASES, FUNCTIONS);
}

/** A suggestion for an unknown field, or the list of fields. */
export function fieldHint(name: string): string {
  const nested = /^(?:extra\.)?(metadata|input|output)s?\.(.+)$/.exec(name);
  if (nested) {
    const [, entries, key = ""] = nested;
    return `Write and(eq(${entries}_key, ${excerpt(key)}), eq(${entries}_value, …)).`;
  }
  return suggestionOr(name, FIELD_ALIASES, FIELDS);
}

function suggestionOr(
  name: string,
  words: Readonly<Record<string, string>>,
  names: readonly string[],
): string {
  const small = name.toLowerCase();
  const alias = Object.hasOwn(words, small) ? words[small] : undefined;
  const near = name.length > MAX_NAME_CHARACTERS ? undefined : nearest(name, names);
  const suggestion = alias ?? near;
  return suggestion ? `Did you mean ${suggestion}?` : `Use one of ${names.join(", ")}.`;
}

/** What to write in place of a comparison with null. */
export function nullHint(field: FilterField): string {
  if (field === "end_time" || field === "latency")
    return 'Write eq(status, "pending") for rows that have no end yet.';
  if (field === "error") return 'Write neq(status, "error") for rows without an error.';
  if (field === "parent_run_id") return "Write eq(is_root, true) for rows without a caller.";
  if (field === "metadata_value" || field === "input_value" || field === "output_value")
    return `Write neq(${field.replace("value", "key")}, "…") for rows without the key.`;
  return "Every comparison needs a value.";
}

/** What to write in place of a comparator that the field does not support. */
export function comparatorHint(field: FilterField, takes: readonly string[]): string {
  if (field === "tags") return 'Write has(tags, "…"), or not(has(tags, "…")).';
  if (field === "inputs" || field === "outputs")
    return `Write like(${field}, "%…%"), or compare ${field.slice(0, -1)}_key and ${field.slice(0, -1)}_value.`;
  if (field === "parent_run_ids") return 'Write has(parent_run_ids, "…") with the id of a caller.';
  if (field === "metadata") return "Write has or exists, or compare metadata_key and metadata_value.";
  return `It takes ${takes.join(", ")}.`;
}
