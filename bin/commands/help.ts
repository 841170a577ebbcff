import { hintFor } from "../../emulator/kernel/nearest.ts";
import { type Command, type CommandTable, UsageError } from "../command.ts";
import { calledCommand } from "../command-line.ts";
import { ERROR_CODES } from "../error-codes.ts";
import { commandHelp, groupHelp, overview } from "../help.ts";
import { printResult } from "../terminal.ts";

/** The command that explains the commands of a table, and error codes. */
export function helpOf(commands: CommandTable): { readonly command: Command } {
  return {
    command: {
      summary: "explain a command, or the code of an error; without a word, list the commands",
      operands: ["[command or error code…]"],
      flags: {},
      async run(invocation) {
        const text = await helpText(commands, invocation.operands);
        printResult(invocation, { help: text }, text.split("\n"));
        return 0;
      },
    },
  };
}

async function helpText(commands: CommandTable, [name, ...rest]: readonly string[]): Promise<string> {
  if (name === undefined) return overview(commands);
  const explanation = Object.hasOwn(ERROR_CODES, name) ? ERROR_CODES[name] : undefined;
  const codeText = explanation && `${name}: ${explanation[0]}\n\nNext step: ${explanation[1]}`;
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined && codeText === undefined)
    throw new UsageError(unknownName(name, Object.keys(commands)));
  const commandText = load && (await helpOfCommand(name, load, rest));
  const isBoth = commandText !== undefined && codeText !== undefined;
  return [
    commandText,
    isBoth ? "\nThere is also an error code of this name, in replies of the emulator:\n" : undefined,
    codeText,
  ]
    .filter((text) => text !== undefined)
    .join("\n");
}

async function helpOfCommand(
  name: string,
  load: CommandTable[string],
  rest: readonly string[],
): Promise<string> {
  const { command } = await load();
  if ("actions" in command && rest.length === 0) return groupHelp(name, command);
  const called = calledCommand(name, command, rest);
  return "group" in called ? groupHelp(name, called.group) : commandHelp(called);
}

function unknownName(name: string, commandNames: readonly string[]): string {
  const hint = hintFor(name, [...commandNames, ...Object.keys(ERROR_CODES)], "see `emulator --help`");
  return `help: "${name}" is neither a command nor an error code; ${hint}`;
}
