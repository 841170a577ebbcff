import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { isSameScalar, markedNumeral } from "../../../contracts/spec/exact-json.ts";
import type {
  FILTER_FIELDS,
  FilterEntries,
  FilterField,
  FilterKindName,
} from "../../../contracts/spec/filter-language.ts";
import type { Steps } from "../../kernel/steps.ts";
import { containing } from "../../kernel/text-search.ts";
import { isJsonObject } from "../traces/json.ts";
import { threadOf } from "../traces/thread.ts";
import { microsBetween } from "../traces/wire-time.ts";
import { COLUMN_OF_ENTRIES, metadataOf } from "./entries.ts";
import { type Comparison, entriesOf, type Filter, fieldRow, type Operand, type Scalar } from "./filter.ts";
import { entryConditions, entryConditionTest, partsOf } from "./pairing.ts";
import { createRowTexts, type RowTexts } from "./row-texts.ts";
import { sameTypeTest } from "./values.ts";

/** A predicate on rows: the work of one may be as much as the row and the filter are large. */
export type RowTest = (row: TraceRow) => Steps<boolean>;

/** What the conditions of one filter share. */
interface Context {
  readonly tenantId: string;
  readonly texts: RowTexts;
}

const MICROS_PER_SECOND = 1_000_000;
/** What a condition takes that reads a few characters. */
const LEAST_UNITS = 20;

/** Compiles a filter to a predicate on rows of one workspace; work that does not depend on the row is done once. */
export function compileFilter(filter: Filter, tenantId: string): RowTest {
  return compiled(filter, { tenantId, texts: createRowTexts() });
}

function compiled(filter: Filter, context: Context): RowTest {
  switch (filter.op) {
    case "and":
      return junction(
        true,
        partsOf(filter.filters).map((part) =>
          "filter" in part ? compiled(part.filter, context) : entriesTest(part.comparisons, context.texts),
        ),
      );
    case "or":
      return junction(
        false,
        filter.filters.map((each) => compiled(each, context)),
      );
    case "not": {
      const test = compiled(filter.filter, context);
      return function* (row) {
        return !(yield* test(row));
      };
    }
    case "search": {
      const contains = containing(filter.term.toLowerCase());
      const { texts } = context;
      return condition(texts, ["inputs", "outputs"], (row) => texts.lowerCaseTexts(row).some(contains));
    }
    default:
      return comparisonTest(filter, context);
  }
}

/** Compiles comparisons of the same entries in one `and`. */
export function entriesTest(comparisons: readonly Comparison[], texts: RowTexts): RowTest {
  const columns = [COLUMN_OF_ENTRIES[entriesOf(comparisons[0] as Comparison) as FilterEntries]];
  const tests = entryConditions(comparisons).map(entryConditionTest);
  return junction(
    true,
    tests.map((test) => condition(texts, columns, test)),
  );
}

/** Whether all tests hold, or, if not `all`, one of them. */
function junction(all: boolean, tests: readonly RowTest[]): RowTest {
  const [first] = tests as [RowTest];
  if (tests.length === 1) return first;
  return function* (row) {
    for (const test of tests) if ((yield* test(row)) !== all) return !all;
    return all;
  };
}

/** A test that is done at once, after a step for the columns that it reads. */
function condition(texts: RowTexts, columns: readonly Column[], test: (row: TraceRow) => boolean): RowTest {
  return function* (row) {
    yield columns.reduce((units, column) => units + texts.sizeOf(row, column), LEAST_UNITS);
    return test(row);
  };
}

function comparisonTest(comparison: Comparison, { tenantId, texts }: Context): RowTest {
  const { op, field, value } = comparison;
  const { kind, entries } = fieldRow(field);
  if (entries) return entriesTest([comparison], texts);
  if (kind === "metadata")
    return op === "has"
      ? function* (row) {
          yield texts.sizeOf(row, "extra");
          return yield* matchesMembers(metadataOf(row), value);
        }
      : entriesTest([{ op: "eq", field: "metadata_key", value }], texts);
  if (kind === "labels" || kind === "identifiers")
    return elementTest(comparison, kind === "labels" ? "tags" : "parent_run_ids", texts);
  const test = sameTypeTest(op, kind === "duration" ? microsOf(value) : value);
  // Not a part of the row: it says where the row is kept.
  if (field === "tenant_id") return condition(texts, [], () => test(tenantId));
  const { column, read } = readerOf(kind, field, texts);
  return condition(texts, [column], (row) => test(read(row)));
}

