import { bytesToRead, inBackground, READ_OFTEN_BYTES } from "../background.ts";
import type { Head } from "./names.ts";
import type { Pool } from "./pool.ts";

/** Looked for once so many heads are gone: each sweep reads all heads that share files with those. */
const GONE_HEADS = 16;
/** The same while there is little to read, since what lives is little then. */
const GONE_SMALL_HEADS = 4;
/** More heads are never little to read. */
const SMALL_HEADS_MAX = 16;
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

/** What a sweep has to know of the heads of its pool. */
interface SweptHeads {
  /** Owners that may still write. */
  writers(): readonly number[];
  /** Heads that may lead to files of owners. */
  leadingTo(owners: Iterable<number>): Iterable<Head>;
  /** Keeps the files of heads while they are read, until the answer is called. */
  keep(heads: readonly Head[]): () => void;
}

/** Begins when the first head is gone. */
export function createBackgroundSweep(pool: Pool, { writers, leadingTo, keep }: SweptHeads): BackgroundSweep {
  let gone = 0;
  let isAtWork = false;

  function sweepWhenDue(): void {
    const writing = new Set(writers());
    const owners = [...pool.suspects].filter((owner) => !writing.has(owner));
    const heads = [...leadingTo(owners)];
    if (gone < GONE_HEADS && heads.length > SMALL_HEADS_MAX) return;
    const bytes = bytesToRead(pool.root, heads);
    if (gone < GONE_HEADS && bytes > READ_OFTEN_BYTES) return;
    gone = 0;
    if (owners.length === 0 || bytes > READ_BYTES_MAX) return;
    isAtWork = true;
    const release = keep(heads);
    void inBackground({ root: pool.root, owners, heads }, bytes, () => {
      isAtWork = false;
      release();
    });
  }

  return {
    headGone() {
      gone += 1;
      if (!isAtWork && gone % GONE_SMALL_HEADS === 0 && pool.isKept) sweepWhenDue();
    },
  };
}
