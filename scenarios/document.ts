import { readFileSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { LineCounter, parseDocument } from "yaml";
import { nearest } from "../emulator/domain/nearest.ts";
import { parseMicros } from "../emulator/kernel/instant.ts";
import { MAX_FILE_BYTES, MAX_INCLUDE_DEPTH } from "./bounds.ts";
import { type GivenStep, SECTION_NAMES, type Verb, VERBS } from "./definition.ts";
import { scenarioSchema } from "./schema.ts";

/** Where something stands, for people. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export interface Step {
  readonly verb: Verb;
  readonly given: GivenStep;
  /** For example `when[2]`. */
  readonly label: string;
  readonly place: Place;
  /** Of a repetition or an inclusion. */
  readonly steps: readonly Step[];
}

export interface Scenario {
  /** The file's name without `.scenario.yaml`. */
  readonly name: string;
  readonly file: string;
  readonly sentence: string;
  readonly seed: number | undefined;
  readonly now: string | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

/** A file that is no scenario: every problem with its line. */
export class ScenarioProblem extends Error {
  override readonly name = "ScenarioProblem";
}

export const SCENARIO_SUFFIX = ".scenario.yaml";

/** Reads a scenario with everything that it includes; throws every problem of a file at once. */
export function readScenario(file: string): Scenario {
  const source = readSource(file);
  const head = source.value as Readonly<Record<string, unknown>>;
  refuse(source, problemsOf(source, validatorOf("scenario"), [], head));
  const steps = SECTION_NAMES.flatMap((section) => stepsOf(source, [section], section, [file]));
  if (steps.length === 0)
    throw new ScenarioProblem(`${shown(file)}:1: it has no steps; give it given, when or then`);
  return {
    name: (file.split(/[\\/]/).at(-1) ?? file).replace(/\.scenario\.ya?ml$/, ""),
    file,
    sentence: String(head.scenario),
    seed: head.seed as number | undefined,
    now: head.now as string | undefined,
    settings: (head.settings ?? {}) as Scenario["settings"],
    variables: (head.variables ?? {}) as Scenario["variables"],
    steps,
  };
}

type Keys = readonly (string | number)[];

interface Source {
  readonly file: string;
  readonly value: unknown;
  /** The line on which the member at this path stands. */
  lineOf(path: Keys): number;
}

function readSource(file: string): Source {
  const text = textOf(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, merge: true });
  const [error] = document.errors;
  if (error !== undefined)
    throw new ScenarioProblem(`${shown(file)}:${lines.linePos(error.pos[0]).line}: ${error.message}`);
  return {
    file,
    value: valueOf(file, () => document.toJS({ maxAliasCount: 100 })),
    lineOf(path) {
      for (let depth = path.length; depth >= 0; depth -= 1) {
        const node = document.getIn(path.slice(0, depth), true) as { readonly range?: readonly number[] } | undefined;
        if (node?.range?.[0] !== undefined) return lines.linePos(node.range[0]).line;
      }
      return 1;
    },
  };
}

