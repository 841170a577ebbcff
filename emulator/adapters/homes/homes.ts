import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeRecords } from "../store/sharing.ts";
import { foldersOf, type Home, homesOf, type Registry, readRegistry, writeRegistry } from "./registry.ts";
import { openTrash } from "./trash.ts";

/** What a home reads through. */
export type Beneath = Pick<Home, "layers" | "bases">;

/** The homes of all worlds and snapshots of a data folder, and which folders somebody still needs. */
export interface Homes {
  readonly registry: Registry;
  /** Folders that nothing lies in yet, for a new world or for a world that begins anew. */
  prepare(kind: "worlds" | "snapshots", name: string, beneath?: Beneath): Home;
  /** Writes the registry down in one step; folders that nobody needs any more go. */
  change(next: Registry): void;
  /** Folders that were forked straight from this one, and have to be given what it loses. */
  heirsOf(objects: string): readonly string[];
  /** Empties a folder of objects that nobody else needs, so that its name can be used again. */
  empty(objects: string): void;
  /** Resolves when what was thrown away is gone. */
  settle(): Promise<void>;
}

export interface HomesOptions {
  readonly root: string;
  /** False for a folder that goes with the process: nothing is written down. */
  readonly isKept: boolean;
}

const PIECE = /^(records|traces|objects)(~\d+)?$/;
const NOTHING: Beneath = { layers: [], bases: [] };

export function openHomes({ root, isKept }: HomesOptions): Homes {
  const trash = openTrash(join(root, ".trash"));
  let registry: Registry = (isKept ? readRegistry(root) : undefined) ?? firstRegistry(root);
  let needed = foldersOf(registry);
  let heirs = heirsIn(registry);
  if (isKept) for (const folder of strayFolders(root, needed)) trash.take(folder);

  function freeName(wanted: string): string {
    const isFree = (path: string) => !needed.has(path) && !existsSync(path);
    if (isFree(wanted)) return wanted;
    for (let n = 2; ; n += 1) if (isFree(`${wanted}~${n}`)) return `${wanted}~${n}`;
  }

  function retire(before: Registry): void {
    for (const folder of foldersOf(before)) {
      if (needed.has(folder)) continue;
      // The first folder of records has the others in it.
      if (dirname(dirname(folder)) === root) removeRecords(folder);
      else trash.take(folder);
    }
  }

  return {
    get registry() {
      return registry;
    },
    prepare(kind, name, beneath = NOTHING) {
      const base = join(root, kind, name);
      const records = existsSync(base) || needed.has(base) ? freeName(join(base, "records")) : base;
      mkdirSync(base, { recursive: true });
      const [traces, objects] = [freeName(join(base, "traces")), freeName(join(base, "objects"))];
      return { records, traces, objects, ...beneath };
    },
    change(next) {
      const before = registry;
      if (isKept) writeRegistry(root, next);
      registry = next;
      needed = foldersOf(next);
      heirs = heirsIn(next);
      retire(before);
    },
    heirsOf: (objects) => [...(heirs.get(objects) ?? [])],
    empty: trash.take,
    settle: trash.settle,
  };
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

/** What a process that ended in the middle of a change has left behind. */
function strayFolders(root: string, needed: ReadonlySet<string>): readonly string[] {
  const names = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
  return ["worlds", "snapshots"].flatMap((kind) =>
    names(join(root, kind)).flatMap((name) => {
      const base = join(root, kind, name);
      const pieces = names(base)
        .filter((piece) => PIECE.test(piece))
        .map((piece) => join(base, piece));
      const isWanted = needed.has(base) || pieces.some((piece) => needed.has(piece));
      return isWanted ? pieces.filter((piece) => !needed.has(piece)) : [base];
    }),
  );
}
