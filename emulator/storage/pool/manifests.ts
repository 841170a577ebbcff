import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Secrets } from "../../subjects/turn.ts";
import { bytesToRead, inBackground, READ_OFTEN_BYTES } from "../background.ts";
import { createFolds } from "../journal/folds.ts";
import { type Kind, type ManifestTable, noWorlds, openLog, readLog } from "./manifest-log.ts";
import { type Manifest, newManifest, ownerOf, type SnapshotEntry, type WorldEntry } from "./names.ts";
import type { Pool } from "./pool.ts";
import { createUses, ownersOf } from "./uses.ts";

const FIRST_WORLD = "main";

/** The worlds and snapshots of a data folder. Each change is one line of the log. */
export type Manifests = ReturnType<typeof openManifests>;

/** Reads the log, or begins one with the world `main`. Discards files that no manifest can lead to. */
export function openManifests(pool: Pool, secrets: Secrets) {
  const table = pool.isPersistent ? readLog(pool, secrets) : noWorlds();
  // A killed process may have used a number that it never wrote to the log.
  table.next = Math.max(table.next, 1 + Math.max(0, ...pool.owners()));
  const log = pool.isPersistent ? openLog(pool, table, secrets) : undefined;
  const collector = createCollector(pool, table);
  const { add, drop, hold, releaseAll, leadingTo } = collector;
  const folds = createFolds(pool, collector.keep);
  const background = createBackgroundSweep(pool, collector, () => [
    ...[...table.world.values()].map(({ manifest }) => manifest.owner),
    ...folds.writers(),
  ]);

  function putEntry<E extends WorldEntry | SnapshotEntry>(
    kind: Kind,
    entries: Map<string, E>,
    [name, entry]: readonly [string, E | null],
    onWritten?: () => void,
  ): void {
    log?.append({ kind, name, next: table.next, entry });
    const before = entries.get(name);
    // A copy, because two entries may be saved with the same manifest.
    const own = entry && { ...entry, manifest: { ...entry.manifest } };
    if (own) entries.set(name, own);
    else entries.delete(name);
    if (own) add(own.manifest);
    log?.shorten();
    onWritten?.();
    if (!entry && kind === "world") pool.discard(dirname(pool.objectsFolder(name)));
    if (!before) return;
    const isSameOwner = kind === "world" && before.manifest.owner === entry?.manifest.owner;
    drop(before.manifest, isSameOwner ? entry.manifest : undefined);
    if (!isSameOwner) background.countRemoved();
  }

  if (!table.world.has(FIRST_WORLD)) {
    const manifest = newManifest(table.next++, pool.isPersistent);
    putEntry("world", table.world, [FIRST_WORLD, { manifest, from: null }]);
  }
  discardUnused(pool, table, (owner) => leadingTo([owner]).size > 0);

  return {
    worlds: table.world,
    snapshots: table.snapshot,
    /** Allocates a folder number that was never used before. */
    nextOwner: (): number => table.next++,
    /**
     * Saves a world under its name; null removes it. Throws a `Refusal` (413, `disk_full`) and changes nothing when
     * it cannot be written. `onWritten` closes a replaced world before its files are removed.
     */
    putWorld: (name: string, entry: WorldEntry | null, onWritten?: () => void): void =>
      putEntry("world", table.world, [name, entry], onWritten),
    putSnapshot: (name: string, entry: SnapshotEntry | null): void =>
      putEntry("snapshot", table.snapshot, [name, entry]),
    /** Keeps the files of a manifest until the returned function is called, even if its world is removed. */
    hold,
    folds,
    /** Releases all manifests that are held. */
    releaseAll,
    /** Manifests that may lead to files of one of these owners. */
    leadingTo,
    /** `isSwept` records for the next process that the pool holds no unused file. */
    close: (isSwept: boolean): void => log?.close(isSwept),
  };
}

type Collector = ReturnType<typeof createCollector>;

/** Discards folders of owners, states and journals that no manifest leads to any longer. Held manifests count as well. */
function createCollector(pool: Pool, { world, snapshot }: ManifestTable) {
  const { add, remove, isUsed, leadingTo } = createUses();
  const heldManifests = new Set<Manifest>();
  for (const { manifest } of [...world.values(), ...snapshot.values()]) add(manifest);

  /** An owner that other manifests may reference keeps its folder; a sweep finds its unused files. */
  function drop(manifest: Manifest, next?: Manifest): void {
    for (const file of remove(manifest)) if (isUsed(ownerOf(file))) pool.discard(pool.path(file));
    const nextOwners = next && ownersOf(next);
    for (const owner of ownersOf(manifest)) {
      if (!isUsed(owner)) pool.discard(pool.folder(owner));
      else if (!nextOwners?.has(owner)) pool.suspects.add(owner);
    }
  }

  /** `next` is a manifest whose owners do not become suspect. */
  function release(manifest: Manifest, next?: Manifest): void {
    if (heldManifests.delete(manifest)) drop(manifest, next);
  }

  function holdOwn(manifest: Manifest): Manifest {
    const own = { ...manifest };
    heldManifests.add(own);
    add(own);
    return own;
  }

  return {
    add,
    drop,
    leadingTo,
    hold(manifest: Manifest): () => void {
      const own = holdOwn(manifest);
      return () => release(own);
    },
    /** Keeps the files of manifests. A manifest that is removed in the meantime makes its owners suspect itself. */
    keep(manifests: readonly Manifest[]): () => void {
      const own = manifests.map(holdOwn);
      return () => {
        for (const manifest of own) release(manifest, manifest);
      };
    },
    releaseAll() {
      for (const manifest of heldManifests) release(manifest);
    },
  };
}

/** Discards the folders that no manifest leads to, and those of unknown worlds. */
function discardUnused(pool: Pool, { world, isSwept }: ManifestTable, isUsed: (owner: number) => boolean) {
  for (const owner of pool.owners())
    if (!isUsed(owner)) pool.discard(pool.folder(owner));
    else if (!isSwept) pool.suspects.add(owner);
  const folder = join(pool.root, "worlds");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (!world.has(name)) pool.discard(join(folder, name));
}

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
 * manifest leads to and nobody writes is never needed later. `writers` returns the owners that may still write.
 */
function createBackgroundSweep(pool: Pool, { leadingTo, keep }: Collector, writers: () => readonly number[]) {
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
    /** Counts a manifest that was removed, or replaced by one of another owner. */
    countRemoved(): void {
      removed += 1;
      if (!isAtWork && removed % REMOVED_SMALL_MANIFESTS === 0 && pool.isPersistent) sweepWhenDue();
    },
  };
}
