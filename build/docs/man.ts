import type { AnyCommand, NamedCommand } from "../../bin/command.ts";
import { COMMANDS } from "../../bin/commands.ts";
import { EXAMPLES } from "../../bin/examples.ts";
import { ENVIRONMENT, EXIT_CODES } from "../../bin/help.ts";

/** The manual page `emulator(1)`, in the macros of man(7). */
export async function manualPage(): Promise<string> {
  const commands: NamedCommand[] = [];
  for (const [name, load] of Object.entries(COMMANDS))
    commands.push(...namedCommands(name, (await load()).command));
  return `${[
    '.\\" Written by `npm run docs`: change the tables that it is made of.',
    '.TH EMULATOR 1 "" "trace-platform-emulator"',
    ".SH NAME",
    "emulator \\- a local emulator of a hosted tracing and agent platform",
    ".SH SYNOPSIS",
    ".B emulator",
    "[command] [flags]",
    ".SH DESCRIPTION",
    roff("Without a command it starts an emulator. `emulator help <command>` prints the flags of a command."),
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH ENVIRONMENT",
    roff(ENVIRONMENT),
    ".SH EXIT STATUS",
    ...Object.entries(EXIT_CODES).flatMap(([code, text]) => [".TP", `.B ${code}`, roff(text)]),
  ].join("\n")}\n`;
}

function namedCommands(name: string, entry: AnyCommand): readonly NamedCommand[] {
  if (!("actions" in entry)) return [{ name, command: entry }];
  return Object.entries(entry.actions).map(([action, command]) => ({ name: `${name} ${action}`, command }));
}

function commandLines({ name, command }: NamedCommand): readonly string[] {
  const [group = "", action = ""] = name.split(" ");
  const examples = EXAMPLES[group]?.lines[action] ?? [];
  return [
    `.SS ${roff([name, ...command.operands].join(" "))}`,
    roff(command.summary),
    ...Object.entries(command.flags).flatMap(([flag, { value, help }]) => [
      ".TP",
      `.B ${roff(`--${flag}${value === undefined ? "" : ` ${value}`}`)}`,
      roff(help),
    ]),
    ".PP",
    ".nf",
    ...examples.map((line) => roff(`emulator ${line}`)),
    ".fi",
  ];
}

/** Text for roff: a backslash and a hyphen stand for themselves, and no line is a macro. */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
}
