import { statSync } from "node:fs";
import { findDamage } from "../../emulator/storage/find-damage.ts";
import { lockFolder } from "../../emulator/storage/folder-lock.ts";
import { StoreError } from "../../emulator/storage/store-error.ts";
import type { Finding } from "./findings.ts";

const MAX_LISTED_PROBLEMS = 20;
const FIX =
  "start the emulator, then load a snapshot (`emulator snapshot load <name>`), reset the world (`emulator reset`) or remove it (`emulator world rm <id>`)";

/** Reads all files of a data folder that no process holds. */
export async function checkFiles(folder: string): Promise<Finding[]> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const lock = await lockFolder(folder, () => undefined);
  try {
    const problems = await findDamage(folder);
    if (problems.length === 0) return [{ ok: true, what: `the checksums of all files in ${folder} match` }];
    const more = problems.length - MAX_LISTED_PROBLEMS;
    return [
      ...problems
        .slice(0, MAX_LISTED_PROBLEMS)
        .map((what) => ({ ok: false, what: what.replace(/\.$/, ""), fix: FIX })),
      ...(more > 0 ? [{ ok: false, what: `${more} more files or places are damaged`, fix: FIX }] : []),
    ];
  } catch (error) {
    if (error instanceof StoreError) return [{ ok: false, what: error.message, fix: error.hint ?? FIX }];
    throw error;
  } finally {
    await lock.release();
  }
}
