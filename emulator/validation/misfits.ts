import type { ErrorObject } from "ajv/dist/2020.js";
import { DURATION_EXAMPLES } from "../kernel/duration.ts";
import { timeProblem } from "../kernel/instant.ts";
import { hintFor } from "../kernel/nearest.ts";

/** The path of a member in a value. */
export type Keys = readonly (string | number)[];

/** A schema violation: the member, and the requirement. */
export interface Misfit {
  readonly keys: Keys;
  /** Text that follows the name of the member: “must be an integer”. */
  readonly sentence: string;
}

/** A member as a message names it, below the value that was checked: `.lines[1].count`. */
export function memberPath(keys: Keys): string {
  return keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
}

/** Converts the errors of Ajv, without redundant ones. */
export function misfitsOf(errors: readonly ErrorObject[]): readonly Misfit[] {
  const irrelevant = new Set(
    errors.filter(({ keyword }) => keyword === "anyOf").flatMap(irrelevantErrors(errors)),
  );
  const misfits = errors
    .filter(({ keyword }) => keyword !== "if" && keyword !== "anyOf")
    // NaN stands for a number with more digits than a double, whose type is wrong already.
    .filter(({ keyword, data }) => !(Number.isNaN(data) && /imum$/i.test(keyword)))
    .filter((error) => !irrelevant.has(error) && !isCoveredByEnum(error, errors))
    .map((error) => ({ keys: keysOf(error), sentence: sentenceOf(error) }));
  const choices = errors
    .filter(({ keyword }) => keyword === "anyOf")
    .map((error) => memberPath(keysOf(error)));
  return mergeAlternatives(misfits, new Set(choices));
}

const MUST_BE = "must be ";

/** A member with a choice has an error for each alternative; the result has one sentence: "must be A, or B". */
function mergeAlternatives(misfits: readonly Misfit[], choices: ReadonlySet<string>): readonly Misfit[] {
  const merged: Misfit[] = [];
  const firstOf = new Map<string, { sentence: string }>();
  for (const { keys, sentence } of misfits) {
    const path = memberPath(keys);
    const isAlternative = choices.has(path) && sentence.startsWith(MUST_BE);
    const first = isAlternative ? firstOf.get(path) : undefined;
    if (first) first.sentence += `, or ${sentence.slice(MUST_BE.length)}`;
    else {
      const misfit = { keys, sentence };
      merged.push(misfit);
      if (isAlternative) firstOf.set(path, misfit);
    }
  }
  return merged;
}

/** Errors of `anyOf`: drops type errors if one alternative has the type of the value. */
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

/** A type error is redundant when another error lists the allowed values. */
function isCoveredByEnum({ keyword, schemaPath, instancePath }: ErrorObject, errors: readonly ErrorObject[]) {
  const enumPath = schemaPath.replace(/type$/, "enum");
  return (
    keyword === "type" &&
    errors.some((other) => other.schemaPath === enumPath && other.instancePath === instancePath)
  );
}

function keysOf({ instancePath, keyword, params }: ErrorObject): Keys {
  const keys = instancePath
    .split("/")
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key.replaceAll("~1", "/").replaceAll("~0", "~")));
  if (keyword === "required") return [...keys, String(params.missingProperty)];
  return keyword === "additionalProperties" ? [...keys, String(params.additionalProperty)] : keys;
}

interface SchemaRule {
  readonly enum?: readonly unknown[];
  readonly title?: string;
}

function choiceOf(values: readonly unknown[]): string {
  const choices = values.filter((value) => value !== null);
  return `${choices.length > 1 ? "one of " : ""}${choices.join(", ")}`;
}

const TIME = "an ISO 8601 time with a zone, for example 2026-01-01T00:00:00Z";
const DURATION_TEXT = `a duration such as ${DURATION_EXAMPLES}`;

function sentenceOf({ keyword, params, message, parentSchema, data }: ErrorObject): string {
  switch (keyword) {
    case "required":
      return requiredSentence(parentSchema?.properties?.[params.missingProperty]);
    case "additionalProperties":
      return unknownMember(String(params.additionalProperty), Object.keys(parentSchema?.properties ?? {}));
    case "enum":
      return `must be ${choiceOf(params.allowedValues)}`;
    case "format":
      if (params.format === "date-time") return timeProblem(data, TIME);
      return `must be ${params.format === "fixed-duration" ? DURATION_TEXT : `a ${params.format}`}`;
    case "pattern":
      // The name that the schema gives to such a text says more than the pattern.
      return parentSchema?.title ? `must be ${parentSchema.title}` : (message ?? "is not valid");
    case "type":
      // The same of an object, whose members are not named where something else stands.
      if (params.type === "object" && parentSchema?.title) return `must be ${parentSchema.title}`;
      return `must be ${[params.type].flat().map(typeName).join(" or ")}${digitsRule(params.type, data)}`;
    default:
      return lengthSentence(keyword, params.limit) ?? message ?? "is not valid";
  }
}

/** A missing member, with its allowed values or their name. */
function requiredSentence({ enum: values, title }: SchemaRule = {}): string {
  if (values !== undefined) return `is required; use ${choiceOf(values)}`;
  return title === undefined ? "is required" : `is required; give ${title}`;
}

/** The rule for the length of a text or a list; undefined for other keywords. */
function lengthSentence(keyword: string, limit: unknown): string | undefined {
  const [, end, of] = /^(min|max)(Length|Items)$/.exec(keyword) ?? [];
  if (end === undefined) return undefined;
  if (end === "min" && limit === 1) return "must not be empty";
  return `must have at ${end === "min" ? "least" : "most"} ${limit} ${of === "Items" ? "items" : "characters"}`;
}

function digitsRule(type: unknown, data: unknown): string {
  return Number.isNaN(data) && /number|integer/.test(String(type)) ? " with at most 17 digits" : "";
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  null: "null",
  boolean: "true or false",
  object: "a JSON object",
};

function typeName(type: string): string {
  return TYPE_NAMES[type] ?? `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function unknownMember(name: string, knownNames: readonly string[]): string {
  return `is not a known field; ${hintFor(name, knownNames, `use one of ${knownNames.join(", ")}`)}`;
}
