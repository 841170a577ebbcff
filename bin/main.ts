import { packageVersion } from "../emulator/config/package-version.ts";
import { hintFor } from "../emulator/kernel/nearest.ts";
import { type CommandTable, type NamedCommand, UsageError } from "./command.ts";
import { calledCommand, readCommandLine, wantsJson } from "./command-line.ts";
import { COMMANDS } from "./commands.ts";
import { reportFailure } from "./failure.ts";
import { commandHelp, groupHelp, overview } from "./help.ts";
import { print } from "./terminal.ts";

const DEFAULT_COMMAND = "start";

async function main(words: readonly string[], commands: CommandTable, isJson: boolean): Promise<number> {
  const [first, ...rest] = words;
  if (first === "--version" || first === "-v") return show(packageVersion());
  if (first === "--help" || first === "-h") return show(await overview(COMMANDS));
  const isCommand = first !== undefined && !first.startsWith("-");
  const name = isCommand ? first : DEFAULT_COMMAND;
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) throw new UsageError(unknownCommand(name));
  const { command: entry } = await load();
  const called = calledCommand(name, entry, isCommand ? rest : words);
  if ("group" in called) return show(groupHelp(name, called.group));
  const invocation = readCommandLine(called, called.words, process.env, process.cwd());
  if (invocation.flags.help === true) return show(commandHelp(called));
  return called.command.run(invocation).catch((error) => exitAfter(error, isJson, called));
}

function show(text: string): number {
  print(text.split("\n"));
  return 0;
}

function unknownCommand(name: string): string {
  return `${name}: unknown command; ${hintFor(name, Object.keys(COMMANDS), "see `emulator --help`")}`;
}

/** Prints why a command has ended; returns its exit code. */
function exitAfter(error: unknown, isJson: boolean, called?: NamedCommand): number {
  const code = reportFailure(error, isJson, called);
  // The stopped work may still hold connections.
  return (error as Error).name === "Interrupted" ? process.exit(code) : code;
}

/** Runs the command that the process was started with, and sets the exit code; loaded ones go before those of the table. */
export async function runCommandLine(extraCommands: CommandTable = {}): Promise<void> {
  const commands = { ...COMMANDS, ...extraCommands };
  const words = process.argv.slice(2);
  const isJson = wantsJson(words, process.env);
  process.exitCode = await main(words, commands, isJson).catch((error) => exitAfter(error, isJson));
}