/** How the value of a field is read, and from which column. */
function readerOf(kind: FilterKindName, field: FilterField, texts: RowTexts): Reader {
  switch (kind) {
    case "document":
      return { column: field as DocumentField, read: (row) => texts.textOf(row, field as DocumentField) };
    case "figure":
      return { column: field as FigureField, read: (row) => figureOf(row[field as FigureField]) };
    case "thread":
      return { column: "extra", read: threadOf };
    case "duration":
      return { column: "end_time", read: durationOf };
    default:
      return { column: field as ScalarField, read: (row) => row[field as ScalarField] };
  }
}

interface Reader {
  readonly column: Column;
  readonly read: (row: TraceRow) => Scalar | null;
}

type Column = keyof TraceRow;

/** Fields that are scalar columns; their operands already have the column's type. */
type ScalarField = {
  [Name in keyof TraceRow]: Name extends Comparison["field"]
    ? TraceRow[Name] extends Scalar | null
      ? Name
      : never
    : never;
}[keyof TraceRow];

type FieldOf<Kind extends string> = {
  [Name in FilterField]: (typeof FILTER_FIELDS)[Name]["kind"] extends Kind ? Name : never;
}[FilterField];
type DocumentField = FieldOf<"document">;
type FigureField = FieldOf<"figure">;

/** Costs are stored as decimal numerals; a double is precise enough for the costs that a filter can contain. */
function figureOf(value: TraceRow[FigureField]): number | null {
  return value === null ? null : Number(value);
}

/** Compares the elements of a list: one that fits is enough, and the negations hold if none does. */
function elementTest({ op, value }: Comparison, column: "tags" | "parent_run_ids", texts: RowTexts): RowTest {
  const isNegated = op === "neq" || op === "notlike";
  const test = sameTypeTest(op === "like" || op === "notlike" ? "like" : "eq", value);
  return condition(texts, [column], (row) => row[column].some(test) !== isNegated);
}

function durationOf({ start_time, end_time }: TraceRow): number | null {
  return end_time === null ? null : microsBetween(start_time, end_time);
}

function microsOf(seconds: Operand): number {
  return Math.round((seconds as number) * MICROS_PER_SECOND);
}

/** Whether JSON contains a pattern; additional members and items are allowed. */
function* matchesMembers(value: unknown, pattern: unknown): Steps<boolean> {
  if (!hasList(pattern)) return matchesPlain(value, pattern);
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return false;
    for (const item of pattern) if (!(yield* someMatches(value, item))) return false;
    return true;
  }
  if (!isJsonObject(pattern) || !isJsonObject(value)) return false;
  for (const name in pattern)
    if (!Object.hasOwn(value, name) || !(yield* matchesMembers(value[name], pattern[name]))) return false;
  return true;
}

/** Lists in a list may take the product of their lengths. Without them, all values are compared at once. */
function* someMatches(values: readonly unknown[], pattern: unknown): Steps<boolean> {
  yield values.length * LEAST_UNITS;
  if (!hasList(pattern))
    return values.includes(pattern) || values.some((value) => matchesPlain(value, pattern));
  for (const value of values) {
    yield LEAST_UNITS;
    if (yield* matchesMembers(value, pattern)) return true;
  }
  return false;
}

function hasList(pattern: unknown): boolean {
  return Array.isArray(pattern) || (isJsonObject(pattern) && Object.values(pattern).some(hasList));
}

/** The same for a pattern without lists. */
function matchesPlain(value: unknown, pattern: unknown): boolean {
  if (value === pattern) return true;
  if (!isJsonObject(pattern)) {
    const isMarked = (markedNumeral(pattern) ?? markedNumeral(value)) !== undefined;
    return isMarked && isSameScalar(pattern, value);
  }
  if (!isJsonObject(value)) return false;
  for (const name in pattern)
    if (!Object.hasOwn(value, name) || !matchesPlain(value[name], pattern[name])) return false;
  return true;
}
