import { comparableScalar, exactNumber } from "../../../contracts/spec/exact-json.ts";
import {
  FILTER_BOUNDS,
  FILTER_KINDS,
  type FieldComparator,
  type FilterField,
  type FilterKindName,
} from "../../../contracts/spec/filter-language.ts";
import { documentOf } from "../json-of.ts";
import { parseUuid } from "../traces/field-readers.ts";
import { isJsonObject, type JsonObject, jsonProblem } from "../traces/json.ts";
import { parseTime } from "../traces/wire-time.ts";
import { fieldRow, type Operand, type Scalar } from "./filter.ts";
import { nullHint } from "./hints.ts";
import { excerpt, FilterMistake } from "./problem.ts";
import type { Argument, Atom } from "./syntax.ts";

const NULLS: ReadonlySet<string> = new Set(["null", "Null", "NULL", "none", "None", "nil", "undefined"]);
const SECONDS = /^([+-]?(?:\d+\.?\d*|\.\d+))s$/;
const OTHER_UNIT =
  /^([+-]?(?:\d+\.?\d*|\.\d+))\s*(ms|milliseconds?|us|m|min|minutes?|h|hours?|sec|seconds?)$/i;
const ORDERING: ReadonlySet<FieldComparator> = new Set(["gt", "gte", "lt", "lte"]);

/** Converts the operand of a comparison to the field's type. Throws `FilterMistake`. */
export function operandOf(field: FilterField, op: FieldComparator, argument: Argument): Operand {
  if (op === "in") return listOf(field, argument);
  const atom = atomOf(field, op, argument);
  if (op === "like" || op === "notlike") return patternOf(field, atom);
  const { kind } = fieldRow(field);
  if (kind === "metadata") return op === "has" ? objectOf(atom) : textOf(field, atom);
  if (ORDERING.has(op) && atom.kind === "boolean")
    throw new FilterMistake(
      atom.at,
      `${op} puts texts or numbers in order, not booleans`,
      "Write eq or neq.",
    );
  return SCALARS[kind](field, atom);
}

function listOf(field: FilterField, argument: Argument): readonly Scalar[] {
  if (argument.kind !== "list")
    throw new FilterMistake(
      argument.at,
      "in takes a list",
      `Put the values into brackets: in(${field}, ["a", "b"]).`,
    );
  if (argument.items.length === 0)
    throw new FilterMistake(argument.at, "the list is empty: it selects no row");
  const { kind } = fieldRow(field);
  return argument.items.map((item) => SCALARS[kind](field, atomOf(field, "in", item)));
}

/** The argument as a single value. Throws `FilterMistake` for a condition or a list. */
function atomOf(field: FilterField, op: FieldComparator, argument: Argument): Atom {
  if (argument.kind === "call")
    throw new FilterMistake(argument.at, `a condition stands where the value of ${field} is expected`);
  if (argument.kind === "list")
    throw new FilterMistake(
      argument.at,
      `${op} takes one value`,
      `Write in(${field}, […]) for one of several.`,
    );
  if (argument.kind !== "word") return argument;
  if (NULLS.has(argument.value))
    throw new FilterMistake(
      argument.at,
      `${argument.value} is not a value: the filter language has no null`,
      nullHint(field),
    );
  throw new FilterMistake(
    argument.at,
    `${excerpt(argument.value)} is not a value`,
    `Put it in quotes: ${excerpt(argument.value)}.`,
  );
}

type Read = (field: FilterField, atom: Atom) => Scalar;

const SCALARS: Readonly<Record<FilterKindName, Read>> = {
  identifier: uuidOf,
  text: textOf,
  thread: textOf,
  sortable_text: textOf,
  labels: textOf,
  document: textOf,
  metadata: textOf,
  key: textOf,
  time(field, atom) {
    const time = atom.kind === "time" || atom.kind === "text" ? parseTime(atom.value) : undefined;
    return time ?? operandError(field, atom);
  },
  duration: secondsOf,
  boolean(field, atom) {
    if (atom.kind === "boolean") return atom.value;
    const isQuoted = atom.kind === "text" && /^(?:true|false)$/i.test(atom.value);
    return operandError(
      field,
      atom,
      isQuoted ? `Leave out the quotes: ${String(atom.value).toLowerCase()}.` : undefined,
    );
  },
  value: (_field, atom) =>
    atom.kind === "number"
      ? (comparableScalar(exactNumber(atom.numeral) ?? atom.value) as Scalar)
      : atom.value,
  identifiers: uuidOf,
  figure: numberOf,
  score: numberOf,
};

