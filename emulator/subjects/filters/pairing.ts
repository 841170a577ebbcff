import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import type { FieldComparator, FilterEntries } from "../../../contracts/spec/filter-language.ts";
import { type ContentTest, ENTRIES, feedbackValuesOf, scoreOf } from "./entries.ts";
import { type Comparison, entriesOf, type Filter, fieldRow, type Scalar } from "./filter.ts";
import { anyTypeTest, sameTypeTest } from "./values.ts";

/** The condition formed by comparisons of the same entries in one `and`. */
export interface EntryCondition {
  /** True: no entry may pass all comparisons. False: at least one entry must. */
  readonly absent: boolean;
  readonly comparisons: readonly Comparison[];
}

/** Negative comparators; without a key condition, no entry may pass their opposite. */
const OPPOSITES: Readonly<Partial<Record<FieldComparator, FieldComparator>>> = { neq: "eq", notlike: "like" };

/** A part of an `and`: a condition, or the comparisons of the same entries as one group. */
export type Part = { readonly filter: Filter } | { readonly comparisons: readonly Comparison[] };

/** Splits an `and` into parts; a group takes the position of its first comparison. */
export function partsOf(filters: readonly Filter[]): readonly Part[] {
  const parts: Part[] = [];
  const groups = new Map<FilterEntries, Comparison[]>();
  for (const filter of filters) {
    const entries = entriesOf(filter);
    const group = entries && groups.get(entries);
    if (!entries) parts.push({ filter });
    else if (group) group.push(filter as Comparison);
    else {
      const comparisons = [filter as Comparison];
      groups.set(entries, comparisons);
      parts.push({ comparisons });
    }
  }
  return parts;
}

/**
 * Comparisons of the same entries in one `and`:
 * - positive key comparisons (eq, in, like) and value comparisons must hold for the same entry;
 * - neq and notlike of a key mean that no entry has the key;
 * - neq and notlike of a value refer to that same entry if there is a positive key comparison; otherwise they
 *   mean that no entry has the value.
 */
export function entryConditions(comparisons: readonly Comparison[]): readonly EntryCondition[] {
  const isKey = ({ field }: Comparison) => fieldRow(field).kind === "key";
  const hasKeyCondition = comparisons.some((one) => isKey(one) && !OPPOSITES[one.op]);
  const absent = (one: Comparison) => OPPOSITES[one.op] !== undefined && (isKey(one) || !hasKeyCondition);
  const present = comparisons.filter((one) => !absent(one));
  return [
    ...(present.length > 0 ? [{ absent: false, comparisons: present }] : []),
    ...comparisons.filter(absent).map((one) => ({
      absent: true,
      comparisons: [{ ...one, op: OPPOSITES[one.op] as FieldComparator }],
    })),
  ];
}

/** Compiles an entry condition: whether some entry (or, if `absent`, none) passes all comparisons. */
export function entryConditionTest({ absent, comparisons }: EntryCondition): (row: TraceRow) => boolean {
  const some = someTest(comparisons);
  return absent ? (row) => !some(row) : some;
}

/** Whether a row has an entry that passes all comparisons. */
function someTest(comparisons: readonly Comparison[]): (row: TraceRow) => boolean {
  const entries = ENTRIES[entriesOf(comparisons[0] as Comparison) as FilterEntries];
  const keys = comparisons.filter(({ field }) => fieldRow(field).kind === "key");
  const content = everyTest(comparisons.filter((one) => !keys.includes(one)).map(contentTest));
  const exact = keys.find(({ op }) => op === "eq");
  const keyTest = everyTest(
    keys.filter((one) => one !== exact).map(({ op, value }) => sameTypeTest(op, value)),
  );
  if (exact) {
    const key = exact.value as string;
    return keyTest(key) ? (row) => entries.someAt(row, key, content) : () => false;
  }
  if (keys.length === 0) return (row) => entries.someContent(row, content);
  return (row) => entries.some(row, (entryContent, key) => keyTest(key) && content(entryContent));
}

function contentTest({ op, field, value }: Comparison): ContentTest {
  if (field === "feedback_score") {
    const test = sameTypeTest(op, value);
    return (content) => test(scoreOf(content));
  }
  const test = anyTypeTest(op, value);
  if (field !== "feedback_value") return (content) => test(content as Scalar | null);
  // A feedback key can have several values; neq and notlike require that none of them matches.
  if (!OPPOSITES[op]) return (content) => feedbackValuesOf(content).some(test);
  return (content) => feedbackValuesOf(content).every(test);
}

function everyTest<T>(tests: readonly ((value: T) => boolean)[]): (value: T) => boolean {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (value) => tests.every((test) => test(value));
}
