import { bytesToRead, inBackground, READ_OFTEN_BYTES } from "../background.ts";
import type { Manifest } from "./names.ts";
import type { Pool } from "./pool.ts";

/** A sweep starts after this many manifests were removed, since it reads all manifests that share files with them. */
const REMOVED_MANIFESTS = 16;
/** The same while the remaining manifests are small, so that a sweep is cheap. */
const REMOVED_SMALL_MANIFESTS = 4;
/** More manifests than this are never small. */
const MAX_SMALL_MANIFESTS = 16;
/** With more to read, the sweep happens at the end of the process. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/**
 * Forks of a removed world still need some of its files. The sweep removes the others while the process runs: a file that no
 * manifest leads to and nobody writes is never needed later.
 */
export interface BackgroundSweep {
  /** Counts a manifest that was removed, or replaced by one of another owner. */
  countRemoved(): void;
}

/** The manifests of a pool, for a sweep. */
interface SweepSource {
  /** Owners that may still write. */
  writers(): readonly number[];
  /** Manifests that may lead to files of owners. */
  leadingTo(owners: Iterable<number>): Iterable<Manifest>;
  /** Keeps the files of manifests until the returned function is called. */
  keep(manifests: readonly Manifest[]): () => void;
}

export function createBackgroundSweep(
  pool: Pool,
  { writers, leadingTo, keep }: SweepSource,
): BackgroundSweep {
  let removed = 0;
  let isAtWork = false;

  function sweepWhenDue(): void {
    const writing = new Set(writers());
    const owners = [...pool.suspects].filter((owner) => !writing.has(owner));
    const manifests = [...leadingTo(owners)];
    if (removed < REMOVED_MANIFESTS && manifests.length > MAX_SMALL_MANIFESTS) return;
    const bytes = bytesToRead(pool.root, manifests);
    if (removed < REMOVED_MANIFESTS && bytes > READ_OFTEN_BYTES) return;
    removed = 0;
    if (owners.length === 0 || bytes > MAX_READ_BYTES) return;
    isAtWork = true;
    const release = keep(manifests);
    void inBackground({ root: pool.root, id: pool.id, owners, manifests }, bytes, () => {
      isAtWork = false;
      release();
    });
  }

  return {
    countRemoved() {
      removed += 1;
      if (!isAtWork && removed % REMOVED_SMALL_MANIFESTS === 0 && pool.isPersistent) sweepWhenDue();
    },
  };
}
