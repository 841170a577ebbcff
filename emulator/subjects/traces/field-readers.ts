import { declaredNumber, plainName, plainNumber } from "../../../contracts/spec/exact-json.ts";
import { timeProblem } from "../../kernel/instant.ts";
import { JsonText } from "../json-text.ts";
import { isJsonObject, type JsonObject, jsonProblem } from "./json.ts";
import { parseTime } from "./wire-time.ts";

/**
 * Validates a client's value and converts it to its stored form; undefined when the value means nothing or is
 * invalid (then a problem is reported). Conversion and check are one pass, because every ingested row passes
 * here and a schema check would traverse it once more.
 */
export type FieldReader<T = unknown> = (
  value: unknown,
  reportProblem: (problem: string) => void,
) => T | undefined;

/** The fields that were read, in stored form; null where the client sent null. */
export type FieldsRead<R> = {
  readonly [Name in keyof R]?: R[Name] extends FieldReader<infer T> ? T | null : never;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const uuid = fieldReader("must be a uuid", parseUuid);

export const text = fieldReader("must be a string", (value) =>
  typeof value === "string" ? value : undefined,
);

export const time: FieldReader<string> = (value, reportProblem) =>
  parseTime(plainNumber(value)) ??
  void reportProblem(timeProblem(value, "an ISO 8601 time or a number since 1970"));

/** Any JSON value that can be stored and exported unchanged; a text is one. */
export const json: FieldReader = (value, reportProblem) => {
  const problem = value instanceof JsonText ? undefined : jsonProblem(value);
  return problem === undefined ? value : void reportProblem(problem);
};

export const jsonObject: FieldReader<JsonObject> = (value, reportProblem) => {
  const problem = isJsonObject(value) ? jsonProblem(value) : "must be a JSON object";
  return problem === undefined ? (value as JsonObject) : void reportProblem(problem);
};

/** A reader that reports `problem` for a value that cannot be parsed; `parse` gets numbers as doubles, and NaN for those that are not. */
export function fieldReader<T>(problem: string, parse: (value: unknown) => T | undefined): FieldReader<T> {
  return (value, reportProblem) => {
    const parsed = parse(declaredNumber(value));
    return parsed === undefined ? void reportProblem(problem) : parsed;
  };
}

/** Parses a list item by item; undefined when any item is invalid. */
export function listOf<T>(
  maxLength: number,
  parse: (value: unknown) => T | undefined,
): (value: unknown) => readonly T[] | undefined {
  return (value) => {
    if (!Array.isArray(value) || value.length > maxLength) return undefined;
    const list = value.map(parse);
    return list.includes(undefined) ? undefined : (list as T[]);
  };
}

/** Reads the members of an object that have a reader, which are those of `R`; `where` prefixes their names in problems. */
export function readFields<R = Readonly<Record<string, FieldReader>>>(
  value: JsonObject,
  where: string,
  readers: ReadonlyMap<string, FieldReader>,
) {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  const unread: string[] = [];
  let name = "";
  const reportProblem = (problem: string) => problems.push(`${fieldAt(where, name)}: ${problem}`);
  for (name in value) {
    const fieldValue = value[name];
    if (fieldValue === undefined) continue;
    const readField = readers.get(name);
    if (!readField) {
      unread.push(plainName(name));
      continue;
    }
    const read = fieldValue === null ? null : readField(fieldValue, reportProblem);
    // An unreadable value is left out, so that it does not overwrite a known one.
    if (read !== undefined) values[name] = read;
  }
  return { values: values as FieldsRead<R>, unread, problems };
}

/** A field's name in a problem: `post[3].id`, or `id` when the body itself is the run. */
export function fieldAt(where: string, name: string): string {
  return where === "" ? name : `${where}.${name}`;
}

/** A uuid in lower case; undefined for any other value. */
export function parseUuid(value: unknown): string | undefined {
  return typeof value === "string" && UUID.test(value) ? value.toLowerCase() : undefined;
}
