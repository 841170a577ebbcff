import type { AnyCommand, Command } from "../../bin/command.ts";
import { COMMANDS } from "../../bin/commands.ts";
import { ENVIRONMENT, EXIT_CODES } from "../../bin/help.ts";
import { code, codes, page, plain, table } from "./markdown.ts";

/** Every command and action with its flags, and the exit codes. */
export async function commandsPage(): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const [name, load] of Object.entries(COMMANDS)) rows.push(...rowsOf(name, (await load()).command));
  return page(
    "Commands",
    "In a project with the package (`npm i -D trace-platform-emulator`), run `npx emulator <command>`; the default command is `start`. `emulator <command> --help` explains each flag. All commands take `--json` (for programs) and `--quiet`. [Command line](../understand/command-line.md) " +
      "explains how they find an emulator and what `start` prints. The flags of `start` and `exec` are also [settings](settings.md).",
    ENVIRONMENT,
    table(["Command", "Description", "Flags"], rows),
    "## Exit codes",
    table(["Code", "Meaning"], Object.entries(EXIT_CODES)),
    "An unknown flag, an invalid value or an unreadable file gives one line on standard error and exit code 2, and changes nothing. " +
      'With `--json`, an error is one object on standard output instead: `{"error":{"code","message","hint"}}`. The code is that of the control API, or one of `wrong_use`, `cannot_start`, `unreachable`, `failed`, `interrupted`, `defect` and `old_node`.',
  );
}

function rowsOf(name: string, entry: AnyCommand): readonly (readonly string[])[] {
  if (!("actions" in entry)) return [rowOf(name, entry)];
  return Object.entries(entry.actions).map(([action, command]) => rowOf(`${name} ${action}`, command));
}

function rowOf(name: string, { summary, operands, flags }: Command): readonly string[] {
  return [
    code([name, ...operands].join(" ")),
    plain(summary),
    codes(Object.keys(flags).map((flag) => `--${flag}`)),
  ];
}
