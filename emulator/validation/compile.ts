import { Ajv2020 } from "ajv/dist/2020.js";
import type { Field } from "../../contracts/spec/fields.ts";
import { parseDuration } from "../kernel/duration.ts";
import { parseMicros } from "../kernel/instant.ts";
import { type Misfit, misfitsOf } from "./misfits.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** They are compared with each other, and a long list of wrong items has one or more for each item. */
const ERRORS_READ = 200;

/** Compares a value with a schema; no misfits when it fits. */
export type Validator = (value: unknown) => readonly Misfit[];

/** Compiles a schema, which takes milliseconds: to find every misfit of a value, or only the first. */
export function compile(schema: Field<unknown>, find: "all" | "first" = "all"): Validator {
  const validate = (find === "all" ? every() : first()).compile(schema as Record<string, unknown>);
  return (value) => (validate(value) ? [] : misfitsOf((validate.errors ?? []).slice(0, ERRORS_READ)));
}

const every = lazily(() => createAjv(true));
const first = lazily(() => createAjv(false));

function createAjv(allErrors: boolean): Ajv2020 {
  // The tables have their own tests: checking each schema against that of all schemas takes longer than all else.
  const ajv = new Ajv2020({ allErrors, verbose: true, strict: false, meta: false, validateSchema: false });
  ajv.addFormat("uuid", UUID);
  ajv.addFormat("date-time", { type: "string", validate: (text) => parseMicros(text) !== undefined });
  ajv.addFormat("duration", { type: "string", validate: (text) => parseDuration(text) !== undefined });
  return ajv;
}

/** Makes a value when it is first asked for. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
