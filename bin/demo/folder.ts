import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { holderOf } from "../../emulator/storage/folder-lock.ts";
import { makeFolder } from "../../emulator/storage/make-folder.ts";
import { UsageError } from "../command.ts";

/** File that marks folders created by the demo, which it may empty. */
const MARK = ".made-by-demo";

/** Empties or creates the demo's folder. Throws `UsageError` for a folder with other contents. */
export async function makeDemoFolder(folder: string): Promise<void> {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    if (!existsSync(join(folder, MARK)))
      throw new UsageError(
        `${folder}: contains files that the demo did not make; name an empty folder with --data`,
      );
    const holder = await holderOf(folder);
    if (holder !== undefined)
      throw new UsageError(`${folder}: in use by ${holder}; stop it, or name another folder`);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  makeFolder(folder);
  writeFileSync(join(folder, MARK), "Emptied by each `emulator demo`.\n");
}
