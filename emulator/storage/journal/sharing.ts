import { copyFileSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { journalFile, journalNumbers, removeJournals } from "./journal-files.ts";
import { snapshotFile } from "./snapshot.ts";

/** Links of a file system that has none are copies. */
const NO_LINKS = new Set(["EPERM", "EXDEV", "ENOTSUP", "EMLINK", "ENOSYS"]);

/**
 * Gives another folder the records of this one, up to a journal that nobody writes to any more. The snapshot
 * comes last: one that was renewed meanwhile contains whichever journals have gone.
 */
export function shareFiles(folder: string, target: string, upTo: number): void {
  mkdirSync(target, { recursive: true });
  for (const number of journalNumbers(folder))
    if (number <= upTo) share(journalFile(folder, number), journalFile(target, number), true);
  share(snapshotFile(folder), snapshotFile(target), false);
}

/** Takes away what a store has left in its folder, and nothing else. */
export function removeRecords(folder: string): void {
  removeJournals(folder, Number.MAX_SAFE_INTEGER);
  rmSync(snapshotFile(folder), { force: true });
}

function share(from: string, to: string, mayBeGone: boolean): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && NO_LINKS.has(code)) return copyFileSync(from, to);
    if (code !== "ENOENT" || !mayBeGone) throw error;
  }
}
