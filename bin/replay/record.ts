import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { writeAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { CommandFailure, type Invocation, UsageError } from "../command.ts";
import { print, printError } from "../terminal.ts";
import { addressOf, targetAddressOf } from "./address.ts";

/** `replay --record`: writes the requests that a running emulator received as a scenario. */
export async function recordScenario(invocation: Invocation, from: string | boolean): Promise<void> {
  const { flags, operands, cwd } = invocation;
  const [file, second] = operands;
  if (file === undefined || second !== undefined || !file.endsWith(".scenario.yaml"))
    throw new UsageError(
      "--record: give one file to write that ends in .scenario.yaml, as in `emulator replay --record .emulator seen.scenario.yaml`",
    );
  const url = addressOf(targetAddressOf(from, flags.world, "--record", cwd));
  const { record } = await import("../../scenarios/recording.ts");
  const { text, steps, gaps, warnings } = await record(url).catch((error: Error) => {
    throw error.name === "NoReply" ? error : new CommandFailure(error.message);
  });
  writeRecording("--record", resolve(cwd, file), text, flags.update === true);
  for (const warning of [...gaps, ...warnings]) printError(warning);
  if (flags.quiet !== true) print(`${file}: ${steps} steps; play it with \`npx emulator replay ${file}\``);
}

/** Overwrites an existing file only with --update. `flag` is named by the `UsageError`. */
export function writeRecording(flag: string, file: string, text: string, isUpdate: boolean): void {
  try {
    writeFileSync(file, text, { flag: isUpdate ? "w" : "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "EEXIST" ? "exists; overwrite it with --update" : `cannot be written: ${writeAdvice(error)}`;
    throw new UsageError(`${flag}: ${file} ${why}`);
  }
}
