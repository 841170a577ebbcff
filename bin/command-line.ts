import { parseArgs } from "node:util";
import { variableOf } from "../emulator/config/layers.ts";
import { nearest } from "../emulator/kernel/nearest.ts";
import {
  type AnyCommand,
  COMMON_FLAGS,
  type CommandGroup,
  type Flags,
  type Invocation,
  type NamedCommand,
  UsageError,
} from "./command.ts";

/** Flags that belong to no setting: settings read and check their own environment variables. */
export const TWINNED = ["json", "quiet", "ready-file", "url", "timeout", "world", "log", "log-format"];

const ON = new Set(["true", "1", "on"]);
const OFF = new Set(["false", "0", "off"]);

/** The command that these words call with its own words, or the group whose help they ask for. Throws `UsageError`. */
export function calledCommand(
  name: string,
  entry: AnyCommand,
  words: readonly string[],
): (NamedCommand & { readonly words: readonly string[] }) | { readonly group: CommandGroup } {
  if (!("actions" in entry)) return { name, command: entry, words };
  const [first = "", ...rest] = words;
  if (first === "--help" || first === "-h") return { group: entry };
  const isNamed = first !== "" && !first.startsWith("-");
  const action = isNamed ? first : (entry.usual ?? "");
  const command = Object.hasOwn(entry.actions, action) ? entry.actions[action] : undefined;
  if (command !== undefined) return { name: `${name} ${action}`, command, words: isNamed ? rest : words };
  const actions = Object.keys(entry.actions);
  const meant = isNamed ? nearest(action, actions) : undefined;
  const problem = isNamed ? `${name} ${action}: unknown command` : `${name}: a command is missing`;
  throw new UsageError(
    `${problem}; ${meant === undefined ? `give one of ${actions.join(", ")}` : `did you mean ${meant}?`}`,
  );
}

/** Parses the arguments of a command; flags left out are read from their environment variables. Throws `UsageError`. */
export function readCommandLine(
  { name, command }: NamedCommand,
  words: readonly string[],
  env: Invocation["env"],
  cwd: string,
): Invocation {
  const known: Flags = { ...command.flags, ...COMMON_FLAGS };
  const { flags, operands } = readWords(name, known, words);
  if (flags.help !== true) checkOperands(name, command.operands, operands);
  return { flags: { ...flagsFromTwins(known, env), ...flags }, operands, cwd, env };
}

function readWords(
  name: string,
  known: Flags,
  words: readonly string[],
): { readonly flags: Record<string, string | boolean>; readonly operands: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries(known).map(([flag, { value }]) => [flag, { type: value ? "string" : "boolean" } as const]),
  );
  const { tokens } = parseArgs({
    args: withDefaultWords(known, words).map(marked),
    options: { ...options, help: { type: "boolean", short: "h" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags: Record<string, string | boolean> = {};
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(unmarked(token.value));
    if (token.kind !== "option") continue;
    const value = flagValue(name, known, token);
    const before = known[token.name]?.many ? flags[token.name] : undefined;
    flags[token.name] = before === undefined ? value : `${before}\n${value}`;
  }
  return { flags, operands };
}

/** What begins like a number below zero is an operand, not a group of flags. */
const NEGATIVE = /^-(?=\d)/;
const MARK = "\0-";

function marked(word: string): string {
  return word.replace(NEGATIVE, MARK);
}

function unmarked(word: string): string {
  return word.startsWith(MARK) ? word.slice(1) : word;
}

/** Gives flags whose value may be left out their first word. */
function withDefaultWords(known: Flags, words: readonly string[]): string[] {
  const end = words.indexOf("--");
  return words.flatMap((word, index) => {
    const choices = known[word.slice(2)]?.words;
    const isFlag = word.startsWith("--") && (end === -1 || index < end);
    if (!isFlag || choices === undefined || choices.includes(words[index + 1] ?? "")) return [word];
    return [`${word}=${choices[0]}`];
  });
}

function flagValue(
  command: string,
  known: Flags,
  token: {
    readonly name: string;
    readonly rawName: string;
    readonly value?: string;
    readonly inlineValue?: boolean;
  },
): string | boolean {
  const flag = known[token.name];
  if (flag === undefined) throw new UsageError(unknownFlag(command, token.rawName, known));
  if (flag.value === undefined) {
    if (token.value !== undefined)
      throw new UsageError(`--${token.name}: it takes no value; leave the value out`);
    return true;
  }
  const isFlagInstead = token.inlineValue !== true && token.value?.startsWith("--") === true;
  if (!token.value || isFlagInstead)
    throw new UsageError(`--${token.name}: the value is missing; give ${flag.value}`);
  return unmarked(token.value);
}

function unknownFlag(command: string, rawName: string, known: Flags): string {
  const meant = nearest(rawName.replace(/^-+/, ""), Object.keys(known));
  const hint = meant === undefined ? `see \`emulator ${command} --help\`` : `did you mean --${meant}?`;
  return `${rawName}: unknown flag; ${hint}`;
}

/** An operand in brackets may be left out; a last one ending in `…` takes any further words. */
function checkOperands(name: string, known: readonly string[], given: readonly string[]): void {
  const missing = known[given.length];
  if (missing !== undefined && !missing.startsWith("["))
    throw new UsageError(`${name}: ${missing} is missing; see \`emulator ${name} --help\``);
  const surplus = ["…>", "…]"].includes(known.at(-1)?.slice(-2) ?? "") ? undefined : given[known.length];
  if (surplus !== undefined)
    throw new UsageError(`${surplus}: not expected after ${name}; see \`emulator ${name} --help\``);
}

function flagsFromTwins(known: Flags, env: Invocation["env"]): Record<string, string | boolean> {
  const flags: Record<string, string | boolean> = {};
  for (const flag of TWINNED) {
    const variable = variableOf(flag);
    const text = env[variable];
    if (!known[flag] || !text) continue;
    if (known[flag].value !== undefined) flags[flag] = text;
    else if (ON.has(text)) flags[flag] = true;
    else if (!OFF.has(text)) throw new UsageError(`${variable}: "${text}" is not valid; give true or false`);
  }
  return flags;
}
