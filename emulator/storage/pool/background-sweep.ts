import { statSync } from "node:fs";
import { inBackground } from "../background.ts";
import type { Head } from "./names.ts";
import type { Pool } from "./pool.ts";

/** Looked for once so many heads are gone: each sweep reads all heads that share files with those. */
const GONE_HEADS = 16;
/** With more to read it is left to the end of the process. */
const READ_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Of worlds that are no more, forks keep some files and need the others no longer. Those go while the process runs; nobody can
 * come to need what no head leads to and nobody writes.
 */
export interface BackgroundSweep {
  /** A head is gone, or has been replaced by one of another owner. */
  headGone(): void;
}

/** `writers` lists the owners that may still write, `all` every head whose files are in use. */
export function createBackgroundSweep(
  pool: Pool,
  writers: () => readonly number[],
  all: () => Iterable<Head>,
): BackgroundSweep {
  let gone = 0;
  let isAtWork = false;

  async function sweep(): Promise<void> {
    const writing = new Set(writers());
    const owners = [...pool.suspects].filter((owner) => !writing.has(owner));
    const heads = [...all()].filter(({ others }) => others.some((owner) => owners.includes(owner)));
    if (owners.length === 0 || bytesOf(pool, heads) > READ_BYTES_MAX) return;
    await inBackground({ root: pool.root, owners, heads });
  }

  return {
    headGone() {
      gone += 1;
      if (isAtWork || gone < GONE_HEADS || !pool.isKept) return;
      gone = 0;
      isAtWork = true;
      void sweep().finally(() => {
        isAtWork = false;
      });
    },
  };
}

function bytesOf({ path }: Pool, heads: readonly Head[]): number {
  const files = heads.flatMap(({ state, journals }) => [
    ...(state === null ? [] : [state]),
    ...journals.map(({ file }) => file),
  ]);
  return files.reduce((sum, file) => sum + (statSync(path(file), { throwIfNoEntry: false })?.size ?? 0), 0);
}
