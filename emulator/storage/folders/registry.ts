import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { LowSync } from "lowdb";
import { JSONFileSync } from "lowdb/node";
import type { InitialSettings } from "../../kernel/commit.ts";
import type { MissingSecrets } from "../archive/secret-stripping.ts";
import { StoreError } from "../journal/snapshot.ts";
import type { TraceLayer } from "../rows/layers.ts";

/** Where the data of a world or of a snapshot lies: folders of its own, and others' that it reads through. */
export interface WorldFolder {
  readonly records: string;
  readonly traces: string;
  readonly layers: readonly TraceLayer[];
  readonly objects: string;
  readonly bases: readonly string[];
}

/** What the registry keeps of a world. */
export interface WorldEntry {
  readonly home: WorldFolder;
  /** The world or snapshot that it began with; null for one that began empty. */
  readonly from: string | null;
  /** How it begins whenever it begins anew, if not as the configuration says. */
  readonly beginning?: InitialSettings;
}

/** A snapshot: a world that was put aside, and what a world that goes on from it has to know. */
export interface SnapshotEntry {
  readonly home: WorldFolder;
  /** The world that it is of. */
  readonly of: string;
  /** Virtual time, and the number of the last turn. */
  readonly now: string;
  readonly turn: number;
  /** The number of its last journal file. */
  readonly last: number;
  /** The `boot` with which a copy of its objects is opened. */
  readonly boot: number;
  /** What it has no secrets for; only of one that was imported without them. */
  readonly missing?: MissingSecrets;
}

/** Every world and every snapshot of a data folder. */
export interface Registry {
  readonly worlds: Readonly<Record<string, WorldEntry>>;
  readonly snapshots: Readonly<Record<string, SnapshotEntry>>;
  /** A folder of objects that the world before has filled, and that its new one finds empty. */
  readonly vacated?: string;
  /** A world as this process begins one; it is not written down, since the next start may begin another. */
  readonly seeded?: SnapshotEntry;
  /** Homes that are being read for a file; not written down either, since that ends with the process. */
  readonly held?: readonly WorldFolder[];
}

const FORMAT = 1;
const NAME = "worlds.json";

/** Reads `worlds.json`; undefined when the folder has none, as one has in which there was never but `main`. */
export function readRegistry(root: string): Registry | undefined {
  const file = join(root, NAME);
  if (!existsSync(file)) return undefined;
  const database = new LowSync<{ format?: number } & Partial<Registry>>(new JSONFileSync(file), {});
  try {
    database.read();
  } catch (error) {
    throw new StoreError(`${file} is not readable JSON (${(error as Error).message}); restore it.`);
  }
  const { format, worlds, snapshots, vacated } = database.data;
  if (format !== FORMAT || !worlds || !snapshots)
    throw new StoreError(
      `${file} has format ${format}; this emulator reads format ${FORMAT}. Use the emulator that wrote it, or another --data folder.`,
    );
  return mapFolders({ worlds, snapshots, ...(vacated && { vacated }) }, (folder) => join(root, folder));
}

/** Replaces it in one step; folders are written relative to it, so that a data folder can be moved. */
export function writeRegistry(root: string, registry: Registry): void {
  const stored = { format: FORMAT, ...mapFolders(registry, (folder) => relative(root, folder)) };
  new LowSync<typeof stored>(new JSONFileSync(join(root, NAME)), stored).write();
}

/** Whether a world begins as the configuration says, with neither a seed nor a time of its own. */
export function startsAsConfigured({ worlds }: Registry, id: string): boolean {
  return worlds[id]?.beginning === undefined;
}

/** The registry with this entry for a world, in the place of the one that it may have. */
export function withWorld(registry: Registry, id: string, entry: WorldEntry): Registry {
  return { ...registry, worlds: { ...registry.worlds, [id]: entry } };
}

/** The homes of all worlds and snapshots, and those that are held for somebody. */
export function worldFoldersOf({ worlds, snapshots, seeded, held = [] }: Registry): readonly WorldFolder[] {
  const entries = [...Object.values(worlds), ...Object.values(snapshots), ...(seeded ? [seeded] : [])];
  return [...entries.map(({ home }) => home), ...held];
}

/** Every folder that some home has, as its own or to read through. */
export function foldersOf(registry: Registry): ReadonlySet<string> {
  return new Set(
    worldFoldersOf(registry).flatMap(({ records, traces, layers, objects, bases }) => [
      records,
      traces,
      ...layers.map(({ folder }) => folder),
      objects,
      ...bases,
    ]),
  );
}

function mapFolders(
  { worlds, snapshots, vacated }: Registry,
  mapFolder: (folder: string) => string,
): Registry {
  const mappedWorldFolder = ({ records, traces, layers, objects, bases }: WorldFolder): WorldFolder => ({
    records: mapFolder(records),
    traces: mapFolder(traces),
    layers: layers.map(({ folder, mark }) => ({ folder: mapFolder(folder), mark })),
    objects: mapFolder(objects),
    bases: bases.map(mapFolder),
  });
  const moved = <E extends { readonly home: WorldFolder }>(entries: Readonly<Record<string, E>>) =>
    Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [
        name,
        { ...entry, home: mappedWorldFolder(entry.home) },
      ]),
    );
  return {
    worlds: moved(worlds),
    snapshots: moved(snapshots),
    ...(vacated !== undefined && { vacated: mapFolder(vacated) }),
  };
}
