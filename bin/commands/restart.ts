import { type Command, type Invocation, TARGET_FLAGS } from "../command.ts";
import { configurationOf, locatorFolder } from "../configuration.ts";
import { detachedStartIn, startAgain } from "../detached.ts";
import { findLocator } from "../running.ts";
import { command as stop } from "./stop.ts";

const { url: _, ...FOLDER_FLAGS } = TARGET_FLAGS;

export const command: Command = {
  summary: "stop an emulator that was started with --detach, and start it again with the same flags",
  operands: [],
  flags: FOLDER_FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const folder = locatorFolder(await configurationOf(invocation), invocation.cwd);
  const detachedStart = detachedStartIn(folder);
  if (await findLocator(invocation))
    await stop.run({ ...invocation, flags: { ...invocation.flags, quiet: true } });
  return startAgain(invocation, folder, detachedStart);
}
