import { createRecording } from "../control/recording.ts";
import { MAIN } from "../http/world-choice.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { DataDirectory } from "../storage/folders/data-directory.ts";
import {
  startsAsConfigured,
  type WorldEntry,
  type WorldFolder,
  withWorld,
} from "../storage/folders/registry.ts";
import type { Recording } from "../subjects/recording.ts";
import type { World } from "../subjects/turn.ts";
import type { ForkedState } from "./fork-source.ts";
import { SEEDED } from "./names.ts";
import type { Snapshots } from "./snapshots.ts";
import type { WorldRuntime } from "./world-runtime.ts";

/** A world under its name: its current runtime and its last requests. */
export interface NamedWorld {
  readonly id: string;
  /** Another one after each reset. */
  runtime: WorldRuntime;
  recording: Recording;
  /** Settles when the world holds all that it begins with; undefined when it does. */
  seeding: Promise<void> | undefined;
}

/** What worlds are opened with. */
export interface OpenWorldsParts {
  readonly dataDirectory: DataDirectory;
  readonly snapshots: Snapshots;
  /** Opens a world in its folder. */
  openRuntime(id: string, worldFolder: WorldFolder, forkedState?: ForkedState): WorldRuntime;
  /** Gives a fresh world what it begins with. */
  seed(world: World, isEmpty: boolean): Promise<void>;
}

/** The worlds that are in use; the others are opened with the first request for them. */
export interface OpenWorlds {
  find(id: string): NamedWorld | undefined;
  /** Opens a world that was kept and not used yet; undefined when there is none of this name. */
  ensureOpen(id: string): Promise<NamedWorld | undefined>;
  add(id: string, worldFolder: WorldFolder, forkedState?: ForkedState): NamedWorld;
  /** Opens another folder under the name of a world whose runtime has ended. */
  replaceRuntime(named: NamedWorld, worldFolder: WorldFolder, forkedState?: ForkedState): void;
  seed(named: NamedWorld, isEmpty: boolean): Promise<void>;
  /** Ends the runtime of a world; its files are released in the background. */
  end(named: NamedWorld, reason: Refusal): void;
  /** Ends a world for good; nothing runs under its name any more. */
  remove(id: string, reason: Refusal): void;
  close(): Promise<void>;
}

/** A world is opened once, however many ask for it at the same time. */
export function createOpenWorlds(parts: OpenWorldsParts): OpenWorlds {
  const { dataDirectory, openRuntime } = parts;
  const open = new Map<string, NamedWorld>();
  const opening = new Map<string, Promise<NamedWorld>>();
  const ending = new Set<Promise<void>>();

  function add(id: string, worldFolder: WorldFolder, forkedState?: ForkedState): NamedWorld {
    const runtime = openRuntime(id, worldFolder, forkedState);
    const named = { id, runtime, recording: createRecording(runtime.isFresh), seeding: undefined };
    open.set(id, named);
    return named;
  }

  async function openStored(id: string, entry: WorldEntry): Promise<NamedWorld> {
    const named = add(id, completeFolder(dataDirectory, id, entry));
    // The first start, or one that ended before the world was given what a fresh one holds.
    if (named.runtime.isFresh) await seedNamed(parts, named, id !== MAIN && entry.from !== SEEDED);
    return named;
  }

  function end({ runtime }: NamedWorld, reason: Refusal): void {
    // Nobody waits for a world that has ended, so a failure to release its files has no one to be reported to.
    const ended = runtime
      .end(reason)
      .catch(() => undefined)
      .finally(() => ending.delete(ended));
    ending.add(ended);
  }

  return {
    find: (id) => open.get(id),
    async ensureOpen(id) {
      const known = opening.get(id) ?? open.get(id);
      const { worlds } = dataDirectory.registry;
      const entry = Object.hasOwn(worlds, id) ? worlds[id] : undefined;
      if (known || !entry) return known;
      const opened = openStored(id, entry).finally(() => opening.delete(id));
      opening.set(id, opened);
      return opened;
    },
    add,
    replaceRuntime(named, worldFolder, forkedState) {
      named.runtime = openRuntime(named.id, worldFolder, forkedState);
      named.recording = createRecording(named.runtime.isFresh);
    },
    seed: (named, isEmpty) => seedNamed(parts, named, isEmpty),
    end,
    remove(id, reason) {
      const named = open.get(id);
      open.delete(id);
      if (named) end(named, reason);
    },
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map(({ runtime }) => runtime.close()));
      await Promise.all(ending);
    },
  };
}

/** A world that was being seeded when its process ended starts again in an empty folder. */
function completeFolder(dataDirectory: DataDirectory, id: string, entry: WorldEntry): WorldFolder {
  if (!dataDirectory.isIncomplete(entry.home)) return entry.home;
  const worldFolder = dataDirectory.prepare("worlds", id);
  dataDirectory.change(withWorld(dataDirectory.registry, id, { ...entry, home: worldFolder }));
  return worldFolder;
}

/** A world answers no request until its initial data is written and kept for other worlds to start with. */
async function seedNamed(parts: OpenWorldsParts, named: NamedWorld, isEmpty: boolean): Promise<void> {
  const seedingDone = seedAndPersist(parts, named, isEmpty);
  const seeding = seedingDone
    .catch(() => undefined)
    .finally(() => {
      if (named.seeding === seeding) named.seeding = undefined;
    });
  named.seeding = seeding;
  await seedingDone;
}

async function seedAndPersist(
  { dataDirectory, snapshots, seed }: OpenWorldsParts,
  { id, runtime }: NamedWorld,
  isEmpty: boolean,
): Promise<void> {
  dataDirectory.markIncomplete(runtime.worldFolder);
  await seed(runtime.world, isEmpty);
  await runtime.persisted();
  dataDirectory.markComplete(runtime.worldFolder);
  if (!isEmpty && startsAsConfigured(dataDirectory.registry, id)) await snapshots.saveSeeded(runtime);
}
