import { parseArgs } from "node:util";
import { variableOf } from "../emulator/config/layers.ts";
import { hintFor, nearest } from "../emulator/kernel/nearest.ts";
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
export const VARIABLE_FLAGS = ["json", "quiet", "ready-file", "url", "timeout", "world", "log", "log-format"];

const ON = new Set(["true", "1", "on"]);
const OFF = new Set(["false", "0", "off"]);

/** Whether errors are printed as JSON, also those of words that cannot be parsed. */
export function wantsJson(words: readonly string[], env: Invocation["env"]): boolean {
  const end = words.indexOf("--");
  return (
    words.slice(0, end === -1 ? undefined : end).includes("--json") || ON.has(env[variableOf("json")] ?? "")
  );
}

/** The command that these words call, with its words, or the group whose help they request. Throws `UsageError`. */
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
  const advice = `give one of ${actions.join(", ")}`;
  throw new UsageError(
    isNamed
      ? `${name} ${action}: unknown command; ${hintFor(action, actions, advice)}`
      : `${name}: a command is missing; ${advice}`,
  );
}

/** Parses the arguments of a command; flags left out are read from their environment variables. Throws `UsageError`. */
export function readCommandLine(
  { name, command }: NamedCommand,
  words: readonly string[],
  env: Invocation["env"],
  cwd: string,
): Invocation {
  const commandFlags: Flags = { ...command.flags, ...COMMON_FLAGS };
  const { flags, operands } = readWords(name, commandFlags, words);
  if (flags.help !== true) checkOperands(name, command.operands, operands);
  return { flags: { ...flagsFromVariables(commandFlags, env), ...flags }, operands, cwd, env };
}

function readWords(
  name: string,
  commandFlags: Flags,
  words: readonly string[],
): { readonly flags: Record<string, string | boolean>; readonly operands: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries(commandFlags).map(([flag, { value }]) => [
      flag,
      { type: value ? "string" : "boolean" } as const,
    ]),
  );
  const { tokens } = parseArgs({
    args: withDefaultWords(commandFlags, words).map(marked),
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
    const value = flagValue(name, commandFlags, token);
    const before = commandFlags[token.name]?.many ? flags[token.name] : undefined;
    flags[token.name] = before === undefined ? value : `${before}\n${value}`;
  }
  return { flags, operands };
}

/** A word that begins like a negative number is an operand, not a group of flags. */
const NEGATIVE = /^-(?=\d)/;
const MARK = "\0-";

function marked(word: string): string {
  return word.replace(NEGATIVE, MARK);
}

function unmarked(word: string): string {
  return word.startsWith(MARK) ? word.slice(1) : word;
}

/** Gives flags whose value may be left out their first word. */
function withDefaultWords(commandFlags: Flags, words: readonly string[]): string[] {
  const end = words.indexOf("--");
  return words.flatMap((word, index) => {
    const choices = commandFlags[word.slice(2)]?.words;
    const isFlag = word.startsWith("--") && (end === -1 || index < end);
    if (!isFlag || choices === undefined || choices.includes(words[index + 1] ?? "")) return [word];
    return [`${word}=${choices[0]}`];
  });
}

function flagValue(
  command: string,
  commandFlags: Flags,
  token: {
    readonly name: string;
    readonly rawName: string;
    readonly value?: string;
    readonly inlineValue?: boolean;
  },
): string | boolean {
  const flag = commandFlags[token.name];
  if (flag === undefined) throw new UsageError(unknownFlag(command, token.rawName, commandFlags));
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

function unknownFlag(command: string, rawName: string, commandFlags: Flags): string {
  const suggestion = nearest(rawName.replace(/^-+/, ""), Object.keys(commandFlags));
  const hint =
    suggestion === undefined || suggestion === "help"
      ? `see \`emulator ${command} --help\``
      : `did you mean --${suggestion}?`;
  return `${rawName}: unknown flag; ${hint}`;
}

/** An operand in brackets may be left out; a last one ending in `…` takes any further words. */
function checkOperands(name: string, operandNames: readonly string[], words: readonly string[]): void {
  const missingOperand = operandNames[words.length];
  if (missingOperand !== undefined && !missingOperand.startsWith("["))
    throw new UsageError(`${name}: ${missingOperand} is missing; see \`emulator ${name} --help\``);
  const surplus = ["…>", "…]"].includes(operandNames.at(-1)?.slice(-2) ?? "")
    ? undefined
    : words[operandNames.length];
  if (surplus !== undefined)
    throw new UsageError(`${surplus}: not expected after ${name}; see \`emulator ${name} --help\``);
}

function flagsFromVariables(commandFlags: Flags, env: Invocation["env"]): Record<string, string | boolean> {
  const flags: Record<string, string | boolean> = {};
  for (const flag of VARIABLE_FLAGS) {
    const variable = variableOf(flag);
    const text = env[variable];
    if (!commandFlags[flag] || !text) continue;
    if (commandFlags[flag].value !== undefined) flags[flag] = text;
    else if (ON.has(text)) flags[flag] = true;
    else if (!OFF.has(text)) throw new UsageError(`${variable}: "${text}" is not valid; give true or false`);
  }
  return flags;
}