function uuidOf(field: FilterField, atom: Atom): string {
  return parseUuid(textOf(field, atom)) ?? operandError(field, atom);
}

function numberOf(field: FilterField, atom: Atom): number {
  if (atom.kind === "number") return atom.value;
  const isQuoted = atom.kind === "text" && atom.value !== "" && Number.isFinite(Number(atom.value));
  return operandError(field, atom, isQuoted ? `Leave out the quotes: ${Number(atom.value)}.` : undefined);
}

function textOf(field: FilterField, atom: Atom): string {
  if (atom.kind === "text") return atom.value;
  return operandError(field, atom, `Put it in quotes: ${excerpt(String(atom.value))}.`);
}

function patternOf(field: FilterField, atom: Atom): string {
  const pattern = textOf(field, atom);
  const parts = pattern.replace(/\\./gs, "").split("%");
  if (parts.some((part) => part.split(/_+/).length - 1 > FILTER_BOUNDS.wildcards))
    throw new FilterMistake(
      atom.at,
      `at most ${FILTER_BOUNDS.wildcards} separate groups of _ are taken between two %`,
      "Write \\_ for the character itself, or % for any text.",
    );
  return pattern;
}

function secondsOf(field: FilterField, atom: Atom): number {
  if (atom.kind === "number") return atom.value;
  if (atom.kind !== "text") return operandError(field, atom);
  const seconds = Number(SECONDS.exec(atom.value)?.[1] ?? Number.NaN) + 0;
  if (Number.isFinite(seconds)) return seconds;
  const unitMatch = OTHER_UNIT.exec(atom.value);
  const isNumber = atom.value !== "" && Number.isFinite(Number(atom.value));
  if (isNumber)
    return operandError(field, atom, `Write ${excerpt(`${atom.value}s`)}, or the number without quotes.`);
  return operandError(
    field,
    atom,
    unitMatch ? `Seconds are the only unit: ${inSeconds(unitMatch)}.` : undefined,
  );
}

/** Units by pattern; the first match counts. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/i, 0.001],
  [/^u/i, 0.000001],
  [/^m/i, 60],
  [/^h/i, 3600],
  [/^s/i, 1],
];

function inSeconds([, figure = "0", unit = "s"]: RegExpExecArray): string {
  const factor = UNITS.find(([pattern]) => pattern.test(unit))?.[1] ?? 1;
  return excerpt(`${Number((Number(figure) * factor).toPrecision(12))}s`);
}

function objectOf(atom: Atom): JsonObject {
  const example = `Write has(metadata, '{"key": "value"}'), or exists(metadata, "key").`;
  if (atom.kind !== "text") throw new FilterMistake(atom.at, "has takes a JSON object in quotes", example);
  const value = documentOf(atom.value);
  if (value === undefined)
    throw new FilterMistake(atom.at, `${excerpt(atom.value)} is not valid JSON`, example);
  if (!isJsonObject(value))
    throw new FilterMistake(atom.at, `${excerpt(atom.value)} is not a JSON object`, example);
  const problem = jsonProblem(value);
  if (problem !== undefined) throw new FilterMistake(atom.at, `the JSON object ${problem}`);
  return value;
}

function operandError(field: FilterField, atom: Atom, hint?: string): never {
  const { value } = FILTER_KINDS[fieldRow(field).kind];
  const description = atom.kind === "text" ? `the text ${excerpt(atom.value)}` : String(atom.value);
  throw new FilterMistake(atom.at, `${field} takes ${value}, not ${description}`, hint);
}
