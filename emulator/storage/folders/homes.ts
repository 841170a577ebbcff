import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import { removeRecords } from "../journal/sharing.ts";
import { foldersOf, type Home, homesOf, type Registry, readRegistry, writeRegistry } from "./registry.ts";
import { openTrash } from "./trash.ts";

/** The homes of all worlds and snapshots of a data folder, and which folders somebody still needs. */
export interface Homes {
  readonly registry: Registry;
  /** Folders that nothing lies in yet, for a new world or for a world that begins anew. */
  prepare(kind: "worlds" | "snapshots", name: string): Home;
  /**
   * Writes the registry down in one step; folders that nobody needs any more go. A world whose new home has the
   * folder of objects that its old one had names it, so that what lies there goes in the same step. What ends
   * with the change is let go of in `written`: when nothing can be written, all stays as it was.
   */
  change(next: Registry, options?: { readonly vacated?: string | undefined; written?(): void }): void;
  /** Keeps a home as it is until the answer is called, whatever becomes of the snapshot that it is of. */
  hold(home: Home): () => void;
  /** Gets rid of a prepared home that never came to be known. */
  discard(home: Home): void;
  /** Notes that a home is being filled, until `begun` is called. */
  begin(home: Home): void;
  begun(home: Home): void;
  /** True for a home that was being filled when its process ended. */
  isHalf(home: Home): boolean;
  /** Folders that were forked straight from this one, and have to be given what it loses. */
  heirsOf(objects: string): readonly string[];
  /** Empties a folder of objects that nobody else needs, so that its name can be used again. */
  empty(objects: string): void;
  /** Resolves when what was thrown away is gone. */
  settle(): Promise<void>;
}

/** Which data folder, and whether it outlives the process. */
export interface HomesOptions {
  readonly root: string;
  /** False for a folder that goes with the process: nothing is written down. */
  readonly isKept: boolean;
}

const PIECE = /^(records|traces|objects)(~\d+)?$/;
/** Lies among the records of a world as long as it is being filled. */
const HALF = "being-filled";
/** What a home reads through that goes on from nothing. */
const NOTHING: Pick<Home, "layers" | "bases"> = { layers: [], bases: [] };

/** Clears away what an interrupted change has left; throws a `StoreError` for a damaged registry. */
export function openHomes({ root, isKept }: HomesOptions): Homes {
  const trash = openTrash(join(root, ".trash"));
  const { vacated, ...known } = (isKept ? readRegistry(root) : undefined) ?? firstRegistry(root);
  let registry: Registry = known;
  let needed = foldersOf(registry);
  let heirs = heirsIn(registry);
  if (vacated !== undefined) vacate(registry, vacated);
  if (isKept) clearStrays();

  /** What a process that ended in the middle of a change has left behind. */
  function clearStrays(): void {
    for (const base of basesIn(root)) {
      const pieces = piecesIn(base);
      const isWanted = needed.has(base) || pieces.some((piece) => needed.has(piece));
      if (!isWanted) trash.take(base);
      else for (const folder of [...pieces, base]) drop(folder);
    }
  }

  function freeName(wanted: string): string {
    const isFree = (path: string) => !needed.has(path) && !existsSync(path);
    if (isFree(wanted)) return wanted;
    for (let n = 2; ; n += 1) if (isFree(`${wanted}~${n}`)) return `${wanted}~${n}`;
  }

  function drop(folder: string): void {
    if (needed.has(folder)) return;
    // The first folder of records has the others in it.
    if (dirname(dirname(folder)) !== root) return trash.take(folder);
    removeRecords(folder);
    rmSync(join(folder, HALF), { force: true });
  }

  /** A process that ends on the way does it when it starts again. */
  function vacate(next: Registry, folder: string): void {
    trash.take(folder);
    if (isKept) writeRegistry(root, next);
  }

  function adopt(next: Registry): void {
    const before = registry;
    registry = next;
    needed = foldersOf(next);
    heirs = heirsIn(next);
    for (const folder of foldersOf(before)) drop(folder);
  }

  return {
    get registry() {
      return registry;
    },
    prepare(kind, name) {
      const base = join(root, kind, name);
      const records = existsSync(base) || needed.has(base) ? freeName(join(base, "records")) : base;
      mkdirSync(base, { recursive: true });
      const [traces, objects] = [freeName(join(base, "traces")), freeName(join(base, "objects"))];
      return { records, traces, objects, ...NOTHING };
    },
    change(next, { vacated, written } = {}) {
      if (isKept) writeDown(root, { ...next, ...(vacated !== undefined && { vacated }) });
      written?.();
      if (vacated !== undefined) vacate(next, vacated);
      adopt(next);
    },
    hold(home) {
      adopt({ ...registry, held: [...(registry.held ?? []), home] });
      return () => adopt({ ...registry, held: (registry.held ?? []).filter((each) => each !== home) });
    },
    discard({ traces, objects, records }) {
      for (const folder of [traces, objects, records]) if (existsSync(folder)) drop(folder);
    },
    begin({ records }) {
      if (!isKept) return;
      mkdirSync(records, { recursive: true });
      writeFileSync(join(records, HALF), "");
    },
    begun({ records }) {
      if (isKept) rmSync(join(records, HALF), { force: true });
    },
    isHalf: ({ records }) => existsSync(join(records, HALF)),
    heirsOf: (objects) => [...(heirs.get(objects) ?? [])],
    empty: trash.take,
    settle: trash.settle,
  };
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
function heirsIn(registry: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const heirs = new Map<string, Set<string>>();
  for (const { objects, bases } of homesOf(registry)) {
    const chain = [objects, ...bases];
    for (const [place, base] of bases.entries())
      heirs.set(base, (heirs.get(base) ?? new Set()).add(chain[place] as string));
  }
  return heirs;
}

/** A data folder begins with one world, whose home needs no registry to be found. */
function firstRegistry(root: string): Registry {
  const records = join(root, "worlds", "main");
  const [traces, objects] = [join(records, "traces"), join(records, "objects")];
  const home: Home = { records, traces, objects, ...NOTHING };
  return { worlds: { main: { home, from: null } }, snapshots: {} };
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
