import { type Command, type Invocation, TARGET_FLAGS } from "../command.ts";
import { configurationOf, locatorFolder } from "../configuration.ts";
import { detachedStartIn, startAgain } from "../detached.ts";
import { findLocator, worldAt } from "../running.ts";
import { command as stop } from "./stop.ts";

const { url: _, ...FOLDER_FLAGS } = TARGET_FLAGS;

export const command: Command = {
  summary:
    "stop an emulator that was started with --detach, and start it again with the same flags; if it was running, its stored worlds continue, and --now and --import are left out",
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
  const words = isStored ? withoutStart(detachedStart.words) : detachedStart.words;
  return startAgain(invocation, folder, detachedStart, words);
}

const START_FLAGS = ["--now", "--import"];

/** A stored world continues with its own time and data: a start refuses an earlier time, and a file. */
function withoutStart(words: readonly string[]): readonly string[] {
  return words.filter(
    (word, at) =>
      !START_FLAGS.includes(word.split("=", 1)[0] ?? "") && !START_FLAGS.includes(words[at - 1] ?? ""),
  );
}
