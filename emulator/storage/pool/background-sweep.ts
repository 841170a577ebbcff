import { bytesToRead, inBackground, READ_OFTEN_BYTES } from "../background.ts";
import type { Manifest } from "./names.ts";
import type { Pool } from "./pool.ts";

/** Looked for once so many manifests are gone: each sweep reads all manifests that share files with those. */
const GONE_MANIFESTS = 16;
/** The same while there is little to read, since what lives is little then. */
const GONE_SMALL_MANIFESTS = 4;
/** More manifests are never little to read. */
const MAX_SMALL_HEADS = 16;
/** With more to read it is left to the end of the process. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/**
 * Of worlds that are no more, forks keep some files and need the others no longer. Those go while the process runs; nobody can
 * come to need what no manifest leads to and nobody writes.
 */
export interface BackgroundSweep {
  /** A manifest is gone, or has been replaced by one of another owner. */
  manifestGone(): void;
}

/** What a sweep has to know of the manifests of its pool. */
interface SweepSource {
  /** Owners that may still write. */
  writers(): readonly number[];
  /** Manifests that may lead to files of owners. */
  leadingTo(owners: Iterable<number>): Iterable<Manifest>;
  /** Keeps the files of manifests while they are read, until the answer is called. */
  keep(manifests: readonly Manifest[]): () => void;
}

/** Begins when the first manifest is gone. */
export function createBackgroundSweep(
  pool: Pool,
  { writers, leadingTo, keep }: SweepSource,
): BackgroundSweep {
  let gone = 0;
  let isAtWork = false;

  function sweepWhenDue(): void {
    const writing = new Set(writers());
    const owners = [...pool.suspects].filter((owner) => !writing.has(owner));
    const manifests = [...leadingTo(owners)];
    if (gone < GONE_MANIFESTS && manifests.length > MAX_SMALL_HEADS) return;
    const bytes = bytesToRead(pool.root, manifests);
    if (gone < GONE_MANIFESTS && bytes > READ_OFTEN_BYTES) return;
    gone = 0;
    if (owners.length === 0 || bytes > MAX_READ_BYTES) return;
    isAtWork = true;
    const release = keep(manifests);
    void inBackground({ root: pool.root, owners, manifests }, bytes, () => {
      isAtWork = false;
      release();
    });
  }

  return {
    manifestGone() {
      gone += 1;
      if (!isAtWork && gone % GONE_SMALL_MANIFESTS === 0 && pool.isPersistent) sweepWhenDue();
    },
  };
}
