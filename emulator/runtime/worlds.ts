import { MAIN } from "../http/world-choice.ts";
import type { InitialSettings } from "../kernel/commit.ts";
import type { WorldImage } from "../kernel/image.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { DataDirectory } from "../storage/folders/data-directory.ts";
import {
  startsAsConfigured,
  type WorldEntry,
  type WorldFolder,
  withWorld,
} from "../storage/folders/registry.ts";
import type { CreateWorldRequest } from "../subjects/control-operation.ts";
import type { ForkedState, ForkSource } from "./fork-source.ts";
import { freeWorldName, refuseWorldName, SEEDED, unknownSource, unknownWorld } from "./names.ts";
import { createOpenWorlds, type NamedWorld, type OpenWorlds, type OpenWorldsParts } from "./open-worlds.ts";

/** What is known of a world without opening it. */
export interface WorldFacts {
  readonly id: string;
  /** The world or snapshot that it began with; null for one that began empty. */
  readonly from: string | null;
  /** Undefined for a world that was kept and not used yet. */
  readonly named: NamedWorld | undefined;
}

/** The worlds of a process: opened, made, begun anew and removed. */
export interface Worlds {
  /** A world that is in use; others lie in their folders until somebody asks for them. */
  find(id: string): NamedWorld | undefined;
  /** Opens a world unless it is in use, and waits until it holds all that it begins with; undefined when there is none. */
  ensureReady(id: string): Promise<NamedWorld | undefined>;
  list(): readonly WorldFacts[];
  /** Begins empty or seeded, if wanted in its own way; or goes on from a world or a snapshot as that stands. */
  create(request: CreateWorldRequest): Promise<WorldFacts>;
  /** Begins a world that was never in use with a snapshot, as it is seen from now. */
  startFromSnapshot(id: string, snapshot: string, adjust: (image: WorldImage) => WorldImage): void;
  remove(id: string): void;
  /** Begins a world anew, empty or with what the configuration gives it. */
  reset(named: NamedWorld, isEmpty: boolean): Promise<void>;
  /** Puts what a snapshot holds in the place of what a world holds. */
  load(named: NamedWorld, snapshot: string): void;
  /** Saves the worlds that are in use and lets go of their folders. */
  close(): Promise<void>;
}

/** What worlds are made with; `worldsMax` bounds how many there may be. */
export interface WorldsOptions extends OpenWorldsParts {
  readonly worldsMax: number;
}

interface WorldsParts extends Pick<WorldsOptions, "dataDirectory" | "snapshots" | "worldsMax"> {
  readonly open: OpenWorlds;
}

/** The worlds of a data folder; none is open before somebody asks for it. */
export function createWorlds(options: WorldsOptions): Worlds {
  const open = createOpenWorlds(options);
  const parts: WorldsParts = { ...options, open };
  return {
    find: open.find,
    async ensureReady(id) {
      const named = open.find(id) ?? (await open.ensureOpen(id));
      while (named?.seeding) await named.seeding;
      return named;
    },
    list: () => Object.keys(parts.dataDirectory.registry.worlds).map((id) => factsOf(parts, id)),
    create: async (request) => factsOf(parts, await create(parts, request)),
    startFromSnapshot: (id, snapshot, adjust) => startFromSnapshot(parts, id, snapshot, adjust),
    remove: (id) => remove(parts, id),
    reset: (named, isEmpty) => reset(parts, named, isEmpty),
    load: (named, snapshot) => load(parts, named, snapshot),
    close: open.close,
  };
}

function factsOf({ dataDirectory, open }: WorldsParts, id: string): WorldFacts {
  return { id, from: dataDirectory.registry.worlds[id]?.from ?? null, named: open.find(id) };
}

async function create(
  parts: WorldsParts,
  { id: wanted, from, initialSettings }: CreateWorldRequest,
): Promise<string> {
  const { dataDirectory, snapshots } = parts;
  const id = wanted ?? freeWorldName(dataDirectory.registry);
  refuseTaken(parts, id);
  if (initialSettings) refuseInitialSettings(from);
  const isNew = from === undefined || (from === SEEDED && (initialSettings || !snapshots.forkSource(SEEDED)));
  return isNew ? createFresh(parts, id, from === undefined, initialSettings) : fork(parts, wanted, from);
}

/** A world that could not be given what it begins with is removed again. */
async function createFresh(
  parts: WorldsParts,
  id: string,
  isEmpty: boolean,
  initialSettings: InitialSettings | undefined,
): Promise<string> {
  const { dataDirectory, open } = parts;
  const worldFolder = dataDirectory.prepare("worlds", id);
  register(dataDirectory, id, {
    home: worldFolder,
    from: isEmpty ? null : SEEDED,
    ...(initialSettings && { beginning: initialSettings }),
  });
  const named = open.add(id, worldFolder);
  try {
    await open.seed(named, isEmpty);
  } catch (error) {
    // A world that is there holds all that it begins with. Somebody may have removed this one already.
    if (open.find(id) === named) remove(parts, id);
    throw error;
  }
  return id;
}

