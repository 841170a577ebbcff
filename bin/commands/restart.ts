import { type Command, type Invocation, TARGET_FLAGS } from "../command.ts";
import { configurationOf, locatorFolder } from "../configuration.ts";
import { detachedStartIn, startAgain } from "../detached.ts";
import { findLocator, worldAt } from "../running.ts";
import { command as stop } from "./stop.ts";

const { url: _, ...FOLDER_FLAGS } = TARGET_FLAGS;

export const command: Command = {
  summary:
    "stop an emulator that was started with --detach, and start it again with the same flags except --now; each world resumes at its stored time; one with the clock wall takes the time of this machine",
  operands: [],
  flags: FOLDER_FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const folder = locatorFolder(await configurationOf(invocation), invocation.cwd);
  const detachedStart = detachedStartIn(folder);
  const running = await findLocator(invocation);
  if (running === undefined) return startAgain(invocation, folder, detachedStart);
  const { turn, data_folder } = await worldAt(running.url).client.status();
  await stop.run({ ...invocation, flags: { ...invocation.flags, quiet: true } });
  const isStored = turn > 0 && data_folder !== null;
  const words = isStored ? withoutNow(detachedStart.words) : detachedStart.words;
  return startAgain(invocation, folder, detachedStart, words);
}

/** A stored world continues at its own time, and a start refuses an earlier one. */
function withoutNow(words: readonly string[]): readonly string[] {
  return words.filter((word, at) => !/^--now(=|$)/.test(word) && words[at - 1] !== "--now");
}