function textOf(file: string): string {
  try {
    if (statSync(file).size > MAX_FILE_BYTES)
      throw new ScenarioProblem(`${shown(file)}: it is larger than ${MAX_FILE_BYTES} bytes`);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof ScenarioProblem) throw error;
    throw new ScenarioProblem(`${shown(file)}: it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function valueOf(file: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new ScenarioProblem(`${shown(file)}:1: ${(error as Error).message}`);
  }
}

function stepsOf(source: Source, path: Keys, label: string, opened: readonly string[]): Step[] {
  const list = path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)?.[key], source.value);
  if (list === undefined) return [];
  return (list as readonly unknown[]).map((given, index) =>
    stepOf(source, [...path, index], `${label}[${index}]`, given, opened),
  );
}

function stepOf(source: Source, path: Keys, label: string, given: unknown, opened: readonly string[]): Step {
  const place = { file: source.file, line: source.lineOf(path) };
  const verb = verbOf(place, label, given);
  refuse(source, problemsOf(source, validatorOf(verb), path, given));
  const step = given as GivenStep;
  if (verb === "repeat")
    return { verb, given: step, label, place, steps: stepsOf(source, [...path, "steps"], label, opened) };
  if (verb === "include") return { verb, given: step, label, place, steps: included(place, label, step, opened) };
  return { verb, given: step, label, place, steps: [] };
}

/** `request` carries an `expect` of its own, so the verb `expect` is the one that stands alone. */
function verbOf(place: Place, label: string, given: unknown): Verb {
  const where = `${shown(place.file)}:${place.line}: ${label}`;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ScenarioProblem(`${where}: a step is an object with one of ${Object.keys(VERBS).join(", ")}`);
  const names = Object.keys(given);
  const found = (Object.keys(VERBS) as Verb[]).filter((verb) => names.includes(verb));
  const [only, second] = found.length > 1 ? found.filter((verb) => verb !== "expect") : found;
  if (only !== undefined && second === undefined) return only;
  if (only !== undefined) throw new ScenarioProblem(`${where}: it has two verbs, ${only} and ${String(second)}`);
  const meant = names.map((name) => nearest(name, Object.keys(VERBS))).find((name) => name !== undefined);
  const hint = meant === undefined ? `give one of ${Object.keys(VERBS).join(", ")}` : `did you mean ${meant}?`;
  throw new ScenarioProblem(`${where}: it has no verb; ${hint}`);
}

function included(place: Place, label: string, given: GivenStep, opened: readonly string[]): Step[] {
  const { include } = given as GivenStep<"include">;
  const file = resolve(dirname(place.file), include);
  const where = `${shown(place.file)}:${place.line}: ${label}`;
  if (opened.includes(file)) throw new ScenarioProblem(`${where}: ${include} includes itself`);
  if (opened.length > MAX_INCLUDE_DEPTH)
    throw new ScenarioProblem(`${where}: files include one another more than ${MAX_INCLUDE_DEPTH} deep`);
  const source = readSource(file);
  refuse(source, problemsOf(source, validatorOf("part"), [], source.value));
  return stepsOf(source, ["steps"], `${label}.${include}`, [...opened, file]);
}

function refuse({ file }: Source, problems: readonly { readonly line: number; readonly text: string }[]): void {
  if (problems.length === 0) return;
  throw new ScenarioProblem(problems.map(({ line, text }) => `${shown(file)}:${line}: ${text}`).join("\n"));
}

function problemsOf(source: Source, validate: ValidateFunction, base: Keys, value: unknown) {
  if (validate(value)) return [];
  const told = (validate.errors ?? []).filter(({ keyword }) => keyword !== "anyOf" && keyword !== "if");
  return told.map((error) => {
    const path = [...base, ...keysOf(error)];
    return { line: source.lineOf(path), text: `${nameOf(path)}: ${saying(error)}` };
  });
}

function keysOf({ instancePath, keyword, params }: ErrorObject): (string | number)[] {
  const keys = instancePath
    .split("/")
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key.replaceAll("~1", "/").replaceAll("~0", "~")));
  return keyword === "additionalProperties" ? [...keys, String(params.additionalProperty)] : keys;
}

function nameOf(path: Keys): string {
  return path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("").replace(/^\./, "") || "the file";
}

function saying({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (keyword === "required") return `${String(params.missingProperty)} is missing`;
  if (keyword === "enum") return `must be one of ${(params.allowedValues as readonly unknown[]).join(", ")}`;
  if (keyword !== "additionalProperties") return message ?? "is not acceptable";
  const known = Object.keys((parentSchema?.properties ?? {}) as object);
  const meant = nearest(String(params.additionalProperty), known);
  return `is not known here; ${meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`}`;
}

const validators = new Map<string, ValidateFunction>();

/** The lists of steps are checked step by step, so that a problem is told of the one verb that was meant. */
function validatorOf(name: string): ValidateFunction {
  const known = validators.get(name);
  if (known) return known;
  const schema = scenarioSchema();
  const definitions = { ...(schema.$defs as Record<string, unknown>), step: {} };
  const ajv = new Ajv2020({ allErrors: true, strict: false, verbose: true });
  ajv.addFormat("date-time", { type: "string", validate: (text: string) => parseMicros(text) !== undefined });
  for (const each of Object.keys(definitions))
    validators.set(each, ajv.compile({ $ref: `#/$defs/${each}`, $defs: definitions }));
  return validatorOf(name);
}

function shown(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
}
