import { createRecording } from "../control/recording.ts";
import { MAIN } from "../http/world-choice.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { DataDirectory } from "../storage/folders/data-directory.ts";
import {
  startsAsConfigured,
  type WorldEntry,
  type WorldFolder,
  withWorld,
} from "../storage/folders/registry.ts";
import type { Recording } from "../subjects/recording.ts";
import type { ForkedState } from "./fork-source.ts";
import { SEEDED, type SnapshotStore } from "./snapshots.ts";
import type { WorldRuntime } from "./world-runtime.ts";

/** A world under its name: what runs there now, and what it was asked lately. */
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
  readonly snapshotStore: SnapshotStore;
  /** Opens a world at its home. */
  open(id: string, worldFolder: WorldFolder, forkedState?: ForkedState): WorldRuntime;
  /** Gives a fresh world what it begins with. */
  seed(runtime: WorldRuntime, isEmpty: boolean): Promise<void>;
}

/** The worlds that are in use; others lie in their homes until somebody asks for them. */
export interface OpenWorlds {
  find(id: string): NamedWorld | undefined;
  /** Opens a world that was kept and not used yet; undefined when there is none of this name. */
  ensureOpen(id: string): Promise<NamedWorld | undefined>;
  add(id: string, worldFolder: WorldFolder, forkedState?: ForkedState): NamedWorld;
  /** Opens another home under the name of a world, whose own has ended. */
  replaceRuntime(named: NamedWorld, worldFolder: WorldFolder, forkedState?: ForkedState): void;
  seed(named: NamedWorld, isEmpty: boolean): Promise<void>;
  /** Ends what runs there; its files are let go in the background. */
  end(named: NamedWorld, reason: Refusal): void;
  drop(id: string): void;
  close(): Promise<void>;
}

/** A world is opened once, however many ask for it at the same time. */
export function createOpenWorlds({ dataDirectory, snapshotStore, ...parts }: OpenWorldsParts): OpenWorlds {
  const open = new Map<string, NamedWorld>();
  const opening = new Map<string, Promise<NamedWorld>>();
  const ending = new Set<Promise<void>>();

  function add(id: string, worldFolder: WorldFolder, forkedState?: ForkedState): NamedWorld {
    const runtime = parts.open(id, worldFolder, forkedState);
    const named = { id, runtime, recording: createRecording(runtime.isFresh), seeding: undefined };
    open.set(id, named);
    return named;
  }

  async function seedAndPersist({ id, runtime }: NamedWorld, isEmpty: boolean): Promise<void> {
    dataDirectory.markIncomplete(runtime.worldFolder);
    await parts.seed(runtime, isEmpty);
    await runtime.persisted();
    dataDirectory.markComplete(runtime.worldFolder);
    if (!isEmpty && startsAsConfigured(dataDirectory.registry, id)) await snapshotStore.saveSeeded(runtime);
  }

  /** Until it has all that it begins with, and that is kept for others to begin with, a world answers nobody. */
  async function seed(named: NamedWorld, isEmpty: boolean): Promise<void> {
    const seedingDone = seedAndPersist(named, isEmpty);
    const seeding = seedingDone
      .catch(() => undefined)
      .finally(() => {
        if (named.seeding === seeding) named.seeding = undefined;
      });
    named.seeding = seeding;
    await seedingDone;
  }

  /** A world that was being filled when its process ended begins once more. */
  function completeFolder(id: string, entry: WorldEntry): WorldFolder {
    if (!dataDirectory.isIncomplete(entry.home)) return entry.home;
    const worldFolder = dataDirectory.prepare("worlds", id);
    dataDirectory.change(withWorld(dataDirectory.registry, id, { ...entry, home: worldFolder }));
    return worldFolder;
  }

  async function openStored(id: string, entry: WorldEntry): Promise<NamedWorld> {
    const named = add(id, completeFolder(id, entry));
    // The first start, or one that ended before the world was given what a fresh one holds.
    if (named.runtime.isFresh) await seed(named, id !== MAIN && entry.from !== SEEDED);
    return named;
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
      named.runtime = parts.open(named.id, worldFolder, forkedState);
      named.recording = createRecording(named.runtime.isFresh);
    },
    seed,
    end({ runtime }, reason) {
      // Whatever it fails to leave behind, nobody looks for it any more.
      const ended = runtime
        .end(reason)
        .catch(() => undefined)
        .finally(() => ending.delete(ended));
      ending.add(ended);
    },
    drop: (id) => void open.delete(id),
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map(({ runtime }) => runtime.close()));
      await Promise.all(ending);
    },
  };
}

/** For a request that names a world which is not there. */
export function unknownWorld(id: string): Refusal {
  return new Refusal(
    404,
    "unknown_world",
    id === "" ? "The world has no name." : `There is no world ${id}.`,
    'POST /_emulator/v1/worlds {"id":…} makes one; GET lists them.',
  );
}
