import type { Command, CommandGroup, CommandTable } from "../command.ts";
import { completionEntries, type Entry } from "../completion/entries.ts";
import { bashScript, fishScript, zshScript } from "../completion/scripts.ts";
import { print } from "../terminal.ts";

/** The command that prints completion scripts for the commands of a table. */
export function completionOf(commands: CommandTable): { readonly command: CommandGroup } {
  const printing = (summary: string, script: (entries: readonly Entry[]) => string): Command => ({
    summary,
    operands: [],
    flags: {},
    async run({ flags }) {
      const text = script(await completionEntries(commands));
      print(flags.json === true ? JSON.stringify({ script: text }) : text);
      return 0;
    },
  });
  return {
    command: {
      summary: "print a script that completes commands, actions and flags in a shell",
      actions: {
        bash: printing("for bash: `source <(emulator completion bash)`", bashScript),
        zsh: printing("for zsh: `source <(emulator completion zsh)`, after compinit", zshScript),
        fish: printing("for fish: `emulator completion fish | source`", fishScript),
      },
    },
  };
}
