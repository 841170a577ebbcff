import type { Field, OptionalField } from "../../contracts/spec/fields.ts";
import { jsonOf } from "../subjects/json-of.ts";

/** The query parameters of a row, by name. */
export type QueryFields = Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>;

/** Converts the query to the types of its fields; unconvertible texts are left for the validator to refuse. */
export function readQuery(
  parameters: URLSearchParams,
  fields: QueryFields,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(fields)) {
    const field = fieldOf(declared);
    const texts = parameters.getAll(name);
    const last = texts.at(-1);
    if (field.type === "array") {
      const items = [...texts, ...bracketed(parameters, name)].flatMap(itemsIn);
      if (items.length > 0) values[name] = items.map((item) => typed(item, field.items as Field<unknown>));
    } else if (last !== undefined) values[name] = typed(last, field);
    else if ("default" in field) values[name] = field.default;
  }
  return values;
}

const MAX_UNKNOWN_NAMES = 50;

/** Unknown ones of the parameters that were sent. */
export function unknownParameters(names: readonly string[], fields: QueryFields): readonly string[] {
  const isKnown = (name: string) =>
    Object.hasOwn(fields, name) || Object.hasOwn(fields, name.replace(/\[\d{0,4}\]$/, ""));
  const unknown = names.filter((name) => !isKnown(name));
  return unknown.slice(0, MAX_UNKNOWN_NAMES).map((name) => `query.${name}`);
}

/** The field itself, whether it may be left out or not. */
export function fieldOf(declared: Field<unknown> | OptionalField<unknown>): Field<unknown> {
  return "optional" in declared ? (declared.optional as Field<unknown>) : declared;
}

/** Whether a parameter may be empty: a list, a free text, and an unknown one, but not a number, a time, an id or a word. */
export function canBeEmpty(name: string, fields: QueryFields): boolean {
  const declared = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!declared) return true;
  const field = fieldOf(declared);
  const isText = [field.type].flat().includes("string");
  return field.type === "array" || (isText && !("enum" in field || "format" in field || "pattern" in field));
}

function typed(text: string, field: Field<unknown>): unknown {
  const types = [field.type].flat();
  if (types.includes("integer") && INTEGER.test(text)) return Number(text);
  if (types.includes("boolean") && BOOLEANS.has(text)) return BOOLEANS.get(text);
  return text;
}

/** Parses any integer, so that a bound of the field is reported, not a wrong type. */
const INTEGER = /^-?\d{1,300}$/;

/** Clients in Python spell them True and False. */
const BOOLEANS = new Map([
  ["true", true],
  ["True", true],
  ["1", true],
  ["false", false],
  ["False", false],
  ["0", false],
]);

/** Also accepts `name[]` and `name[0]`, as some clients spell the items of a list. */
function bracketed(parameters: URLSearchParams, name: string): readonly string[] {
  const items = [...parameters].filter(([key]) => key.startsWith(`${name}[`));
  return items.filter(([key]) => /^\[\d{0,4}\]$/.test(key.slice(name.length))).map(([, text]) => text);
}

/** A list in a query: separated by commas, one JSON list, or a repeated parameter. */
function itemsIn(text: string): readonly string[] {
  return jsonList(text) ?? text.split(",");
}

function jsonList(text: string): readonly string[] | undefined {
  const items = text.startsWith("[") ? jsonOf(text) : undefined;
  return Array.isArray(items) ? items.map(String) : undefined;
}
