import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { isSameScalar, markedNumeral, plainName, printExact } from "../../../contracts/spec/exact-json.ts";
import type { FILTER_FIELDS, FilterField } from "../../../contracts/spec/filter-language.ts";
import { valueOf } from "../json-text.ts";
import { isJsonObject } from "../traces/json.ts";
import { threadOf } from "../traces/thread.ts";
import { microsBetween } from "../traces/wire-time.ts";
import { ENTRIES, metadataOf } from "./entries.ts";
import { type Comparison, entriesOf, type Filter, fieldRow, type Operand, type Scalar } from "./filter.ts";
import { entryConditions, entryConditionTest, type Part, partsOf } from "./pairing.ts";
import { sameTypeTest } from "./values.ts";

/** A predicate on rows. */
export type RowTest = (row: TraceRow) => boolean;

const MICROS_PER_SECOND = 1_000_000;

/** Compiles a filter to a predicate on rows of one workspace; work that does not depend on the row is done once. */
export function compileFilter(filter: Filter, tenantId: string): RowTest {
  switch (filter.op) {
    case "and":
      return everyTest(partsOf(filter.filters).map((part) => partTest(part, tenantId)));
    case "or":
      return someTest(filter.filters.map((each) => compileFilter(each, tenantId)));
    case "not": {
      const test = compileFilter(filter.filter, tenantId);
      return (row) => !test(row);
    }
    case "search": {
      const term = filter.term.toLowerCase();
      return (row) => [row.inputs, row.outputs].some((value) => containsTerm(valueOf(value), term));
    }
    default:
      return comparisonTest(filter, tenantId);
  }
}

/** Compiles one part of an `and`. */
export function partTest(part: Part, tenantId: string): RowTest {
  return "filter" in part
    ? compileFilter(part.filter, tenantId)
    : everyTest(entryConditions(part.comparisons).map(entryConditionTest));
}

function everyTest(tests: readonly RowTest[]): RowTest {
  const [first, second] = tests as [RowTest, RowTest | undefined];
  if (second === undefined) return first;
  if (tests.length === 2) return (row) => first(row) && second(row);
  return (row) => tests.every((test) => test(row));
}

function someTest(tests: readonly RowTest[]): RowTest {
  const [first, second] = tests as [RowTest, RowTest | undefined];
  if (second === undefined) return first;
  if (tests.length === 2) return (row) => first(row) || second(row);
  return (row) => tests.some((test) => test(row));
}

function comparisonTest(comparison: Comparison, tenantId: string): RowTest {
  const { op, field, value } = comparison;
  if (entriesOf(comparison)) return partTest({ comparisons: [comparison] }, tenantId);
  switch (fieldRow(field).kind) {
    case "labels":
      return elementTest(comparison, ({ tags }) => tags);
    case "metadata":
      return op === "has"
        ? (row) => matchesMembers(metadataOf(row), value)
        : (row) => ENTRIES.metadata.someAt(row, value as string, () => true);
    case "document":
      return documentTest(comparison, field as DocumentField);
    case "identifiers":
      return elementTest(comparison, ({ parent_run_ids }) => parent_run_ids);
    case "figure": {
      const test = sameTypeTest(op, value);
      return (row) => test(figureOf(row[field as FigureField]));
    }
    case "thread": {
      const test = sameTypeTest(op, value);
      return (row) => test(threadOf(row));
    }
    case "duration": {
      const test = sameTypeTest(op, microsOf(value));
      return (row) => test(durationOf(row));
    }
    default: {
      const test = sameTypeTest(op, value);
      // Not a part of the row: it says where the row is kept.
      if (field === "tenant_id") return () => test(tenantId);
      const name = field as ScalarField;
      return (row) => test(row[name]);
    }
  }
}

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
function elementTest({ op, value }: Comparison, elementsOf: (row: TraceRow) => readonly string[]): RowTest {
  const isNegated = op === "neq" || op === "notlike";
  const test = sameTypeTest(op === "like" || op === "notlike" ? "like" : "eq", value);
  return (row) => elementsOf(row).some(test) !== isNegated;
}

/** Compares the JSON text of a column, as in an export. */
function documentTest({ op, value }: Comparison, field: DocumentField): RowTest {
  const test = sameTypeTest(op, value);
  return (row) => test(row[field] === null ? null : (printExact(row[field]) ?? null));
}

function durationOf({ start_time, end_time }: TraceRow): number | null {
  return end_time === null ? null : microsBetween(start_time, end_time);
}

function microsOf(seconds: Operand): number {
  return Math.round((seconds as number) * MICROS_PER_SECOND);
}

/** Whether a key or value of the JSON contains the term, ignoring case; the term must be in lower case. */
export function containsTerm(value: unknown, term: string): boolean {
  if (typeof value === "string") return (markedNumeral(value) ?? value).toLowerCase().includes(term);
  if (Array.isArray(value)) return value.some((inner) => containsTerm(inner, term));
  if (!isJsonObject(value)) return value !== null && value !== undefined && String(value).includes(term);
  for (const name in value) {
    if (plainName(name).toLowerCase().includes(term) || containsTerm(value[name], term)) return true;
  }
  return false;
}

/** Whether JSON contains a pattern; additional members and items are allowed. */
export function matchesMembers(value: unknown, pattern: unknown): boolean {
  if (isJsonObject(pattern)) {
    if (!isJsonObject(value)) return false;
    return Object.keys(pattern).every(
      (name) => Object.hasOwn(value, name) && matchesMembers(value[name], pattern[name]),
    );
  }
  if (!Array.isArray(pattern)) return isSameScalar(pattern, value);
  return Array.isArray(value) && pattern.every((item) => value.some((inner) => matchesMembers(inner, item)));
}
