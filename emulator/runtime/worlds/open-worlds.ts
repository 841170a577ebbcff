import { createRecording } from "../../control/recording.ts";
import { MAIN } from "../../http/world-choice.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";
import { newManifest, type WorldEntry } from "../../storage/pool/names.ts";
import type { Pool } from "../../storage/pool/pool.ts";
import type { Recording } from "../../subjects/recording.ts";
import type { LimitSettings } from "../../subjects/settings.ts";
import type { World } from "../../subjects/turn.ts";
import type { Snapshots } from "../snapshots/snapshots.ts";
import { SEEDED } from "./names.ts";
import type { Resumption } from "./resumption.ts";
import type { WorldRuntime } from "./runtime.ts";
import type { ForkSource } from "./world-state.ts";

/** A world under its name: its current runtime and its last requests. */
export interface NamedWorld {
  readonly id: string;
  /** Another one after each reset. */
  runtime: WorldRuntime;
  recording: Recording;
  /** Settles when the world holds all that it begins with; undefined when it does. */
  seeding: Promise<void> | undefined;
  /** How a stored world continued in this process. */
  resumption?: Resumption;
  /** The states that this one was rewound from in this process, and the turn up to which each is part of its history. */
  rewoundFrom?: readonly { readonly generation: number; readonly until: number }[];
}

/** What worlds are opened with. */
export interface OpenWorldsParts {
  readonly pool: Pool;
  readonly manifests: Manifests;
  readonly snapshots: Snapshots;
  readonly limits: LimitSettings;
  /** Opens a world that the manifests have. */
  openRuntime(id: string, source?: ForkSource): WorldRuntime;
  /** Gives a fresh world what it begins with. */
  seed(world: World, isEmpty: boolean): Promise<void>;
}

/** The worlds that are in use; the others are opened with the first request for them. */
export interface OpenWorlds {
  find(id: string): NamedWorld | undefined;
  /** Opens a world that was kept and not used yet; undefined when there is none of this name. */
  ensureOpen(id: string): Promise<NamedWorld | undefined>;
  add(id: string, source?: ForkSource): NamedWorld;
  /** Opens what the manifests have now under the name of a world whose runtime has ended. */
  replaceRuntime(openWorld: NamedWorld, source?: ForkSource): void;
  seed(openWorld: NamedWorld, isEmpty: boolean): Promise<void>;
  /** Ends the runtime of a world; its files are released in the background. */
  end(openWorld: NamedWorld, reason: Refusal): void;
  /** Ends a world and removes it from the open worlds. */
  remove(id: string, reason: Refusal): void;
  close(): Promise<void>;
}

/** A stop exports objects for users for this long; a stop signal of a container leaves ten seconds in all. */
const MAX_EXPORT_MS = 1000;

/** A world is opened once, however many ask for it at the same time. */
export function createOpenWorlds(parts: OpenWorldsParts): OpenWorlds {
  const { manifests, limits, openRuntime } = parts;
  const open = new Map<string, NamedWorld>();
  const opening = new Map<string, Promise<NamedWorld>>();
  const ending = new Set<Promise<void>>();

  function add(id: string, source?: ForkSource): NamedWorld {
    const runtime = openRuntime(id, source);
    const openWorld = {
      id,
      runtime,
      recording: createRecording(runtime.isFresh, limits),
      seeding: undefined,
    };
    open.set(id, openWorld);
    return openWorld;
  }

  async function openStored(id: string, entry: WorldEntry): Promise<NamedWorld> {
    if (entry.isFilling) restartEmpty(parts, id, entry);
    const openWorld = add(id);
    await beginOrResume(parts, openWorld, entry);
    return openWorld;
  }

  function end({ runtime }: NamedWorld, reason: Refusal): void {
    // Nobody waits for a world that has ended, so a failure to release its files has no one to be reported to.
    const endOfWorld = runtime
      .end(reason)
      .catch(() => undefined)
      .finally(() => ending.delete(endOfWorld));
    ending.add(endOfWorld);
  }

  return {
    find: (id) => open.get(id),
    async ensureOpen(id) {
      const existingWorld = opening.get(id) ?? open.get(id);
      const entry = manifests.worlds.get(id);
      if (existingWorld || !entry) return existingWorld;
      const openedWorld = openStored(id, entry).finally(() => opening.delete(id));
      opening.set(id, openedWorld);
      return openedWorld;
    },
    add,
    replaceRuntime(openWorld, source) {
      openWorld.runtime = openRuntime(openWorld.id, source);
      openWorld.recording = createRecording(openWorld.runtime.isFresh, limits);
    },
    seed: (openWorld, isEmpty) => seedNamed(parts, openWorld, isEmpty),
    end,
    remove(id, reason) {
      const openWorld = open.get(id);
      open.delete(id);
      if (openWorld) end(openWorld, reason);
    },
    async close() {
      const openWorlds = [...open.values()];
      open.clear();
      const stopBy = performance.now() + MAX_EXPORT_MS;
      await Promise.all(openWorlds.map(({ runtime }) => runtime.close(stopBy)));
      await Promise.all(ending);
    },
  };
}

/** A world that was being seeded when its process ended starts again in an empty folder. */
function restartEmpty({ manifests, pool }: OpenWorldsParts, id: string, entry: WorldEntry): void {
  manifests.putWorld(id, {
    ...complete(entry),
    manifest: newManifest(manifests.nextOwner(), pool.isPersistent),
  });
}

function complete({ isFilling: _, ...entry }: WorldEntry): WorldEntry {
  return entry;
}

/** A world is fresh on the first start, and after a start that ended before the world was seeded. */
async function beginOrResume(
  parts: OpenWorldsParts,
  openWorld: NamedWorld,
  entry: WorldEntry,
): Promise<void> {
  if (openWorld.runtime.isFresh)
    await seedNamed(parts, openWorld, openWorld.id !== MAIN && entry.from !== SEEDED);
  else openWorld.resumption = await openWorld.runtime.resumeTime();
}

/** A world answers no request until its initial data is written and kept for other worlds to start with. */
async function seedNamed(parts: OpenWorldsParts, openWorld: NamedWorld, isEmpty: boolean): Promise<void> {
  const seedingDone = seedAndPersist(parts, openWorld, isEmpty);
  const seeding = seedingDone
    .catch(() => undefined)
    .finally(() => {
      if (openWorld.seeding === seeding) openWorld.seeding = undefined;
    });
  openWorld.seeding = seeding;
  await seedingDone;
}

async function seedAndPersist(
  { manifests, snapshots, seed }: OpenWorldsParts,
  { id, runtime }: NamedWorld,
  isEmpty: boolean,
): Promise<void> {
  const owner = manifests.worlds.get(id)?.manifest.owner;
  /** The world may have been reset or removed meanwhile. */
  const change = (to: (entry: WorldEntry) => WorldEntry): void => {
    const entry = manifests.worlds.get(id);
    if (entry?.manifest.owner === owner && entry) manifests.putWorld(id, to(entry));
  };
  change((entry) => ({ ...entry, isFilling: true }));
  await seed(runtime.world, isEmpty);
  await runtime.persisted();
  change(complete);
  if (!isEmpty && manifests.worlds.get(id)?.beginning === undefined) await snapshots.saveSeeded(runtime);
}
