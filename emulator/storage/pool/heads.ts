import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Secrets } from "../../subjects/turn.ts";
import { createFolds, type Folds } from "../journal/folds.ts";
import { createBackgroundSweep } from "./background-sweep.ts";
import type { SnapshotEntry, WorldEntry } from "./entries.ts";
import { type Kind, type KnownHeads, noWorlds, openLog, readLog } from "./heads-log.ts";
import { type Head, newHead } from "./names.ts";
import type { Pool } from "./pool.ts";

/** The worlds and snapshots of a data folder: a log of which each change is one line. */
export interface Heads {
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
  /** Keeps the files of a head until the answer is called, whatever becomes of the world that it is of. */
  hold(head: Head): () => void;
  readonly folds: Folds;
  /** Holds no head any more. */
  releaseAll(): void;
  /** Every head whose files are in use. */
  all(): Iterable<Head>;
  /** `isSwept` records for the next process that the pool holds no unused file. */
  close(isSwept: boolean): void;
}

const FIRST_WORLD = "main";

/** Reads the log, or begins one with the world `main`; files that no head can lead to are discarded. */
export function openHeads(pool: Pool, secrets: Secrets): Heads {
  const known = pool.isKept ? readLog(pool, secrets) : noWorlds();
  // A process that ended early may have used a number that it never wrote down.
  known.next = Math.max(known.next, 1 + Math.max(0, ...pool.owners()));
  const log = pool.isKept ? openLog(pool, known, secrets) : undefined;
  const { all, collect, collectRecords, hold, releaseAll } = createCollector(pool, known);
  const folds = createFolds(pool.root, hold);
  const writers = () => [...[...known.world.values()].map(({ head }) => head.owner), ...folds.writers()];
  const background = createBackgroundSweep(pool, writers, all);

  function put<E extends WorldEntry | SnapshotEntry>(
    kind: Kind,
    entries: Map<string, E>,
    [name, entry]: readonly [string, E | null],
    written?: () => void,
  ): void {
    log?.append({ kind, name, next: known.next, entry });
    const before = entries.get(name);
    if (entry) entries.set(name, entry);
    else entries.delete(name);
    log?.shorten();
    written?.();
    if (!entry && kind === "world") pool.discard(dirname(pool.objectsFolder(name)));
    if (!before) return;
    collectRecords(before.head);
    // A world that goes on has only been given other records.
    const goesOn = kind === "world" && before.head.owner === entry?.head.owner;
    const kept = ownersIn(goesOn ? [entry.head] : []);
    collect([...ownersIn([before.head])].filter((owner) => !kept.has(owner)));
    if (!goesOn) background.headGone();
  }

  if (!known.world.has(FIRST_WORLD)) {
    const head = newHead(known.next++, pool.isKept);
    put("world", known.world, [FIRST_WORLD, { head, from: null }]);
  }
  collect(pool.owners());
  if (known.isSwept) pool.suspects.clear();
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
    all,
    close(isSwept) {
      try {
        if (isSwept) log?.append({ swept: true });
      } finally {
        log?.close();
      }
    },
  };
}

/** Discards owner folders and records that no head references any more; heads may be held in addition to the known ones. */
function createCollector(pool: Pool, { world, snapshot }: KnownHeads) {
  const held = new Set<Head>();

  function* all(): Iterable<Head> {
    for (const { head } of world.values()) yield head;
    for (const { head } of snapshot.values()) yield head;
    yield* held;
  }

  /** An owner that a head may reference keeps its folder; a sweep finds its unused files. */
  function collect(owners: readonly number[]): void {
    if (owners.length === 0) return;
    const needed = ownersIn(all());
    for (const owner of owners)
      if (needed.has(owner)) pool.suspects.add(owner);
      else pool.discard(pool.folder(owner));
  }

  /** States and journals of a head that is no more. */
  function collectRecords(head: Head): void {
    const gone = new Set(recordFilesOf(head));
    for (const each of all()) for (const file of recordFilesOf(each)) gone.delete(file);
    for (const file of gone) pool.discard(pool.path(file));
  }

  function release(heads: readonly Head[]): void {
    for (const head of heads) held.delete(head);
    for (const head of heads) collectRecords(head);
    collect([...ownersIn(heads)]);
  }

  return {
    all,
    collect,
    collectRecords,
    hold(head: Head): () => void {
      // An object of its own, since two may hold the same head.
      const own = { ...head };
      held.add(own);
      return () => {
        if (held.has(own)) release([own]);
      };
    },
    releaseAll: () => release([...held]),
  };
}

/** Every owner whose files these heads may lead to. */
function ownersIn(heads: Iterable<Head>): Set<number> {
  const owners = new Set<number>();
  for (const { owner, others } of heads) {
    owners.add(owner);
    for (const other of others) owners.add(other);
  }
  return owners;
}

function* recordFilesOf({ state, journals, past }: Head): Iterable<string> {
  if (state !== null) yield state;
  if (past) yield past.file;
  for (const { file } of journals) yield file;
}

function discardUnknownWorlds(pool: Pool, worlds: ReadonlyMap<string, WorldEntry>): void {
  const folder = join(pool.root, "worlds");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (!worlds.has(name)) pool.discard(join(folder, name));
}
