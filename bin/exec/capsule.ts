import { resolve } from "node:path";
import { shellWord } from "../../emulator/client/shell.ts";
import { givenSettings } from "../../emulator/config/given-settings.ts";
import { writeRecording } from "../../emulator/runtime/capsules/recording.ts";
import { checkCapsule, withFileErrors } from "../capsule/file.ts";
import type { Invocation } from "../command.ts";
import { printError } from "../terminal.ts";

/** Keeps the world main of a command that fails; `keep` is called with the exit code. */
export interface CommandCapsule {
  keep(url: string, exitCode: number): Promise<void>;
}

/** Undefined without `--capsule`. Throws `UsageError` where none could be written. */
export async function commandCapsule(invocation: Invocation): Promise<CommandCapsule | undefined> {
  const { operands, flags, cwd, env } = invocation;
  if (flags.capsule === undefined) return undefined;
  const file = resolve(cwd, String(flags.capsule));
  await checkCapsule(file);
  const settings = await givenSettings({ cwd, env, flags, discover: true });
  return {
    async keep(url, exitCode) {
      const command = ["npx emulator exec --", ...operands.map(shellWord)].join(" ");
      const notes = [`the command ended with exit code ${exitCode}`];
      const about = { command, made_by: "exec", notes, settings } as const;
      const gaps = await withFileErrors(() => writeRecording(file, url, about)).catch(
        (error: Error) => error,
      );
      if (gaps instanceof Error) return printError(`--capsule: ${gaps.message}`);
      if (gaps.length > 0) printError(`${file} was written, but it cannot be replayed: ${gaps.join(" ")}`);
      else if (flags.quiet !== true)
        printError(
          `the requests are kept in ${file}; repeat them with \`npx emulator replay ${file}\`, look at them with \`npx emulator open ${file}\``,
        );
    },
  };
}
