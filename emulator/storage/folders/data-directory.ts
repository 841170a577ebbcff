import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { removeRecords } from "../journal/sharing.ts";
import { openDeletionQueue } from "./deletion-queue.ts";
import {
  foldersOf,
  type Registry,
  readRegistry,
  type WorldFolder,
  worldFoldersOf,
  writeRegistry,
} from "./registry.ts";

/** The homes of all worlds and snapshots of a data folder, and which folders somebody still needs. */
export interface DataDirectory {
  readonly registry: Registry;
  /** Folders that nothing lies in yet, for a new world or for a world that begins anew. */
  prepare(kind: "worlds" | "snapshots", name: string): WorldFolder;
  /**
   * Writes the registry down in one step; folders that nobody needs any more go. A world whose new home has the
   * folder of objects that its old one had names it, so that what lies there goes in the same step. What ends
   * with the change is let go of in `written`: when nothing can be written, all stays as it was.
   */
  change(next: Registry, options?: { readonly vacated?: string | undefined; written?(): void }): void;
  /** Keeps a home as it is until the answer is called, whatever becomes of the snapshot that it is of. */
  retain(worldFolder: WorldFolder): () => void;
  /** Gets rid of a prepared home that never came to be known. */
  discard(worldFolder: WorldFolder): void;
  /** Notes that a home is being filled, until `begun` is called. */
  markIncomplete(worldFolder: WorldFolder): void;
  markComplete(worldFolder: WorldFolder): void;
  /** True for a home that was being filled when its process ended. */
  isIncomplete(worldFolder: WorldFolder): boolean;
  /** Folders that were forked straight from this one, and have to be given what it loses. */
  forksOf(objects: string): readonly string[];
  /** Empties a folder of objects that nobody else needs, so that its name can be used again. */
  empty(objects: string): void;
  /** Resolves when what was thrown away is gone. */
  whenDeleted(): Promise<void>;
}

/** Which data folder, and whether it outlives the process. */
export interface DataDirectoryOptions {
  readonly root: string;
  /** False for a folder that goes with the process: nothing is written down. */
  readonly isKept: boolean;
}

const PIECE = /^(records|traces|objects)(~\d+)?$/;
/** Lies among the records of a world as long as it is being filled. */
const INCOMPLETE_MARK = "being-filled";
/** What a home reads through that goes on from nothing. */
const NOTHING: Pick<WorldFolder, "layers" | "bases"> = { layers: [], bases: [] };

/** Clears away what an interrupted change has left; throws a `StoreError` for a damaged registry. */
export function openDataDirectory({ root, isKept }: DataDirectoryOptions): DataDirectory {
  const deletions = openDeletionQueue(join(root, ".trash"));
  const { vacated, ...known } = (isKept ? readRegistry(root) : undefined) ?? firstRegistry(root);
  let registry: Registry = known;
  let needed = foldersOf(registry);
  let forks = forksIn(registry);
  if (vacated !== undefined) vacate(registry, vacated);
  if (isKept) removeStrays();

  /** What a process that ended in the middle of a change has left behind. */
  function removeStrays(): void {
    for (const base of basesIn(root)) {
      const pieces = piecesIn(base);
      const isWanted = needed.has(base) || pieces.some((piece) => needed.has(piece));
      if (!isWanted) deletions.add(base);
      else for (const folder of [...pieces, base]) drop(folder);
    }
  }

  function drop(folder: string): void {
    if (needed.has(folder)) return;
    // The first folder of records has the others in it.
    if (dirname(dirname(folder)) !== root) return deletions.add(folder);
    removeRecords(folder);
    rmSync(join(folder, INCOMPLETE_MARK), { force: true });
  }

  /** A process that ends on the way does it when it starts again. */
  function vacate(next: Registry, folder: string): void {
    deletions.add(folder);
    if (isKept) writeRegistry(root, next);
  }

  function activate(next: Registry): void {
    const before = registry;
    registry = next;
    needed = foldersOf(next);
    forks = forksIn(next);
    for (const folder of foldersOf(before)) drop(folder);
  }

  return {
    get registry() {
      return registry;
    },
    prepare(kind, name) {
      const base = join(root, kind, name);
      const records = existsSync(base) || needed.has(base) ? freeName(needed, join(base, "records")) : base;
      mkdirSync(base, { recursive: true });
      const [traces, objects] = [
        freeName(needed, join(base, "traces")),
        freeName(needed, join(base, "objects")),
      ];
      return { records, traces, objects, ...NOTHING };
    },
    change(next, { vacated, written } = {}) {
      if (isKept) writeDown(root, { ...next, ...(vacated !== undefined && { vacated }) });
      written?.();
      if (vacated !== undefined) vacate(next, vacated);
      activate(next);
    },
    retain(worldFolder) {
      activate({ ...registry, held: [...(registry.held ?? []), worldFolder] });
      return () =>
        activate({ ...registry, held: (registry.held ?? []).filter((each) => each !== worldFolder) });
    },
    discard({ traces, objects, records }) {
      for (const folder of [traces, objects, records]) if (existsSync(folder)) drop(folder);
    },
    markIncomplete({ records }) {
      if (!isKept) return;
      mkdirSync(records, { recursive: true });
      writeFileSync(join(records, INCOMPLETE_MARK), "");
    },
    markComplete({ records }) {
      if (isKept) rmSync(join(records, INCOMPLETE_MARK), { force: true });
    },
    isIncomplete: ({ records }) => existsSync(join(records, INCOMPLETE_MARK)),
    forksOf: (objects) => [...(forks.get(objects) ?? [])],
    empty: deletions.add,
    whenDeleted: deletions.whenEmpty,
  };
}

/** This path, or the first numbered one that nobody needs and where nothing lies. */
function freeName(needed: ReadonlySet<string>, wanted: string): string {
  for (let n = 1; ; n += 1) {
    const path = n === 1 ? wanted : `${wanted}~${n}`;
    if (!needed.has(path) && !existsSync(path)) return path;
  }
}

function writeDown(root: string, registry: Registry): void {
  try {
    writeRegistry(root, registry);
  } catch (error) {
    throw new Refusal(
      413,
      "disk_full",
      `Nothing was changed, since the list of worlds cannot be written: ${(error as Error).message}.`,
      `Make room under ${root}, or make it writable, then ask again.`,
    );
  }
}

/** A folder is read through for as long as somebody needs it, even when the world it was of is gone. */
function forksIn(registry: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const forks = new Map<string, Set<string>>();
  for (const { objects, bases } of worldFoldersOf(registry)) {
    const chain = [objects, ...bases];
    for (const [place, base] of bases.entries())
      forks.set(base, (forks.get(base) ?? new Set()).add(chain[place] as string));
  }
  return forks;
}

/** A data folder begins with one world, whose home needs no registry to be found. */
function firstRegistry(root: string): Registry {
  const records = join(root, "worlds", "main");
  const [traces, objects] = [join(records, "traces"), join(records, "objects")];
  const worldFolder: WorldFolder = { records, traces, objects, ...NOTHING };
  return { worlds: { main: { home: worldFolder, from: null } }, snapshots: {} };
}

/** Where worlds and snapshots have their folders, one for each name. */
function basesIn(root: string): readonly string[] {
  return ["worlds", "snapshots"].flatMap((kind) =>
    namesIn(join(root, kind)).map((name) => join(root, kind, name)),
  );
}

function piecesIn(base: string): readonly string[] {
  return namesIn(base)
    .filter((name) => PIECE.test(name))
    .map((name) => join(base, name));
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
