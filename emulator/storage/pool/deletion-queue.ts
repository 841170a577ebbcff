import { mkdirSync, renameSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

/** Gets rid of folders: they are out of the way at once, and their files go in the background. */
export interface DeletionQueue {
  add(folder: string): void;
  whenEmpty(): Promise<void>;
}

/** Empties the folder first: what an earlier process threw away goes now. */
export function openDeletionQueue(folder: string): DeletionQueue {
  const going = new Set<Promise<void>>();
  let last = 0;
  let isThere = false;
  rmSync(folder, { recursive: true, force: true });

  return {
    add(path) {
      if (!isThere) mkdirSync(folder, { recursive: true });
      isThere = true;
      last += 1;
      const aside = join(folder, String(last));
      try {
        renameSync(path, aside);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
        throw error;
      }
      // What cannot go now goes with the next start.
      const deleted = rm(aside, { recursive: true, force: true, maxRetries: 3 })
        .catch(() => undefined)
        .finally(() => going.delete(deleted));
      going.add(deleted);
    },
    async whenEmpty() {
      await Promise.all(going);
      isThere = false;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
