import type { ReadyLine } from "../../emulator/config/configuration.ts";
import { record } from "../../scenarios/recording.ts";
import { shellWord } from "../../scenarios/replay.ts";
import { writeCapsule } from "../capsule/file.ts";
import { recordingParts } from "../capsule/parts.ts";
import type { Invocation } from "../command.ts";
import { printError } from "../terminal.ts";

/** Keeps the requests that the world main of a failed command has received. */
export async function keepCommand(
  { operands, flags }: Invocation,
  { url, seed }: ReadyLine,
  file: string,
  exitCode: number,
): Promise<void> {
  const recorded = await record(url).catch((error: Error) => error);
  if (recorded instanceof Error) return printError(`--capsule: ${recorded.message}`);
  const journal = await (await fetch(`${url}/_emulator/v1/journal`)).text();
  const command = ["npx emulator exec --", ...operands.map(shellWord)].join(" ");
  const notes = [`the command ended with exit code ${exitCode}`, ...recorded.warnings];
  await writeCapsule(file, recordingParts(recorded.text, journal, { command, seed, notes }));
  if (flags.quiet === true) return;
  printError(
    `the requests are kept in ${file}; repeat them with \`emulator replay\`, look at them with \`emulator open\``,
  );
}
