import { MAIN } from "../../http/world-choice.ts";
import type { AsOf } from "../../kernel/as-of.ts";
import type { InitialSettings } from "../../kernel/commit.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import { type Manifest, newManifest } from "../../storage/pool/names.ts";
import type { CreateWorldRequest } from "../../subjects/control-operation.ts";
import {
  freeWorldName,
  refuseWorldName,
  SEEDED,
  unknownSnapshot,
  unknownSource,
  unknownWorld,
} from "./names.ts";
import { createOpenWorlds, type NamedWorld, type OpenWorlds, type OpenWorldsParts } from "./open-worlds.ts";
import type { ForkSource } from "./world-state.ts";

/** What is known of a world without opening it. */
export interface WorldFacts {
  readonly id: string;
  /** The world or snapshot that it began with; null for one that began empty. */
  readonly from: string | null;
  /** Undefined for a world that was kept and not used yet. */
  readonly named: NamedWorld | undefined;
}

/** Opens, creates, resets and removes the worlds of a process. */
export interface Worlds {
  /** An open world; others are opened on their first request. */
  find(id: string): NamedWorld | undefined;
  /** Opens a world unless it is in use, and waits until it holds all that it begins with; undefined when there is none. */
  ensureReady(id: string): Promise<NamedWorld | undefined>;
  list(): readonly WorldFacts[];
  /** Creates an empty or a seeded world, or a fork of a world or a snapshot. */
  create(request: CreateWorldRequest): Promise<WorldFacts>;
  /** Begins a world that was never in use with a snapshot, as it is seen from now. */
  startFromSnapshot(id: string, snapshot: string, adjust: (source: ForkSource) => ForkSource): Promise<void>;
  remove(id: string): void;
  /** Resets a world to the empty or the seeded state. */
  reset(openWorld: NamedWorld, isEmpty: boolean): Promise<void>;
  /** Replaces the state of a world with a snapshot. */
  load(openWorld: NamedWorld, snapshot: string): void;
  /**
   * Replaces the state of a world with an earlier one; later turns are no longer in its history. Refuses (409) a point in
   * the history of a generation that the world has lost since.
   */
  rewind(openWorld: NamedWorld, at: AsOf, generation?: number): void;
  /** A number that each reset, load and rewind of a world replaces. */
  generationOf(id: string): number;
  /** Gives a world that cannot be opened an empty state. Refuses a snapshot that is to replace it but cannot be read. */
  clearDamaged(id: string, snapshot: string | undefined): void;
  /** Saves the open worlds and closes their files. */
  close(): Promise<void>;
}

interface WorldsParts extends Pick<OpenWorldsParts, "pool" | "manifests" | "snapshots" | "limits"> {
  readonly open: OpenWorlds;
}

/** The worlds of a data folder, each opened on its first request. */
export function createWorlds(options: OpenWorldsParts): Worlds {
  const open = createOpenWorlds(options);
  const parts: WorldsParts = { ...options, open };
  return {
    find: open.find,
    async ensureReady(id) {
      const openWorld = open.find(id) ?? (await open.ensureOpen(id));
      while (openWorld?.seeding) await openWorld.seeding;
      return openWorld;
    },
    list: () => [...parts.manifests.worlds.keys()].map((id) => factsOf(parts, id)),
    create: async (request) => factsOf(parts, await create(parts, request)),
    startFromSnapshot: (id, snapshot, adjust) => startFromSnapshot(parts, id, snapshot, adjust),
    remove: (id) => remove(parts, id),
    reset: (openWorld, isEmpty) => reset(parts, openWorld, isEmpty),
    load: (openWorld, snapshot) => load(parts, openWorld, snapshot),
    rewind: (openWorld, at, generation) => rewind(parts, openWorld, at, generation),
    generationOf: (id) => generationOf(parts, id),
    clearDamaged: (id, snapshot) => clearDamaged(parts, id, snapshot),
    close: open.close,
  };
}

function factsOf({ manifests, open }: WorldsParts, id: string): WorldFacts {
  return { id, from: manifests.worlds.get(id)?.from ?? null, named: open.find(id) };
}

