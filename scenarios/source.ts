import { readFileSync, statSync } from "node:fs";
import { relative } from "node:path";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { LineCounter, parseDocument } from "yaml";
import { nearest, parseMicros } from "../emulator/client/values.ts";
import { MAX_FILE_BYTES } from "./bounds.ts";
import { scenarioSchema } from "./schema.ts";

/** Where something stands, for people. */
export interface FileLocation {
  readonly file: string;
  readonly line: number;
}

/** A file that is no scenario: every problem with its line. */
export class ScenarioProblem extends Error {
  override readonly name = "ScenarioProblem";
}

/** The way to a member. */
export type Keys = readonly (string | number)[];

/** A YAML file that knows its lines. */
export interface Source {
  readonly file: string;
  readonly value: unknown;
  /** The line on which the member at this path stands. */
  lineOf(path: Keys): number;
}

/** Throws a `ScenarioProblem` when the file is too large or no YAML. */
export function readSource(file: string): Source {
  const text = textOf(file);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    merge: true,
  });
  const [error] = document.errors;
  if (error !== undefined)
    throw new ScenarioProblem(`${shown(file)}:${lines.linePos(error.pos[0]).line}: ${error.message}`);
  return {
    file,
    value: valueOf(file, () => document.toJS({ maxAliasCount: 100 })),
    lineOf(path) {
      for (let depth = path.length; depth >= 0; depth -= 1) {
        const node = document.getIn(path.slice(0, depth), true) as
          | { readonly range?: readonly number[] }
          | undefined;
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

/** Throws what is wrong with a value of the file, told by one of the schema's definitions. */
export function refuse(source: Source, definition: string, base: Keys, value: unknown): void {
  const problems = problemsOf(source, validatorOf(definition), base, value);
  if (problems.length === 0) return;
  const lines = problems.map(({ line, text }) => `${shown(source.file)}:${line}: ${text}`);
  throw new ScenarioProblem(lines.join("\n"));
}

function problemsOf(source: Source, validate: ValidateFunction, base: Keys, value: unknown) {
  if (validate(value)) return [];
  const described = (validate.errors ?? []).filter(({ keyword }) => keyword !== "anyOf" && keyword !== "if");
  return described.map((error) => {
    const path = [...base, ...keysOf(error)];
    return { line: source.lineOf(path), text: `${nameOf(path)}: ${describeProblem(error)}` };
  });
}

function keysOf({ instancePath, keyword, params }: ErrorObject): (string | number)[] {
  const keys = instancePath
    .split("/")
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key.replaceAll("~1", "/").replaceAll("~0", "~")));
  return keyword === "additionalProperties" ? [...keys, String(params.additionalProperty)] : keys;
}

/** As a reader of the file would name a member. */
export function nameOf(path: Keys): string {
  return (
    path
      .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
      .join("")
      .replace(/^\./, "") || "the file"
  );
}

function describeProblem({ keyword, params, message, parentSchema }: ErrorObject): string {
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

/** As a reader in the working folder would name it. */
export function shown(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
}
