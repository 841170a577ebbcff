import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Secrets } from "../../subjects/turn.ts";
import { createFolds, type Folds } from "../journal/folds.ts";
import { createBackgroundSweep } from "./background-sweep.ts";
import type { SnapshotEntry, WorldEntry } from "./entries.ts";
import { type Kind, type ManifestTable, noWorlds, openLog, readLog } from "./manifest-log.ts";
import { type Manifest, newManifest, ownerOf } from "./names.ts";
import type { Pool } from "./pool.ts";
import { createUses, ownersOf } from "./uses.ts";

/** The worlds and snapshots of a data folder: a log of which each change is one line. */
export interface Manifests {
  readonly worlds: ReadonlyMap<string, WorldEntry>;
  readonly snapshots: ReadonlyMap<string, SnapshotEntry>;
  /** Allocates a folder number that was never used before. */
  nextOwner(): number;
  /**
   * Enters a world under its name; null removes it. Throws a `Refusal` (413, `disk_full`) and changes nothing when
   * it cannot be written. `written` closes what ends with the change, before its files are removed.
   */
  putWorld(name: string, entry: WorldEntry | null, written?: () => void): void;
  putSnapshot(name: string, entry: SnapshotEntry | null): void;
  /** Keeps the files of a manifest until the answer is called, whatever becomes of the world that it is of. */
  hold(manifest: Manifest): () => void;
  readonly folds: Folds;
  /** Holds no manifest any more. */
  releaseAll(): void;
  /** Manifests that may lead to files of one of these owners. */
  leadingTo(owners: Iterable<number>): Iterable<Manifest>;
  /** `isSwept` records for the next process that the pool holds no unused file. */
  close(isSwept: boolean): void;
}

const FIRST_WORLD = "main";

/** Reads the log, or begins one with the world `main`; files that no manifest can lead to are discarded. */
export function openManifests(pool: Pool, secrets: Secrets): Manifests {
  const known = pool.isPersistent ? readLog(pool, secrets) : noWorlds();
  // A process that ended early may have used a number that it never wrote down.
  known.next = Math.max(known.next, 1 + Math.max(0, ...pool.owners()));
  const log = pool.isPersistent ? openLog(pool, known, secrets) : undefined;
  const { add, drop, hold, keep, releaseAll, leadingTo } = createCollector(pool, known);
  const folds = createFolds(pool.root, hold);
  const writers = () => [
    ...[...known.world.values()].map(({ manifest }) => manifest.owner),
    ...folds.writers(),
  ];
  const background = createBackgroundSweep(pool, { writers, leadingTo, keep });

  function put<E extends WorldEntry | SnapshotEntry>(
    kind: Kind,
    entries: Map<string, E>,
    [name, entry]: readonly [string, E | null],
    written?: () => void,
  ): void {
    log?.append({ kind, name, next: known.next, entry });
    const before = entries.get(name);
    // An object of its own, since two entries may be given the same manifest.
    const own = entry && { ...entry, manifest: { ...entry.manifest } };
    if (own) entries.set(name, own);
    else entries.delete(name);
    if (own) add(own.manifest);
    log?.shorten();
    written?.();
    if (!entry && kind === "world") pool.discard(dirname(pool.objectsFolder(name)));
    if (!before) return;
    // A world that goes on has only been given other records.
    const goesOn = kind === "world" && before.manifest.owner === entry?.manifest.owner;
    drop(before.manifest, goesOn ? entry.manifest : undefined);
    if (!goesOn) background.manifestGone();
  }

  if (!known.world.has(FIRST_WORLD)) {
    const manifest = newManifest(known.next++, pool.isPersistent);
    put("world", known.world, [FIRST_WORLD, { manifest, from: null }]);
  }
  for (const owner of pool.owners())
    if (leadingTo([owner]).size === 0) pool.discard(pool.folder(owner));
    else if (!known.isSwept) pool.suspects.add(owner);
  discardUnknownWorlds(pool, known.world);

  return {
    worlds: known.world,
    snapshots: known.snapshot,
    nextOwner: () => known.next++,
    putWorld: (name, entry, written) => put("world", known.world, [name, entry], written),
    putSnapshot: (name, entry) => put("snapshot", known.snapshot, [name, entry]),
    hold,
    folds,
    releaseAll,
    leadingTo,
    close(isSwept) {
      try {
        if (isSwept) log?.append({ swept: true });
      } finally {
        log?.close();
      }
    },
  };
}

/** Discards owner folders and records that no manifest references any more; manifests may be held in addition to the known ones. */
function createCollector(pool: Pool, { world, snapshot }: ManifestTable) {
  const { add, remove, isUsed, leadingTo } = createUses();
  const held = new Set<Manifest>();
  for (const { manifest } of [...world.values(), ...snapshot.values()]) add(manifest);

  /** An owner that other manifests may reference keeps its folder; a sweep finds its unused files. */
  function drop(manifest: Manifest, next?: Manifest): void {
    for (const file of remove(manifest)) if (isUsed(ownerOf(file))) pool.discard(pool.path(file));
    const kept = next && ownersOf(next);
    for (const owner of ownersOf(manifest)) {
      if (!isUsed(owner)) pool.discard(pool.folder(owner));
      else if (!kept?.has(owner)) pool.suspects.add(owner);
    }
  }

  /** `kept` is a manifest whose owners need no sweep because of this. */
  function release(manifest: Manifest, kept?: Manifest): void {
    if (held.delete(manifest)) drop(manifest, kept);
  }

  function holdOwn(manifest: Manifest): Manifest {
    const own = { ...manifest };
    held.add(own);
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
    /** A manifest that goes meanwhile has made its owners suspect itself. */
    keep(manifests: readonly Manifest[]): () => void {
      const own = manifests.map(holdOwn);
      return () => {
        for (const manifest of own) release(manifest, manifest);
      };
    },
    releaseAll() {
      for (const manifest of held) release(manifest);
    },
  };
}

function discardUnknownWorlds(pool: Pool, worlds: ReadonlyMap<string, WorldEntry>): void {
  const folder = join(pool.root, "worlds");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (!worlds.has(name)) pool.discard(join(folder, name));
}
