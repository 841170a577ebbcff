import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { Field } from "../../contracts/spec/fields.ts";
import { parseMicros } from "../kernel/instant.ts";

/** Judges a value by a field of the tables: problems as sentences, none when it fits; of a long one the first. */
export type Check = (value: unknown, where: string, bytes?: number) => readonly string[];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_PROBLEMS = 10;

/** What finds all problems takes memory for each, and a body may have millions. */
const LONG_BYTES = 256 * 1024;

/** They are compared with each other, and a long list of wrong items has one or more for each item. */
const ERRORS_READ = 200;

const compiled = new WeakMap<Field<unknown>, Check>();
let loading: Promise<Compilers> | undefined;

/** Make what finds all problems of a value, or only the first. */
type Compilers = Readonly<Record<"all" | "first", (schema: Field<unknown>) => ValidateFunction>>;

/** The check of a field. Ajv is loaded with the first one, and each field is compiled once. */
export async function checkOf(field: Field<unknown>): Promise<Check> {
  const known = compiled.get(field);
  if (known) return known;
  loading ??= loadAjv();
  const compile = await loading;
  const all = compile.all(field);
  const first = lazily(() => compile.first(field));
  const check: Check = (value, where, bytes = 0) => {
    const validate = bytes > LONG_BYTES ? first() : all;
    if (validate(value)) return [];
    return problemsOf((validate.errors ?? []).slice(0, ERRORS_READ), where).slice(0, MAX_PROBLEMS);
  };
  compiled.set(field, check);
  return check;
}

async function loadAjv(): Promise<Compilers> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const opened = (allErrors: boolean) => {
    // The tables have their own tests: checking each schema against that of all schemas takes longer than all else.
    const ajv = new Ajv2020({ allErrors, strict: false, meta: false, validateSchema: false });
    ajv.addFormat("uuid", UUID);
    ajv.addFormat("date-time", {
      type: "string",
      validate: (text: string) => parseMicros(text) !== undefined,
    });
    return ajv;
  };
  const all = opened(true);
  const first = lazily(() => opened(false));
  return {
    all: (schema) => all.compile(schema as Record<string, unknown>),
    first: (schema) => first().compile(schema as Record<string, unknown>),
  };
}

/** Most emulators never meet with a body that is long. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function problemsOf(errors: readonly ErrorObject[], where: string): readonly string[] {
  const irrelevant = new Set(
    errors.filter(({ keyword }) => keyword === "anyOf").flatMap(irrelevantErrors(errors)),
  );
  const sentences = errors
    .filter(({ keyword }) => keyword !== "if" && keyword !== "anyOf")
    .filter((error) => !irrelevant.has(error) && !isCoveredByEnum(error, errors))
    .map((error) => `${where}${pathOf(error)}: ${errorSentence(error)}`);
  return [...new Set(sentences)];
}

/** Of a choice that none of its schemas fits: what those say that want another type, if one wants this type. */
function irrelevantErrors(errors: readonly ErrorObject[]): (choice: ErrorObject) => readonly ErrorObject[] {
  return ({ schemaPath, instancePath }) => {
    const branchOf = (error: ErrorObject) => error.schemaPath.slice(schemaPath.length + 1).split("/", 1)[0];
    const ofChoice = errors.filter(
      (error) =>
        error.schemaPath.startsWith(`${schemaPath}/`) &&
        `${error.instancePath}/`.startsWith(`${instancePath}/`),
    );
    const misfits = new Set(
      ofChoice
        .filter((error) => error.schemaPath === `${schemaPath}/${branchOf(error)}/type`)
        .filter((error) => error.instancePath === instancePath)
        .map(branchOf),
    );
    const irrelevant = ofChoice.filter((error) => misfits.has(branchOf(error)));
    return irrelevant.length < ofChoice.length ? irrelevant : [];
  };
}

/** Whoever is told of the values that are taken need not be told of their type. */
function isCoveredByEnum({ keyword, schemaPath, instancePath }: ErrorObject, errors: readonly ErrorObject[]) {
  const listed = schemaPath.replace(/type$/, "enum");
  return (
    keyword === "type" &&
    errors.some((other) => other.schemaPath === listed && other.instancePath === instancePath)
  );
}

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `.${segment}`))
    .join("");
  return keyword === "required" ? `${path}.${params.missingProperty}` : path;
}

function errorSentence({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case "required":
      return "is required";
    case "enum":
      return `must be one of ${(params.allowedValues as readonly unknown[]).filter((v) => v !== null).join(", ")}`;
    case "format":
      return params.format === "date-time"
        ? "must be an ISO 8601 time with a zone, for example 2026-01-01T00:00:00Z"
        : `must be a ${params.format}`;
    case "type":
      return `must be ${[params.type].flat().join(" or ")}`;
    default:
      return message ?? "is not acceptable";
  }
}
