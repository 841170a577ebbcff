import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Problem } from "./problem.ts";

const NAMES = ["emulator.config.yaml", "emulator.config.yml", "emulator.config.json"] as const;
const MAX_BYTES = 4 * 1024 * 1024;

const READ_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: "file not found",
  EISDIR: "this is a folder, not a file",
};

/** A configuration file as read: its tree, its name for messages, the folder its paths start from. */
export interface ConfigurationFile {
  readonly tree: unknown;
  readonly name: string;
  readonly folder: string;
}

/** The given file, else the one in the working folder; undefined when neither exists. */
export async function readConfigurationFile(
  configPath: string | undefined,
  cwd: string,
  problems: Problem[],
): Promise<ConfigurationFile | undefined> {
  const path = configPath === undefined ? findFile(cwd, problems) : resolve(cwd, configPath);
  if (path === undefined) return undefined;
  const name = configPath ?? basename(path);
  const source = readText(path, name, problems);
  if (source === undefined) return undefined;
  const tree = path.endsWith(".json")
    ? parseJson(source, name, problems)
    : await parseYaml(source, name, problems);
  return tree === undefined ? undefined : { tree, name, folder: dirname(path) };
}

function findFile(cwd: string, problems: Problem[]): string | undefined {
  const present = NAMES.filter((name) => statSync(join(cwd, name), { throwIfNoEntry: false })?.isFile());
  if (present.length > 1)
    problems.push({
      where: present.join(", "),
      what: "more than one configuration file",
      fix: "keep one, or name one with --config",
    });
  return present[0] === undefined ? undefined : join(cwd, present[0]);
}

function readText(path: string, name: string, problems: Problem[]): string | undefined {
  try {
    const size = statSync(path).size;
    if (size <= MAX_BYTES) return readFileSync(path, "utf8");
    problems.push({
      where: name,
      what: `the file has ${size} bytes`,
      fix: `a configuration has at most ${MAX_BYTES}`,
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    const what = READ_PROBLEMS[code] ?? `the file cannot be read (${code})`;
    problems.push({ where: name, what, fix: "check the path given with --config" });
  }
  return undefined;
}

function parseJson(source: string, name: string, problems: Problem[]): unknown {
  try {
    return JSON.parse(source) ?? {};
  } catch (error) {
    // The parser's own message quotes the source, which may hold a secret: only the position is kept.
    const position = /position (\d+)/.exec(String(error))?.[1];
    const before = source.slice(0, Number(position ?? 0)).split("\n");
    const placeText =
      position === undefined ? "" : ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    problems.push({ where: name, what: `not valid JSON${placeText}`, fix: "correct the syntax there" });
    return undefined;
  }
}

async function parseYaml(source: string, name: string, problems: Problem[]): Promise<unknown> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  for (const error of document.errors.slice(0, 5)) {
    const { line, col } = lines.linePos(error.pos[0]);
    // The code instead of the message: messages may quote the source, which may hold a secret.
    const what = `not valid YAML (${error.code.toLowerCase().replaceAll("_", " ")})`;
    problems.push({ where: `${name}, line ${line}, column ${col}`, what, fix: "correct it" });
  }
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS() ?? {};
  } catch {
    problems.push({ where: name, what: "too many or unresolved aliases", fix: "write the values out" });
    return undefined;
  }
}
