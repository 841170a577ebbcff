import type { ErrorReply } from "../emulator/client/send.ts";
import { packageVersion } from "../emulator/config/package-version.ts";
import { nearest } from "../emulator/kernel/nearest.ts";
import { type Command, type CommandTable, type Interrupted, UsageError } from "./command.ts";
import { calledCommand, readCommandLine } from "./command-line.ts";
import { COMMANDS } from "./commands.ts";
import { commandHelp, groupHelp, overview } from "./help.ts";
import { toCliHints } from "./hints.ts";
import { exitCodeAfter } from "./signals.ts";
import { print, printError } from "./terminal.ts";

const DEFAULT_COMMAND = "start";

async function main(words: readonly string[], commands: CommandTable): Promise<number> {
  const [first, ...rest] = words;
  if (first === "--version" || first === "-v") return show(packageVersion());
  if (first === "--help" || first === "-h" || first === "help") return show(await overview());
  const isCommand = first !== undefined && !first.startsWith("-");
  const name = isCommand ? first : DEFAULT_COMMAND;
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) throw new UsageError(unknownCommand(name));
  const { command: entry } = await load();
  const called = calledCommand(name, entry, isCommand ? rest : words);
  if ("group" in called) return show(groupHelp(name, called.group));
  const invocation = readCommandLine(called, called.words, process.env, process.cwd());
  if (invocation.flags.help === true) return show(commandHelp(called));
  return called.command.run(invocation).catch((error) => exitAfter(error, called.command));
}

function show(text: string): number {
  print(text.split("\n"));
  return 0;
}

function unknownCommand(name: string): string {
  const suggestion = nearest(name, Object.keys(COMMANDS));
  return `${name}: unknown command; ${suggestion === undefined ? "see `emulator --help`" : `did you mean ${suggestion}?`}`;
}

type ExplainedError = Pick<Error, "message"> &
  Partial<Pick<UsageError, "problems">> &
  Partial<Pick<ErrorReply, "code" | "description" | "status">> &
  Partial<Pick<Interrupted, "signal">>;

/** Statuses of replies that refuse the user's input; others are about the state of the emulator. */
const REFUSED_INPUT = new Set<number | undefined>([400, 404, 422]);

/** Errors that end a command with a message, by name: separately built commands have their own error classes. */
const EXPLAINED: Readonly<Record<string, (error: ExplainedError) => [number, string]>> = {
  UsageError: ({ message }) => [2, message],
  StartProblem: ({ message }) => [2, message],
  CommandFailure: ({ message }) => [1, message],
  Interrupted: ({ message, signal = "SIGINT" }) => [exitCodeAfter(signal), message],
  NoReply: ({ message }) => [1, message],
  // Messages of the control API are complete; those of the platform API need the description.
  ErrorReply: ({ message, code, description = message, status }) => [
    REFUSED_INPUT.has(status) ? 2 : 1,
    code === undefined ? description : message,
  ],
};

function exitCodeFor(error: unknown, command?: Command): number {
  const explain = error instanceof Error ? EXPLAINED[error.name] : undefined;
  if (error instanceof Error && explain !== undefined) {
    const [code, message] = explain(error);
    const { problems = [message] } = error as ExplainedError;
    for (const problem of problems) printError(toCliHints(problem, command));
    return code;
  }
  const defect = error instanceof Error ? error.stack : String(error);
  for (const line of `a defect of the emulator: ${defect}`.split("\n")) printError(line);
  return 1;
}

/** Prints why a command has ended; returns its exit code. */
function exitAfter(error: unknown, command?: Command): number {
  const code = exitCodeFor(error, command);
  // The stopped work may still hold connections.
  return (error as Error).name === "Interrupted" ? process.exit(code) : code;
}

/** Runs the command that the process was started with, and sets the exit code; loaded ones go before those of the table. */
export async function runCommandLine(loaded: CommandTable = {}): Promise<void> {
  const commands = { ...COMMANDS, ...loaded };
  process.exitCode = await main(process.argv.slice(2), commands).catch((error) => exitAfter(error));
}
