import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { comparableScalar, markedName, plainName, plainNumber } from "../../../contracts/spec/exact-json.ts";
import { FILTER_BOUNDS, type FilterEntries } from "../../../contracts/spec/filter-language.ts";
import { valueOf } from "../json-text.ts";
import { isJsonObject, objectAt } from "../traces/json.ts";

/** A predicate on the content of one entry; its form depends on the kind of entries. */
export type ContentTest = (content: unknown) => boolean;
type EntryTest = (content: unknown, key: string) => boolean;

/**
 * The entries of a row: keys with their contents. Each method stops at the first entry that passes; only
 * `some`, which needs the keys, builds dotted keys.
 */
export interface Entries {
  /** Whether an entry of exactly this key passes. */
  someAt(row: TraceRow, key: string, test: ContentTest): boolean;
  some(row: TraceRow, test: EntryTest): boolean;
  someContent(row: TraceRow, test: ContentTest): boolean;
}

/**
 * The members of nested JSON, with dotted keys: `{"messages":[{"content":"a"}]}` has `messages` and
 * `messages.content`. Arrays do not contribute to keys. The content of an object or an empty array is null.
 */
function nestedEntries(contentOf: (row: TraceRow) => unknown): Entries {
  return {
    someAt: (row, key, test) => someAt(contentOf(row), key, 0, test),
    some: (row, test) => some(contentOf(row), undefined, test),
    someContent: (row, test) => someContent(contentOf(row), false, test),
  };
}

/** A row's feedback, aggregated by key: `{"score":{"n":1,"avg":0.5,"values":{"good":1}}}`. */
const FEEDBACK: Entries = {
  someAt(row, key, test) {
    const stats = valueOf(row.feedback_stats);
    return isJsonObject(stats) && Object.hasOwn(stats, markedName(key)) && test(stats[markedName(key)]);
  },
  some(row, test) {
    const stats = valueOf(row.feedback_stats);
    return isJsonObject(stats) && Object.keys(stats).some((key) => test(stats[key], plainName(key)));
  },
  someContent(row, test) {
    const stats = valueOf(row.feedback_stats);
    return isJsonObject(stats) && Object.values(stats).some(test);
  },
};

/** How pair fields (`metadata_key`, `metadata_value`) read their entries from a row. */
export const ENTRIES: Readonly<Record<FilterEntries, Entries>> = {
  metadata: nestedEntries(metadataOf),
  input: nestedEntries((row) => valueOf(row.inputs)),
  output: nestedEntries((row) => valueOf(row.outputs)),
  feedback: FEEDBACK,
};

/** The column that has them. */
export const COLUMN_OF_ENTRIES = {
  metadata: "extra",
  input: "inputs",
  output: "outputs",
  feedback: "feedback_stats",
} as const satisfies Record<FilterEntries, keyof TraceRow>;

/** The metadata of a row is the member `metadata` of the column `extra`. */
export function metadataOf(row: TraceRow): unknown {
  return objectAt(valueOf(row.extra), "metadata");
}

/** The average of a feedback key; null when it has none. */
export function scoreOf(content: unknown): number | null {
  const score = plainNumber(isJsonObject(content) ? content.avg : content);
  return typeof score === "number" ? score : null;
}

/** The values of a feedback key; strings, since they are stored as member names. */
export function feedbackValuesOf(content: unknown): readonly (string | boolean)[] {
  if (typeof content === "string" || typeof content === "boolean") return [content];
  const values = isJsonObject(content) ? content.values : undefined;
  return isJsonObject(values) ? Object.keys(values).map(plainName) : [];
}

/** Tests the members at a dotted key, whose parts may themselves contain dots; visits each member once. */
function someAt(value: unknown, key: string, at: number, test: ContentTest): boolean {
  if (Array.isArray(value)) return value.some((inner) => someAt(inner, key, at, test));
  if (!isJsonObject(value)) return false;
  for (const memberName in value) {
    const name = plainName(memberName);
    if (!key.startsWith(name, at)) continue;
    const end = at + name.length;
    if (
      end === key.length
        ? someHere(value[memberName], test)
        : key[end] === "." && someAt(value[memberName], key, end + 1, test)
    )
      return true;
  }
  return false;
}

function someHere(value: unknown, test: ContentTest): boolean {
  if (!Array.isArray(value)) return test(isJsonObject(value) ? null : comparableScalar(value));
  return value.length === 0 ? test(null) : value.some((inner) => someHere(inner, test));
}

function some(value: unknown, key: string | undefined, test: EntryTest): boolean {
  if (Array.isArray(value)) {
    if (value.length === 0) return key !== undefined && test(null, key);
    return value.some((inner) => some(inner, key, test));
  }
  if (!isJsonObject(value)) return key !== undefined && test(comparableScalar(value), key);
  if (key !== undefined && test(null, key)) return true;
  const prefix = key === undefined ? "" : `${key}.`;
  // A test reads each key as a whole: below a long one this would be the product of its length and the number of members.
  if (prefix.length > FILTER_BOUNDS.prefixCharacters) return false;
  for (const name in value) if (some(value[name], prefix + plainName(name), test)) return true;
  return false;
}

function someContent(value: unknown, isMember: boolean, test: ContentTest): boolean {
  if (Array.isArray(value)) {
    if (value.length === 0) return isMember && test(null);
    return value.some((inner) => someContent(inner, isMember, test));
  }
  if (!isJsonObject(value)) return isMember && test(comparableScalar(value));
  if (isMember && test(null)) return true;
  for (const name in value) if (someContent(value[name], true, test)) return true;
  return false;
}
