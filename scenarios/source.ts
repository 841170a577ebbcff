import { readFileSync, statSync } from "node:fs";
import { relative } from "node:path";
import {
  type Document,
  isAlias,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLParseError,
} from "yaml";
import { exactNumber, markedName } from "../contracts/spec/exact-json.ts";
import { compile } from "../emulator/validation/compile.ts";
import type { Validator } from "../emulator/validation/compiler.ts";
import { type Keys, memberPath } from "../emulator/validation/misfits.ts";
import { MAX_FILE_BYTES } from "./bounds.ts";
import { scenarioSchema } from "./schema.ts";

/** A place in a file, for messages. */
export interface FileLocation {
  readonly file: string;
  readonly line: number;
}

/** An invalid scenario file: every problem with its line. */
export class ScenarioProblem extends Error {
  override readonly name = "ScenarioProblem";
}

/** A parsed YAML file with line numbers. */
export interface Source {
  readonly file: string;
  readonly value: unknown;
  /** The line of the member at this path. */
  lineOf(path: Keys): number;
}

/** Parses a YAML file. Throws `ScenarioProblem`, after the place that names the file, when it cannot be read, is too large or is not YAML. */
export function readSource(file: string, place = ""): Source {
  return parseSource(file, textOf(file, place));
}

/** Parses the text of a YAML file. Throws `ScenarioProblem` when it is not YAML. */
export function parseSource(file: string, text: string): Source {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    // A key that is a value in braces is a text without its quotes.
    stringKeys: true,
    merge: true,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lines.linePos(error.pos[0]);
    const reason = isTextInBraces(error, text.split("\n", line).at(-1) ?? "")
      ? `put texts with { } in quotes, such as "\${id}" or "GET /threads/{id}"`
      : `not valid YAML (${reasonOf(error)})`;
    throw new ScenarioProblem(`${shown(file)}:${line}: ${reason}`);
  }
  return {
    file,
    value: valueOf(file, () => {
      const cycle = aliasOfItself(document);
      if (cycle === undefined) return withExactBodies(document).toJS({ maxAliasCount: 100 }) as unknown;
      const { line } = lines.linePos(cycle);
      throw new ScenarioProblem(`${shown(file)}:${line}: the alias is part of its own value`);
    }),
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

/** Marks numbers and names in the bodies of requests and replies, so that their digits and their order are kept. */
function withExactBodies(document: Document): Document {
  visit(document, {
    Scalar(role, node, path) {
      if (!path.some((each) => isPair(each) && isScalar(each.key) && each.key.value === "body")) return;
      if (role === "key") node.value = markedName(String(node.value));
      else if (typeof node.value === "number" && node.source !== undefined)
        node.value = exactNumber(node.source) ?? node.value;
    },
  });
  return document;
}

/** The position of an alias inside the value that it names, which would be endless. */
function aliasOfItself(document: Document): number | undefined {
  const anchors = new Map<string, Node>();
  let position: number | undefined;
  visit(document, {
    Node(_key, node, path) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return undefined;
      }
      const value = anchors.get(node.source);
      if (value === undefined || !path.includes(value)) return undefined;
      position = node.range?.[0];
      return visit.BREAK;
    },
  });
  return position;
}

/** Between braces the parser takes a text that has some itself for the beginning or the end of an object. */
function isTextInBraces({ code }: YAMLParseError, line: string): boolean {
  if (code === "NON_STRING_KEY") return true;
  const unquoted = line.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "x");
  const isOdd = code === "UNEXPECTED_TOKEN" || code === "MISSING_CHAR";
  return isOdd && /[^\s[{,]\{|\}[^\s\]},]|\{[\w.-]+\} +[^\s\]},:#]/.test(unquoted);
}

function textOf(file: string, place: string): string {
  try {
    if (statSync(file).size > MAX_FILE_BYTES)
      throw new ScenarioProblem(`${place}${shown(file)}: larger than ${MAX_FILE_BYTES} bytes`);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof ScenarioProblem) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "no such file; check the path" : `cannot be read (${code})`;
    throw new ScenarioProblem(`${place}${shown(file)}: ${reason}`);
  }
}

function valueOf(file: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof ScenarioProblem) throw error;
    throw new ScenarioProblem(`${shown(file)}:1: ${reasonOf(error as Error)}`);
  }
}

/** The parser is recursive, and reports the end of its stack in the words of the engine. */
function reasonOf({ message }: Error): string {
  if (message.includes("call stack")) return "nests too deep";
  return message.includes("alias count") ? "its aliases make too many values; write them out" : message;
}

/** Throws a `ScenarioProblem` when a value of the file does not fit one of the schema's definitions. */
export function refuse(source: Source, definition: string, base: Keys, value: unknown): void {
  const misfits = validatorOf(definition)(value);
  if (misfits.length === 0) return;
  const lines = misfits.map(({ keys, sentence }) => problemLine(source, [...base, ...keys], sentence));
  throw new ScenarioProblem([...new Set(lines)].join("\n"));
}

/** A problem of a member, with its line. */
export function problemLine(source: Source, path: Keys, text: string): string {
  const name = memberPath(path).replace(/^\./, "");
  return `${shown(source.file)}:${source.lineOf(path)}: ${name ? `${name}:` : "the file"} ${text}`;
}

const validators = new Map<string, Validator>();

/** Steps are checked one by one, so that a problem names the one verb that was meant. */
function validatorOf(name: string): Validator {
  const cachedValidator = validators.get(name);
  if (cachedValidator) return cachedValidator;
  const definitions = { ...(scenarioSchema().$defs as Record<string, unknown>), step: {} };
  const validator = compile({ $ref: `#/$defs/${name}`, $defs: definitions });
  validators.set(name, validator);
  return validator;
}

/** The path relative to the working folder. */
export function shown(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
}
