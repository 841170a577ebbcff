import { type Field, listOf, text as textField } from "../../contracts/spec/fields.ts";
import { DURATION, DURATION_EXAMPLES, parseDuration } from "../kernel/duration.ts";
import { parseInstant } from "../kernel/instant.ts";
import { jsonOrText } from "../subjects/json-of.ts";

/** The type of a setting's value: a description, a JSON Schema, and a parser. */
export interface Kind<T> {
  /** Completes “give …”. */
  readonly expects: string;
  readonly schema: Field<unknown>;
  /**
   * The value as the emulator uses it; undefined when it is not one. Lists and objects have been compared with the
   * schema before. Single values have not, so that a start with flags alone loads no schema compiler.
   */
  read(value: unknown): T | undefined;
  /** Problems of a list or an object that the schema cannot express. */
  problemOf?(value: unknown): string | undefined;
  /** Converts the text of a flag or an environment variable to the value that a file would contain; by default unchanged. */
  fromText?(text: string): unknown;
}

const MAX_TEXT_LENGTH = 4096;
const MAX_LIST_LENGTH = 1000;

/** A text inside a list or an object. */
export const TEXT = textField({ minLength: 1, maxLength: MAX_TEXT_LENGTH });

/** Both ends are included. */
export function integer(from: number, to: number): Kind<number> {
  return {
    expects:
      to === Number.MAX_SAFE_INTEGER ? `an integer of ${from} or more` : `an integer from ${from} to ${to}`,
    schema: { type: "integer", minimum: from, maximum: to },
    read: (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= from && value <= to
        ? value
        : undefined,
    fromText: numberFromText,
  };
}

/** Above 0; `to` is included. */
export function positiveNumber(to: number): Kind<number> {
  return {
    expects: `a number above 0, up to ${to}`,
    schema: { type: "number", exclusiveMinimum: 0, maximum: to },
    read: (value) => (typeof value === "number" && value > 0 && value <= to ? value : undefined),
    fromText: numberFromText,
  };
}

/** A non-empty text of at most `MAX_TEXT_LENGTH` characters. */
export function text(expects = "a text"): Kind<string> {
  return {
    expects,
    schema: TEXT,
    read: (value) =>
      typeof value === "string" && value !== "" && value.length <= MAX_TEXT_LENGTH ? value : undefined,
  };
}

/** One of these words, case-sensitive. */
export function choice<const V extends readonly string[]>(...values: V): Kind<V[number]> {
  return {
    expects: values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`,
    schema: { type: "string", enum: values },
    read: (value) => values.find((allowedValue) => allowedValue === value),
  };
}

const TOGGLE_TEXTS = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** `true` or `false`, also written `on` and `off`. */
export function toggle(): Kind<boolean> {
  return {
    expects: "one of true, false, on, off",
    schema: { type: ["boolean", "string"], enum: [true, false, "on", "off"] },
    read: (value) => {
      if (typeof value === "boolean") return value;
      return value === "on" ? true : value === "off" ? false : undefined;
    },
    fromText: (text) => TOGGLE_TEXTS.get(text) ?? text,
  };
}

/** `true` or `false` only, as keys that the specification shows (§6.1); in text also `on`, `off`, `1`, `0`. */
export function flag(): Kind<boolean> {
  return {
    expects: "true or false",
    schema: { type: "boolean" },
    read: (value) => (typeof value === "boolean" ? value : undefined),
    fromText: (text) => TOGGLE_TEXTS.get(text) ?? toggle().read(text) ?? text,
  };
}

/** A duration, in milliseconds. */
export function duration(): Kind<number> {
  return {
    expects: `a duration such as ${DURATION_EXAMPLES}`,
    schema: { type: "string", pattern: DURATION.source },
    read: (value) => (typeof value === "string" ? parseDuration(value) : undefined),
  };
}

/** An ISO 8601 instant, in milliseconds since 1970. */
export function instant(): Kind<number> {
  return {
    expects: "an ISO 8601 instant with a zone such as 2026-01-01T00:00:00Z",
    schema: { type: "string", format: "date-time" },
    read: (value) => (typeof value === "string" ? parseInstant(value) : undefined),
  };
}

/** A date, which stands for its first instant in UTC, or an instant; in milliseconds since 1970. */
export function dateOrInstant(): Kind<number> {
  return {
    expects: "a date such as 2027-02-01, or an ISO 8601 instant with a zone",
    schema: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d(T.*)?$" },
    read: (value) =>
      typeof value === "string"
        ? parseInstant(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value)
        : undefined,
  };
}

/** Three numbers with dots; YAML reads `0.12` as a number, so only text is taken. */
export function version(): Kind<string> {
  return {
    expects: 'a version of three numbers, in quotes in a file, such as "0.12.42"',
    schema: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$" },
    read: (value) =>
      typeof value === "string" && /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(value) ? value : undefined,
  };
}

/** A list of at most `MAX_LIST_LENGTH` items; in text, separated by commas or as JSON. */
export function list<T>(items: Field<T>, expects: string): Kind<readonly T[]> {
  const itemFrom = (part: string) => (items.type === "integer" ? numberFromText(part) : part);
  return {
    ...shape(listOf(items, { maxItems: MAX_LIST_LENGTH }), `a list of ${expects}`),
    fromText: (line) =>
      line.trimStart().startsWith("[")
        ? jsonOrText(line)
        : line
            .split(",")
            .map((part) => part.trim())
            .filter((part) => part !== "")
            .map(itemFrom),
  };
}

/** A list or an object, checked by its schema only; in text, JSON. */
export function shape<T>(schema: Field<T>, expects: string): Kind<T> {
  // The value has been checked against the schema, so it has the schema's type.
  return {
    expects,
    schema,
    read: (value) => (isStructure(value) ? (value as T) : undefined),
    fromText: jsonOrText,
  };
}

/** A list or an object. */
export function isStructure(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Exactly one of these JSON values. */
export function values(allowedValues: readonly unknown[]): Kind<unknown> {
  const spelled = allowedValues.map((value) => [JSON.stringify(value), value] as const);
  return {
    expects: `one of ${spelled.map(([spelling]) => spelling).join(", ")}`,
    schema: { enum: allowedValues },
    read: (value) => spelled.find(([spelling]) => spelling === JSON.stringify(value))?.[1],
    fromText: (word) => {
      const same = spelled.find(([, value]) => value === word);
      return same ? same[1] : jsonOrText(word);
    },
  };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isStructure(value) && !Array.isArray(value);
}

function numberFromText(word: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : word;
}
