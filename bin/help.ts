import { COMMON_FLAGS, type Command, type Flags } from "./command.ts";
import { COMMANDS } from "./commands.ts";

const GAP = 2;

/** The help of one command. */
export function commandHelp(name: string, command: Command): string {
  const usage = ["emulator", name, ...command.operands, "[flags]"].join(" ");
  return [
    command.summary,
    "",
    `Usage: ${usage}`,
    "",
    "Flags:",
    ...flagLines({ ...command.flags, ...COMMON_FLAGS }),
  ].join("\n");
}

/** The list of commands. */
export async function overview(): Promise<string> {
  const rows: [string, string][] = [];
  for (const [name, load] of Object.entries(COMMANDS)) {
    const { command } = await load();
    rows.push([[name, ...command.operands].join(" "), command.summary]);
  }
  return [
    "A local emulator of a hosted tracing and agent platform.",
    "",
    "Usage: emulator [command] [flags]   (without a command: start)",
    "",
    "Commands:",
    ...table(rows),
    "",
    "`emulator <command> --help` lists the flags of a command, `emulator --version` prints the version.",
    "Every flag has an environment variable: --port is EMULATOR_PORT.",
    "Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 drift, 4 a fault that was never triggered (--strict), 5 a defect of the emulator.",
  ].join("\n");
}

function flagLines(flags: Flags): string[] {
  return table(
    Object.entries(flags).map(([name, { value, help }]) => [
      `--${name}${value === undefined ? "" : ` ${value}`}`,
      help,
    ]),
  );
}

/** Rows of two columns, the first one as wide as its widest cell. */
function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length)) + GAP;
  return rows.map(([first, second]) => `  ${first.padEnd(width)}${second}`);
}
