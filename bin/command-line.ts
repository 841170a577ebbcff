import { parseArgs } from "node:util";
import { variableOf } from "../emulator/config/layers.ts";
import { nearest } from "../emulator/kernel/nearest.ts";
import { COMMON_FLAGS, type Command, type Flags, type Invocation, UsageError } from "./command.ts";

/** Flags that belong to no setting: settings read and check their own environment variables. */
const TWINNED = ["json", "quiet", "ready-file", "url", "timeout", "world"];

const ON = new Set(["true", "1", "on"]);
const OFF = new Set(["false", "0", "off"]);

/** Parses the arguments of a command; flags left out are read from their environment variables. Throws `UsageError`. */
export function readCommandLine(
  name: string,
  command: Command,
  words: readonly string[],
  env: Invocation["env"],
  cwd: string,
): Invocation {
  const known: Flags = { ...command.flags, ...COMMON_FLAGS };
  const { flags, operands } = readWords(name, known, words);
  if (flags.help !== true && !fits(command.operands, operands.length))
    throw new UsageError(operandProblem(name, command, operands));
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
    args: withDefaultWords(known, words),
    options: { ...options, help: { type: "boolean", short: "h" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags: Record<string, string | boolean> = {};
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const value = flagValue(name, known, token);
    const before = known[token.name]?.many ? flags[token.name] : undefined;
    flags[token.name] = before === undefined ? value : `${before}\n${value}`;
  }
  return { flags, operands };
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
  return token.value;
}

function unknownFlag(command: string, rawName: string, known: Flags): string {
  const meant = nearest(rawName.replace(/^-+/, ""), Object.keys(known));
  const hint = meant === undefined ? `see \`emulator ${command} --help\`` : `did you mean --${meant}?`;
  return `${rawName}: unknown flag; ${hint}`;
}

/** A last operand ending in `…` takes any number of words, at least one unless it is in brackets. */
function fits(names: readonly string[], count: number): boolean {
  const last = names.at(-1) ?? "";
  if (!/…[>\]]$/.test(last)) return count === names.length;
  return count >= (last.startsWith("[") ? names.length - 1 : names.length);
}

function operandProblem(name: string, command: Command, operands: readonly string[]): string {
  const missing = command.operands[operands.length];
  if (missing !== undefined) return `${name}: ${missing} is missing; see \`emulator ${name} --help\``;
  return `${operands[command.operands.length]}: not expected after ${name}; see \`emulator ${name} --help\``;
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