/** Synchronous, so that the second of two concurrent requests is refused (unknown_world). */
function remove({ dataDirectory, open }: WorldsParts, id: string): void {
  if (id === MAIN)
    throw new Refusal(409, "main_stays", "The world main cannot be removed; reset it instead.");
  if (!Object.hasOwn(dataDirectory.registry.worlds, id)) throw unknownWorld(id);
  const { [id]: _, ...worlds } = dataDirectory.registry.worlds;
  const reason = new Refusal(404, "world_removed", `The world ${id} was removed.`);
  dataDirectory.change({ ...dataDirectory.registry, worlds }, { written: () => open.remove(id, reason) });
}

async function reset(parts: WorldsParts, named: NamedWorld, isEmpty: boolean): Promise<void> {
  const { dataDirectory, snapshots, open } = parts;
  const isLikeOthers = !isEmpty && startsAsConfigured(dataDirectory.registry, named.id);
  const source = isLikeOthers ? snapshots.forkSource(SEEDED) : undefined;
  if (source) return continueFrom(parts, named, source, SEEDED);
  const worldFolder = dataDirectory.prepare("worlds", named.id);
  replace(parts, named, keepObjectsFolder(dataDirectory, named, worldFolder), isEmpty ? null : SEEDED);
  await open.seed(named, isEmpty);
}

function load(parts: WorldsParts, named: NamedWorld, snapshot: string): void {
  const source = parts.snapshots.forkSource(snapshot);
  if (!source) throw unknownSource(snapshot);
  continueFrom(parts, named, source, snapshot);
}

function fork(parts: WorldsParts, wanted: string | undefined, from: string): Promise<string> {
  const { dataDirectory, open } = parts;
  return withForkSource(parts, from, (source) => {
    const id = wanted ?? freeWorldName(dataDirectory.registry);
    // Somebody else may have been quicker.
    refuseTaken(parts, id);
    const { worldFolder, forkedState } = source.forkInto(dataDirectory.prepare("worlds", id));
    register(dataDirectory, id, { home: worldFolder, from });
    open.add(id, worldFolder, forkedState);
    return id;
  });
}

function startFromSnapshot(
  { dataDirectory, snapshots, open }: WorldsParts,
  id: string,
  snapshot: string,
  adjust: (image: WorldImage) => WorldImage,
): void {
  const source = snapshots.forkSource(snapshot);
  const first = dataDirectory.registry.worlds[id];
  if (!source || !first) throw unknownSource(snapshot);
  const image = adjust(source.image);
  const { objects } = first.home;
  dataDirectory.empty(objects);
  const { worldFolder, forkedState } = source.forkInto({ ...dataDirectory.prepare("worlds", id), objects });
  register(dataDirectory, id, { ...first, home: worldFolder, from: snapshot });
  open.add(id, worldFolder, { ...forkedState, image });
}

async function withForkSource<T>(
  { snapshots, open }: WorldsParts,
  name: string,
  use: (source: ForkSource) => T,
): Promise<T> {
  const savedSource = snapshots.forkSource(name);
  if (savedSource) return use(savedSource);
  const named = await open.ensureOpen(name);
  if (!named) throw unknownSource(name);
  return named.runtime.whenIdle(use);
}

function register(
  { registry, change }: DataDirectory,
  id: string,
  entry: WorldEntry,
  options?: Parameters<DataDirectory["change"]>[1],
): void {
  change(withWorld(registry, id, entry), options);
}

/** The folder of objects keeps its path where nothing was forked from it: people look for exported files there. */
function keepObjectsFolder(
  dataDirectory: DataDirectory,
  { runtime }: NamedWorld,
  worldFolder: WorldFolder,
): WorldFolder {
  const { objects } = runtime.worldFolder;
  return dataDirectory.forksOf(objects).length === 0 ? { ...worldFolder, objects } : worldFolder;
}

function continueFrom(parts: WorldsParts, named: NamedWorld, source: ForkSource, from: string): void {
  const { dataDirectory } = parts;
  const { worldFolder, forkedState } = source.forkInto(dataDirectory.prepare("worlds", named.id));
  // Without a `boot` there are bodies in the new folder already, and the old one has others.
  const target =
    forkedState.boot === undefined ? worldFolder : keepObjectsFolder(dataDirectory, named, worldFolder);
  replace(parts, named, target, from, forkedState);
}

/** The old runtime ends when everything that the new one needs is prepared and registered. */
function replace(
  { dataDirectory, open }: WorldsParts,
  named: NamedWorld,
  worldFolder: WorldFolder,
  from: string | null,
  forkedState?: ForkedState,
): void {
  const { objects } = named.runtime.worldFolder;
  const entry = dataDirectory.registry.worlds[named.id];
  register(
    dataDirectory,
    named.id,
    { ...entry, home: worldFolder, from },
    {
      vacated: worldFolder.objects === objects ? objects : undefined,
      written: () =>
        open.end(named, new Refusal(409, "reset", "The world was reset while this request was under way.")),
    },
  );
  open.replaceRuntime(named, worldFolder, forkedState);
}

function refuseTaken({ dataDirectory, worldsMax }: WorldsParts, id: string): void {
  refuseWorldName(dataDirectory.registry, id, worldsMax);
}

/** A fork takes seed, time and clock from its source. */
function refuseInitialSettings(from: string | undefined): void {
  if (from !== undefined && from !== SEEDED)
    throw new Refusal(
      422,
      "invalid_request",
      `A world that goes on from ${from} has the seed, the time and the clock of that.`,
      "Leave seed, now and clock out, or make an empty or a seeded world.",
    );
}
