import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { printExact } from "../../../contracts/spec/exact-json.ts";
import type { Steps } from "../../kernel/steps.ts";
import { threadOf } from "../traces/thread.ts";
import { compileFilter, entriesTest } from "./compile.ts";
import { type Comparison, entriesOf, type Filter, fieldRow, type Operand, type Scalar } from "./filter.ts";
import { type EntryCondition, entryConditions, entryConditionTest, type Part, partsOf } from "./pairing.ts";
import { excerpt } from "./problem.ts";
import { createRowTexts } from "./row-texts.ts";

/** Formats a filter so that `parseFilter` returns an equal filter. */
export function printFilter(filter: Filter): string {
  switch (filter.op) {
    case "and":
    case "or":
      return `${filter.op}(${filter.filters.map(printFilter).join(", ")})`;
    case "not":
      return `not(${printFilter(filter.filter)})`;
    case "search":
      return `search(${printValue(filter.term)})`;
    default:
      return `${filter.op}(${filter.field}, ${printOperand(filter.value)})`;
  }
}

function printOperand(value: Operand): string {
  if (typeof value !== "object") return printValue(value);
  if (isList(value)) return `[${value.map(printValue).join(", ")}]`;
  return printValue(printExact(value));
}

function isList(value: Operand): value is readonly Scalar[] {
  return Array.isArray(value);
}

function printValue(value: Scalar): string {
  return JSON.stringify(value);
}

/** Whether a row passes a filter, and if not, the innermost clause that rejects it. */
export type Explanation =
  | { readonly passes: true }
  | { readonly passes: false; readonly clause: string; readonly because: string };

const MAX_VALUE_CHARACTERS = 200;

/** Whether a row passes, and if not which part of the filter rejects it. */
export function* explainFilter(filter: Filter, row: TraceRow, tenantId: string): Steps<Explanation> {
  if (yield* compileFilter(filter, tenantId)(row)) return { passes: true };
  return { passes: false, ...(yield* rejectionOf(filter, row, tenantId)) };
}

interface Rejection {
  readonly clause: string;
  readonly because: string;
}

function* rejectionOf(filter: Filter, row: TraceRow, tenantId: string): Steps<Rejection> {
  const clause = printFilter(filter);
  switch (filter.op) {
    case "and":
      return yield* inAnd(filter.filters, row, tenantId);
    case "or":
      return { clause, because: `none of its ${filter.filters.length} conditions holds` };
    case "not":
      return { clause, because: `${printFilter(filter.filter)} holds` };
    case "search":
      return { clause, because: "neither inputs nor outputs contain the text" };
    default:
      return entriesOf(filter)
        ? inEntries([filter], row)
        : { clause, because: foundIn(filter, row, tenantId) };
  }
}

/** One of the parts rejects the row. */
function* inAnd(filters: readonly Filter[], row: TraceRow, tenantId: string): Steps<Rejection> {
  const parts = partsOf(filters);
  let [failing] = parts as [Part];
  for (failing of parts) {
    const test =
      "filter" in failing
        ? compileFilter(failing.filter, tenantId)
        : entriesTest(failing.comparisons, createRowTexts());
    if (!(yield* test(row))) break;
  }
  return "filter" in failing
    ? yield* rejectionOf(failing.filter, row, tenantId)
    : inEntries(failing.comparisons, row);
}

function inEntries(comparisons: readonly Comparison[], row: TraceRow): Rejection {
  const [first] = comparisons as [Comparison];
  const entryCondition = entryConditions(comparisons).find(
    (one) => !entryConditionTest(one)(row),
  ) as EntryCondition;
  const conditions = entryCondition.comparisons.map(printFilter).join(" and ");
  return {
    clause: printFilter(comparisons.length === 1 ? first : { op: "and", filters: comparisons }),
    because: `${entriesOf(first)} has ${entryCondition.absent ? "an" : "no"} entry with ${conditions}`,
  };
}

const DOCUMENT_REASONS = {
  like: (field: string) => `the text of its ${field} does not fit the pattern`,
  notlike: (field: string) => `the text of its ${field} fits the pattern`,
  eq: (field: string) => `the text of its ${field} is another one`,
  neq: (field: string) => `the text of its ${field} is the same`,
};

/** Describes the row's actual value. */
function foundIn({ op, field }: Comparison, row: TraceRow, tenantId: string): string {
  switch (fieldRow(field).kind) {
    case "labels":
      return `its tags are ${excerpt(row.tags.join(", "), MAX_VALUE_CHARACTERS)}`;
    case "metadata":
      return op === "has" ? "its metadata does not contain the object" : "its metadata has no such key";
    case "document":
      return DOCUMENT_REASONS[op as keyof typeof DOCUMENT_REASONS](field);
    case "identifiers":
      return `its ${field} are ${excerpt(row.parent_run_ids.join(", "), MAX_VALUE_CHARACTERS)}`;
    case "thread":
      return `its thread is ${excerpt(threadOf(row) ?? "none", MAX_VALUE_CHARACTERS)}`;
    case "duration":
      return row.end_time === null
        ? "it has no end_time"
        : `it lasted from ${row.start_time} to ${row.end_time}`;
    default: {
      const value = field === "tenant_id" ? tenantId : row[field as keyof TraceRow];
      if (value === null) return `it has no ${field}`;
      return `its ${field} is ${typeof value === "string" ? excerpt(value, MAX_VALUE_CHARACTERS) : String(value)}`;
    }
  }
}
