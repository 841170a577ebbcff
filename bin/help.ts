import {
  type AnyCommand,
  COMMON_FLAGS,
  type CommandGroup,
  type Flags,
  type NamedCommand,
} from "./command.ts";
import { TWINNED } from "./command-line.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { aligned } from "./terminal.ts";

const INDENT = "  ";

/** Which flags have an environment variable. */
export const ENVIRONMENT = `The flags of settings have an environment variable: --port is EMULATOR_PORT; so have ${TWINNED.map((flag) => `--${flag}`).join(", ")} and --config.`;

/** The help of one command. */
export function commandHelp({ name, command }: NamedCommand): string {
  return [
    command.summary,
    "",
    `Usage: ${["emulator", name, ...command.operands, "[flags]"].join(" ")}`,
    "",
    "Flags:",
    ...flagLines({ ...command.flags, ...COMMON_FLAGS }),
  ].join("\n");
}

/** The help of a command with actions. */
export function groupHelp(name: string, { summary, actions, usual }: CommandGroup): string {
  const rows = Object.entries(actions).map(([action, { operands, summary }]) => [
    [action, ...operands].join(" "),
    summary,
  ]);
  return [
    summary,
    "",
    `Usage: emulator ${name} <action> [flags]${usual === undefined ? "" : `   (without an action: ${usual})`}`,
    "",
    "Actions:",
    ...aligned(rows, INDENT),
    "",
    `\`emulator ${name} <action> --help\` lists the flags of an action.`,
  ].join("\n");
}

/** The list of commands. */
export async function overview(): Promise<string> {
  const rows: [string, string][] = [];
  for (const [name, load] of Object.entries(COMMANDS)) {
    const { command } = await load();
    rows.push([`${name} ${wordsOf(command)}`, command.summary]);
  }
  // What follows a mark explains more than a line of help has room for.
  const codes = Object.entries(EXIT_CODES).map(([code, text]) => `${code} ${text.replace(/[:;,] .*$/, "")}`);
  return [
    "A local emulator of a hosted tracing and agent platform.",
    "",
    "Usage: emulator [command] [flags]   (without a command: start)",
    "",
    "Commands:",
    ...aligned(rows, INDENT),
    "",
    "`emulator <command> --help` lists the flags of a command, `emulator --version` prints the version.",
    ENVIRONMENT,
    `Exit codes: ${codes.join(", ")}.`,
    "Documentation: docs/README.md of the package; for coding agents AGENTS.md.",
  ].join("\n");
}

function wordsOf(entry: AnyCommand): string {
  return "actions" in entry ? Object.keys(entry.actions).join("|") : entry.operands.join(" ");
}

function flagLines(flags: Flags): string[] {
  const rows = Object.entries(flags).map(([name, { value, help }]) => [
    `--${name}${value === undefined ? "" : ` ${value}`}`,
    help,
  ]);
  return aligned(rows, INDENT);
}
