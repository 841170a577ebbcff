import type { Configuration, SeedData } from "../config/configuration.ts";
import { emptyState, type WorldState } from "../kernel/commit.ts";
import { imageOf } from "../kernel/image.ts";
import { formatInstant } from "../kernel/instant.ts";
import type { ExportSource } from "../storage/archive/export-archive.ts";
import type { MissingSecrets } from "../storage/archive/secret-stripping.ts";
import type { DataDirectory } from "../storage/folders/data-directory.ts";
import type { Registry, SnapshotEntry, WorldFolder } from "../storage/folders/registry.ts";
import { readStore } from "../storage/journal/store.ts";
import { openTraceStore } from "../storage/rows/store.ts";
import { createRateLimiter } from "../subjects/rate-limits/limiter.ts";
import { COLLECTIONS } from "./assembly.ts";
import { type ForkedState, type ForkSource, type Snapshot, snapshotForkSource } from "./fork-source.ts";
import { refuseSnapshotName, SEEDED, unknownSnapshot } from "./names.ts";
import type { WorldRuntime } from "./world-runtime.ts";

/** A snapshot as the control API shows it; `now` is the virtual time that it was taken at. */
export interface SnapshotFacts {
  readonly name: string;
  /** The world that it is of. */
  readonly of: string;
  readonly now: string;
  readonly turn: number;
  /** What it has no secrets for; only of one that was imported without them. */
  readonly missing?: MissingSecrets;
}

/** Named snapshots of worlds: what other worlds are forked from. */
export interface Snapshots {
  /** Keeps a world as it is now; a snapshot of this name is replaced, once the new one is there. */
  save(name: string, of: string, runtime: WorldRuntime): Promise<SnapshotFacts>;
  /** Keeps a world that was just seeded, so that the next one is forked from it instead of seeded again. */
  saveSeeded(runtime: WorldRuntime): Promise<void>;
  list(): readonly SnapshotFacts[];
  find(name: string): SnapshotFacts;
  /** What worlds go on from a snapshot with; undefined when there is none of this name. */
  forkSource(name: string): ForkSource | undefined;
  remove(name: string): void;
  /** Refuses a name that a snapshot cannot have. */
  refuse(name: string): void;
  /** A snapshot as it is put into a file. */
  exportSource(name: string): ExportSource;
  /** Registers a snapshot whose folder an import has filled. */
  registerImported(name: string, entry: SnapshotEntry, state: WorldState): SnapshotFacts;
}

/** What is known of a snapshot without a file being read. */
type LoadedState = Pick<ForkedState, "image" | "limiter"> & Partial<Pick<ForkedState, "rows">>;

/** The snapshots of a data folder; their records are read on first use. */
export function createSnapshots(configuration: Configuration, dataDirectory: DataDirectory): Snapshots {
  const loadedSnapshots = new Map<string, Snapshot>();
  const isKept = configuration.dataFolder !== null;
  const { limits, rateLimits } = configuration.settings;

  /** What is not in memory was kept by an earlier process. */
  function loadSnapshot(name: string, { home: worldFolder }: SnapshotEntry): Snapshot {
    const known = loadedSnapshots.get(name);
    if (known) return known;
    const { seed } = configuration;
    const { state } = readStore(worldFolder.records, emptyState(seed, 0, { mode: "frozen", rate: 1 }));
    return cache(name, worldFolder, {
      image: imageOf(state, COLLECTIONS),
      limiter: createRateLimiter(rateLimits),
    });
  }

  function cache(name: string, worldFolder: WorldFolder, { image, limiter, rows }: LoadedState): Snapshot {
    const inherited = rows && { inherited: rows };
    const traces = openTraceStore({ folder: worldFolder.traces, layers: worldFolder.layers, ...inherited });
    const snapshot = { image, limiter, traces };
    loadedSnapshots.set(name, snapshot);
    return snapshot;
  }

  /** The registry changes last: a failure leaves the old snapshot. */
  function saveFrom(name: string, of: string, source: ForkSource): SnapshotEntry {
    const { worldFolder, forkedState } = source.forkInto(dataDirectory.prepare("snapshots", name));
    const { now, turn } = source.image;
    const { last } = forkedState;
    const entry = { home: worldFolder, of, now: formatInstant(now), turn, last, boot: source.boot };
    return register(name, entry, forkedState);
  }

  function register(name: string, entry: SnapshotEntry, loaded: LoadedState): SnapshotEntry {
    const { registry } = dataDirectory;
    if (name === SEEDED) dataDirectory.change({ ...registry, seeded: entry });
    else dataDirectory.change({ ...registry, snapshots: { ...registry.snapshots, [name]: entry } });
    cache(name, entry.home, loaded);
    return entry;
  }

  function find(name: string): SnapshotFacts {
    const entry = name === SEEDED ? undefined : entryOf(dataDirectory.registry, name);
    if (!entry) throw unknownSnapshot(name);
    return factsOf(name, entry);
  }

  function refuse(name: string): void {
    refuseSnapshotName(dataDirectory.registry, name, limits.snapshots);
  }

  return {
    async save(name, of, runtime) {
      refuse(name);
      return factsOf(name, await runtime.whenIdle((source) => saveFrom(name, of, source)));
    },
    list: () => Object.entries(dataDirectory.registry.snapshots).map(([name, entry]) => factsOf(name, entry)),
    find,
    refuse,
    exportSource(name) {
      const { of } = find(name);
      const entry = entryOf(dataDirectory.registry, name) as SnapshotEntry;
      return { name, of, worldFolder: entry.home, image: loadSnapshot(name, entry).image };
    },
    registerImported(name, entry, state) {
      const image = imageOf(state, COLLECTIONS);
      return factsOf(name, register(name, entry, { image, limiter: createRateLimiter(rateLimits) }));
    },
    remove(name) {
      find(name);
      const { [name]: _, ...snapshots } = dataDirectory.registry.snapshots;
      dataDirectory.change({ ...dataDirectory.registry, snapshots });
      loadedSnapshots.delete(name);
    },
    forkSource(name) {
      const entry = entryOf(dataDirectory.registry, name);
      return entry && snapshotForkSource(entry, loadSnapshot(name, entry), isKept);
    },
    async saveSeeded(runtime) {
      // Without rows or destinations a world is seeded as quickly as it is copied.
      if (!dataDirectory.registry.seeded && isSlowToSeed(configuration.seedData))
        await runtime.whenIdle((source) => saveFrom(SEEDED, SEEDED, source));
    },
  };
}

function entryOf({ snapshots, seeded }: Registry, name: string): SnapshotEntry | undefined {
  if (name === SEEDED) return seeded;
  return Object.hasOwn(snapshots, name) ? snapshots[name] : undefined;
}

function factsOf(name: string, { of, now, turn, missing }: SnapshotEntry): SnapshotFacts {
  return { name, of, now, turn, ...(missing && { missing }) };
}

function isSlowToSeed({ traces, destinations }: SeedData): boolean {
  return traces.length > 0 || destinations.length > 0;
}
