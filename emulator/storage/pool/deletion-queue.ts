import { existsSync, mkdirSync, renameSync, rm, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const remove = promisify(rm);

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
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });

  return {
    add(path) {
      if (!statSync(path, { throwIfNoEntry: false })) return;
      if (!isThere) mkdirSync(folder, { recursive: true });
      isThere = true;
      last += 1;
      const aside = join(folder, String(last));
      renameSync(path, aside);
      // What cannot go now goes with the next start.
      const deleted = remove(aside, { recursive: true, force: true, maxRetries: 3 })
        .catch(() => undefined)
        .finally(() => going.delete(deleted));
      going.add(deleted);
    },
    async whenEmpty() {
      await Promise.all(going);
      if (isThere) rmSync(folder, { recursive: true, force: true });
      isThere = false;
    },
  };
}
