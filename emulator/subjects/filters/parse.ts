import {
  FILTER_COMPARATORS,
  FILTER_FIELDS,
  FILTER_KINDS,
  FILTER_OPERATORS,
  type FieldComparator,
  type FilterComparator,
  type FilterField,
  type FilterKind,
  type FilterOperator,
  type FilterOperatorName,
  REFUSED_FIELDS,
  UNFILTERABLE_FIELDS,
} from "../../../contracts/spec/filter-language.ts";
import type { Settings } from "../settings.ts";
import { entriesOf, type Filter, fieldRow } from "./filter.ts";
import { comparatorHint, fieldHint, functionHint } from "./hints.ts";
import { operandOf } from "./operands.ts";
import { excerpt, FilterMistake, type FilterProblem } from "./problem.ts";
import { type Argument, type Call, readSyntax } from "./syntax.ts";

/** Converts a syntax tree into a filter. Throws `FilterMistake`. */
function filterOf(call: Call): Filter {
  if (isOperator(call.name)) return junctionOf(call, call.name);
  if (isComparator(call.name)) return comparisonOf(call, call.name);
  throw new FilterMistake(call.at, `unknown function ${excerpt(call.name)}`, functionHint(call.name));
}

/** Throws `FilterMistake` where a comparison has a column or a comparator that the service was seen to refuse. */
function refuseFields(call: Call): void {
  const [first] = call.arguments;
  if (isComparator(call.name) && (first?.kind === "word" || first?.kind === "text")) {
    refuseField(first.at, first.value, REFUSED_FIELDS);
    if (isField(first.value) && call.name !== "search") refuseComparator(call, first.value, call.name);
  }
  for (const argument of call.arguments) if (argument.kind === "call") refuseFields(argument);
}

function refuseField(at: number, name: string, hints: Readonly<Record<string, string>>): void {
  if (Object.hasOwn(hints, name)) throw new FilterMistake(at, `${name} cannot be filtered on`, hints[name]);
}

function refuseComparator({ at }: Call, field: FilterField, op: FieldComparator): void {
  const { comparators, refused = [] }: FilterKind = FILTER_KINDS[FILTER_FIELDS[field].kind];
  const accepted = comparators.filter((each) => !refused.includes(each));
  if (!accepted.includes(op))
    throw new FilterMistake(at, `${field} cannot be compared with ${op}`, comparatorHint(field, accepted));
}

function isOperator(name: string): name is FilterOperatorName {
  return Object.hasOwn(FILTER_OPERATORS, name);
}

function isComparator(name: string): name is FilterComparator {
  return Object.hasOwn(FILTER_COMPARATORS, name);
}

function isField(name: string): name is FilterField {
  return Object.hasOwn(FILTER_FIELDS, name);
}

function junctionOf(call: Call, op: FilterOperatorName): Filter {
  const { least, most }: FilterOperator = FILTER_OPERATORS[op];
  const count = call.arguments.length;
  if (count < least || (most !== undefined && count > most))
    throw new FilterMistake(
      call.at,
      `${op} takes ${most === undefined ? "one condition or more" : "one condition"}, not ${count}`,
      op === "not" ? "Write not(or(…, …)) or not(and(…, …))." : undefined,
    );
  const filters = call.arguments.map((argument) => conditionOf(argument, op));
  const [first] = filters as [Filter];
  if (op === "not") return { op, filter: first };
  if (filters.length === 1) return first;
  if (op === "and") refuseTwoKeys(call, filters);
  return { op, filters };
}

function conditionOf(argument: Argument, op: string): Filter {
  if (argument.kind === "call") return filterOf(argument);
  throw new FilterMistake(
    argument.at,
    `${op} takes conditions, not a value`,
    'A condition looks like eq(status, "error").',
  );
}

/** Rejects two `eq` on the key in one `and`: no entry has two keys, so the caller means two entries. */
function refuseTwoKeys(call: Call, filters: readonly Filter[]): void {
  const keys = new Map<FilterField, unknown>();
  filters.forEach((filter, index) => {
    if (filter.op !== "eq" || !entriesOf(filter) || fieldRow(filter.field).kind !== "key") return;
    const { field, value } = filter;
    if (keys.has(field) && keys.get(field) !== value)
      throw new FilterMistake(
        call.arguments[index]?.at ?? call.at,
        `a second ${field} in the same and: both would have to be the key of one entry`,
        `Give each pair its own and: and(and(eq(${field}, …), …), and(eq(${field}, …), …)).`,
      );
    keys.set(field, value);
  });
}

function comparisonOf(call: Call, op: FilterComparator): Filter {
  const { takes } = FILTER_COMPARATORS[op];
  const count = call.arguments.length;
  if (count !== takes)
    throw new FilterMistake(
      call.at,
      `${op} takes ${takes} argument${takes === 1 ? "" : "s"}, not ${count}`,
      countHint(op),
    );
  const [first, second] = call.arguments as [Argument, Argument];
  if (op === "search") return { op, term: termOf(first) };
  const field = fieldOf(first, op);
  const { comparators }: FilterKind = FILTER_KINDS[FILTER_FIELDS[field].kind];
  if (!comparators.includes(op))
    throw new FilterMistake(
      call.at,
      `${field} cannot be compared with ${op}`,
      comparatorHint(field, comparators),
    );
  return { op, field, value: operandOf(field, op, second) };
}

function countHint(op: FilterComparator): string {
  if (op === "search")
    return 'search("…") looks through inputs and outputs; for one field write like(name, "%…%").';
  if (op === "in") return 'Put the values into a list: in(name, ["a", "b"]).';
  return `Write ${op}(field, value).`;
}

function termOf(argument: Argument): string {
  if (argument.kind !== "text") throw new FilterMistake(argument.at, "search takes a text in quotes");
  if (argument.value === "") throw new FilterMistake(argument.at, "every row contains the empty text");
  return argument.value;
}

/** The field name: a bare word, or a quoted text as in the base grammar that public clients also send. */
function fieldOf(argument: Argument, op: FieldComparator): FilterField {
  if (argument.kind !== "word" && argument.kind !== "text")
    throw new FilterMistake(
      argument.at,
      `the first argument of ${op} is the name of a field`,
      `Write ${op}(field, value).`,
    );
  const name = argument.value;
  if (isField(name)) return name;
  refuseField(argument.at, name, UNFILTERABLE_FIELDS);
  throw new FilterMistake(argument.at, `unknown field ${excerpt(name)}`, fieldHint(name));
}

/** Whether the columns that the service was seen to refuse are refused (assumption export.filter_fields). */
export function refusesColumns({ assumptions }: Settings): boolean {
  return assumptions["export.filter_fields"] === "some refused";
}

/** Parses a filter expression (§2.5); on failure returns the position, the message and a hint. */
export function parseFilter(
  text: string,
  refusesSome = false,
): { readonly filter: Filter } | { readonly problem: FilterProblem } {
  try {
    const call = readSyntax(text);
    if (refusesSome) refuseFields(call);
    return { filter: filterOf(call) };
  } catch (error) {
    if (error instanceof FilterMistake) return { problem: error.problem };
    throw error;
  }
}