async function create(
  parts: WorldsParts,
  { id: requestedId, from, at, initialSettings }: CreateWorldRequest,
): Promise<string> {
  const { manifests, snapshots } = parts;
  const id = requestedId ?? freeWorldName(manifests);
  refuseName(parts, id);
  if (initialSettings) refuseInitialSettings(from);
  if (at && (from === undefined || manifests.snapshots.has(from) || from === SEEDED))
    throw withoutHistory(from);
  const isNew = from === undefined || (from === SEEDED && (initialSettings || !snapshots.forkSource(SEEDED)));
  return isNew
    ? createFresh(parts, id, from === undefined, initialSettings)
    : fork(parts, { requestedId, from, at });
}

/** A world that could not be given what it begins with is removed again. */
async function createFresh(
  parts: WorldsParts,
  id: string,
  isEmpty: boolean,
  initialSettings: InitialSettings | undefined,
): Promise<string> {
  const { manifests, open } = parts;
  manifests.putWorld(id, {
    manifest: manifestFrom(parts, undefined),
    from: isEmpty ? null : SEEDED,
    ...(initialSettings && { beginning: initialSettings }),
  });
  const openWorld = open.add(id);
  try {
    await open.seed(openWorld, isEmpty);
  } catch (error) {
    // A listed world is fully seeded. This one may have been removed already.
    if (open.find(id) === openWorld) remove(parts, id);
    throw error;
  }
  return id;
}

/** Synchronous, so that the second of two concurrent requests is refused (unknown_world). */
function remove({ manifests, open }: WorldsParts, id: string): void {
  if (id === MAIN)
    throw new Refusal(
      409,
      "main_stays",
      "The world main cannot be removed.",
      "Reset it with POST /_emulator/v1/reset instead.",
    );
  if (!manifests.worlds.has(id)) throw unknownWorld(id);
  const reason = new Refusal(404, "world_removed", `The world ${id} was removed.`);
  manifests.putWorld(id, null, () => open.remove(id, reason));
}

async function reset(parts: WorldsParts, openWorld: NamedWorld, isEmpty: boolean): Promise<void> {
  const { manifests, snapshots, open } = parts;
  const isLikeOthers = !isEmpty && manifests.worlds.get(openWorld.id)?.beginning === undefined;
  const source = isLikeOthers ? snapshots.forkSource(SEEDED) : undefined;
  replace(parts, openWorld, isEmpty ? null : SEEDED, source);
  if (!source) await open.seed(openWorld, isEmpty);
}

function load(parts: WorldsParts, openWorld: NamedWorld, snapshot: string): void {
  const source = parts.snapshots.forkSource(snapshot);
  if (!source) throw unknownSource(snapshot);
  replace(parts, openWorld, snapshot, source);
}

function generationOf({ manifests }: WorldsParts, id: string): number {
  return manifests.worlds.get(id)?.manifest.owner ?? 0;
}

function rewind(parts: WorldsParts, openWorld: NamedWorld, at: AsOf, generation: number | undefined): void {
  const source = openWorld.runtime.sourceAsOf(at);
  const { turn } = source.image;
  const present = { generation: generationOf(parts, openWorld.id), until: openWorld.runtime.world.lastTurn };
  const lineage = [present, ...(openWorld.rewoundFrom ?? [])];
  const isKnown = lineage.some((each) => each.generation === generation && turn <= each.until);
  if (generation !== undefined && !isKnown)
    throw new Refusal(
      409,
      "other_generation",
      `generation: turn ${turn} of generation ${generation} is not in the history of this world, which is at generation ${present.generation}. The world was reset, loaded or rewound in the meantime.`,
      "Read the generation from GET /_emulator/v1/status again and look at that history, or leave `generation` out.",
    );
  replace(parts, openWorld, parts.manifests.worlds.get(openWorld.id)?.from ?? null, source);
  openWorld.rewoundFrom = lineage.map((each) => ({ ...each, until: Math.min(each.until, turn) }));
}

