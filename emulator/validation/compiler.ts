import type { Ajv2020 } from "ajv/dist/2020.js";
import type { Field } from "../../contracts/spec/fields.ts";
import { parseDuration } from "../kernel/duration.ts";
import { parseInstant } from "../kernel/instant.ts";
import { lazily } from "../kernel/lazily.ts";
import { type Misfit, misfitsOf } from "./misfits.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Maximum errors processed: they are compared pairwise, and a long list may have several per item. */
const MAX_ERRORS = 200;

/** Validates a value; an empty list when it is valid. */
export type Validator = (value: unknown) => readonly Misfit[];

/** Compiles a schema (takes milliseconds); the validator finds all problems of a value or the first. */
export type Compile = (schema: Field<unknown>, find?: "all" | "first") => Validator;

/** A compiler with this Ajv. Whoever needs one says when that is loaded. */
export function createCompiler(Ajv: typeof Ajv2020): Compile {
  const every = lazily(() => createAjv(Ajv, true));
  const first = lazily(() => createAjv(Ajv, false));
  return (schema, find = "all") => {
    const validate = (find === "all" ? every() : first()).compile(schema as Record<string, unknown>);
    return (value) => (validate(value) ? [] : misfitsOf((validate.errors ?? []).slice(0, MAX_ERRORS)));
  };
}

function createAjv(Ajv: typeof Ajv2020, allErrors: boolean): Ajv2020 {
  // The tables have their own tests: checking each schema against that of all schemas takes longer than all else.
  const tests = { strict: false, strictNumbers: true, meta: false, validateSchema: false };
  const ajv = new Ajv({ allErrors, verbose: true, ...tests });
  ajv.addFormat("uuid", UUID);
  ajv.addFormat("date-time", { type: "string", validate: (text) => parseInstant(text) !== undefined });
  ajv.addFormat("fixed-duration", { type: "string", validate: (text) => parseDuration(text) !== undefined });
  return ajv;
}