function clearDamaged(parts: WorldsParts, id: string, snapshot: string | undefined): void {
  if (snapshot !== undefined && !parts.snapshots.forkSource(snapshot)) throw unknownSnapshot(snapshot);
  const entry = parts.manifests.worlds.get(id);
  if (!entry) throw unknownWorld(id);
  parts.manifests.putWorld(id, { ...entry, manifest: manifestFrom(parts, undefined) });
}

interface ForkRequest {
  readonly requestedId: string | undefined;
  readonly from: string;
  readonly at: AsOf | undefined;
}

function fork(parts: WorldsParts, { requestedId, from, at }: ForkRequest): Promise<string> {
  const { manifests, open } = parts;
  return withForkSource(parts, { from, at }, (source) => {
    const id = requestedId ?? freeWorldName(manifests);
    // Another request may have taken the name meanwhile.
    refuseName(parts, id);
    manifests.putWorld(id, { manifest: manifestFrom(parts, source), from, journalAfter: source.image.turn });
    open.add(id, source);
    return id;
  });
}

async function startFromSnapshot(
  parts: WorldsParts,
  id: string,
  snapshot: string,
  adjust: (source: ForkSource) => ForkSource,
): Promise<void> {
  const { manifests, snapshots, open } = parts;
  const source = snapshots.forkSource(snapshot);
  if (!source) throw unknownSource(snapshot);
  const adjusted = adjust(source);
  manifests.putWorld(id, {
    manifest: manifestFrom(parts, source),
    from: snapshot,
    journalAfter: source.image.turn,
  });
  const openWorld = open.add(id, adjusted);
  openWorld.resumption = await openWorld.runtime.resumeTime();
}

async function withForkSource<T>(
  { snapshots, open }: WorldsParts,
  { from, at }: Omit<ForkRequest, "requestedId">,
  use: (source: ForkSource) => T,
): Promise<T> {
  const savedSource = snapshots.forkSource(from);
  if (savedSource) return use(savedSource);
  const openWorld = await open.ensureOpen(from);
  if (!openWorld) throw unknownSource(from);
  const { runtime } = openWorld;
  if (at) return use(runtime.sourceAsOf(at));
  return runtime.whenIdle((source) => use({ ...source, before: runtime.history.upTo(source.image.turn) }));
}

/** The manifest of a new world that is forked from a source, or begins empty. */
function manifestFrom({ manifests, pool }: WorldsParts, source: ForkSource | undefined): Manifest {
  return newManifest(manifests.nextOwner(), pool.isPersistent, source?.manifest);
}

/** The old runtime ends when the new world is written down. */
function replace(parts: WorldsParts, openWorld: NamedWorld, from: string | null, source?: ForkSource): void {
  const { manifests, open } = parts;
  const beginning = manifests.worlds.get(openWorld.id)?.beginning;
  const reason = new Refusal(
    409,
    "reset",
    "The world was reset, loaded or rewound while this request was running; send the request again.",
  );
  const entry = {
    manifest: manifestFrom(parts, source),
    from,
    ...(beginning && { beginning }),
    ...(source && { journalAfter: source.image.turn }),
  };
  manifests.putWorld(openWorld.id, entry, () => open.end(openWorld, reason));
  open.replaceRuntime(openWorld, source);
  openWorld.rewoundFrom = [];
}

function refuseName({ manifests, limits }: WorldsParts, id: string): void {
  refuseWorldName(manifests, id, limits.worlds);
}

function withoutHistory(from: string | undefined): Refusal {
  return invalidRequest(
    from === undefined
      ? "at: a new empty world has no earlier states."
      : `at: ${from} is not a world. Only worlds have a history.`,
    "Give the world to copy with `from`; GET /_emulator/v1/worlds lists the worlds.",
  );
}

/** A fork takes seed, time and clock from its source. */
function refuseInitialSettings(from: string | undefined): void {
  if (from !== undefined && from !== SEEDED)
    throw invalidRequest(
      `A fork of ${from} has the same seed, time and clock as its source.`,
      "Leave out seed, now and clock, or create an empty or a seeded world.",
    );
}
