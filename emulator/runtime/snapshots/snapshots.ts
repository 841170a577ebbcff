import type { Configuration, SeedData } from "../../config/configuration.ts";
import { imageOf } from "../../kernel/image.ts";
import { formatInstant } from "../../kernel/instant.ts";
import type { ExportSource } from "../../storage/archive/export-archive.ts";
import { completedRecords, missingSecrets, withCompleted } from "../../storage/archive/supplied-secrets.ts";
import { readManifest } from "../../storage/journal/read-manifest.ts";
import { createSealing } from "../../storage/journal/sealing.ts";
import { stateOf } from "../../storage/journal/state.ts";
import type { SnapshotEntry } from "../../storage/pool/entries.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";
import type { Pool } from "../../storage/pool/pool.ts";
import { imageOfNames } from "../../storage/rows/image.ts";
import type { StoredImage } from "../../storage/world-storage.ts";
import { manifestOf } from "../../storage/write-manifest.ts";
import { createRateLimiter } from "../../subjects/rate-limits/limiter.ts";
import type { GivenSecrets, MissingSecrets } from "../../subjects/snapshot-secrets.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { COLLECTIONS } from "../assembly.ts";
import { refuseSnapshotName, refuseTakenSnapshot, SEEDED, unknownSnapshot } from "../worlds/names.ts";
import type { WorldRuntime } from "../worlds/runtime.ts";
import type { ForkSource } from "../worlds/world-state.ts";

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
  /** Keeps a world as it is now; a snapshot of this name is replaced, once the new one is there, or is a refusal. */
  save(name: string, of: string, runtime: WorldRuntime, mayReplace: boolean): Promise<SnapshotFacts>;
  /** Keeps a world that was just seeded, so that the next one is forked from it instead of seeded again. */
  saveSeeded(runtime: WorldRuntime): Promise<void>;
  list(): readonly SnapshotFacts[];
  find(name: string): SnapshotFacts;
  /** What worlds go on from a snapshot with; undefined when there is none of this name. */
  forkSource(name: string): ForkSource | undefined;
  remove(name: string): void;
  /** Refuses a name that a snapshot cannot have, or has while it may not be replaced. */
  refuse(name: string, mayReplace: boolean): void;
  /** A snapshot as it is put into a file. */
  exportSource(name: string): ExportSource;
  /** Gives a snapshot secrets that it lacks since it came from a file; answers what is still missing. */
  giveSecrets(name: string, given: GivenSecrets): MissingSecrets;
  /** Registers a snapshot that an import has read. */
  registerImported(name: string, entry: SnapshotEntry, image: StoredImage): SnapshotFacts;
}

/** What snapshots are kept with. */
interface SnapshotsParts {
  readonly configuration: Configuration;
  readonly pool: Pool;
  readonly manifests: Manifests;
  readonly secrets: Secrets;
}

/** The snapshots of a data folder; their records are read on first use. */
export function createSnapshots(parts: SnapshotsParts): Snapshots {
  const { configuration, pool, manifests, secrets } = parts;
  const loaded = new Map<string, ForkSource>();
  const { limits, rateLimits } = configuration.settings;
  /** Not written down: the next start may begin worlds in another way. */
  let seeded: ForkSource | undefined;

  /** What is not in memory was kept by an earlier process. */
  function load(name: string, { manifest }: SnapshotEntry): ForkSource {
    const known = loaded.get(name);
    if (known) return known;
    const { state, rows } = readManifest(pool, manifest);
    const image = imageOf(createSealing(secrets).opened(state), COLLECTIONS);
    const limiter = createRateLimiter(rateLimits);
    const source = { manifest, image, rows: imageOfNames(pool, rows), limiter };
    loaded.set(name, source);
    return source;
  }

  function register(name: string, entry: SnapshotEntry, source: ForkSource): SnapshotFacts {
    manifests.putSnapshot(name, entry);
    loaded.set(name, source);
    return factsOf(name, entry);
  }

  function find(name: string): SnapshotFacts {
    const entry = manifests.snapshots.get(name);
    if (!entry) throw unknownSnapshot(name);
    return factsOf(name, entry);
  }

  function refuse(name: string, mayReplace: boolean): void {
    refuseSnapshotName(manifests, name, limits.snapshots);
    if (!mayReplace) refuseTakenSnapshot(manifests, name);
  }

  return {
    async save(name, of, runtime, mayReplace) {
      refuse(name, mayReplace);
      return runtime.whenIdle((source) => {
        const { now, turn } = source.image;
        return register(name, { manifest: source.manifest, of, now: formatInstant(now), turn }, source);
      });
    },
    list: () => [...manifests.snapshots].map(([name, entry]) => factsOf(name, entry)),
    find,
    refuse,
    exportSource(name) {
      const { of } = find(name);
      return { name, of, ...load(name, manifests.snapshots.get(name) as SnapshotEntry) };
    },
    registerImported: (name, entry, image) =>
      register(name, entry, { ...image, limiter: createRateLimiter(rateLimits) }),
    giveSecrets(name, given) {
      find(name);
      const entry = manifests.snapshots.get(name) as SnapshotEntry;
      const source = load(name, entry);
      const completed = completedSource(parts, source, given);
      const missing = missingSecrets(stateOf(completed), secrets);
      register(name, { ...entry, manifest: completed.manifest, missing }, completed);
      return missing;
    },
    remove(name) {
      find(name);
      manifests.putSnapshot(name, null);
      loaded.delete(name);
    },
    forkSource(name) {
      if (name === SEEDED) return seeded;
      const entry = manifests.snapshots.get(name);
      return entry && load(name, entry);
    },
    async saveSeeded(runtime) {
      // Without rows or destinations a world is seeded as quickly as it is copied.
      if (seeded || !isSlowToSeed(configuration.seedData)) return;
      await runtime.whenIdle((source) => {
        manifests.hold(source.manifest);
        seeded = source;
      });
    },
  };
}

/** A snapshot with secrets that it lacked; its rows and bodies stay where they are. */
function completedSource(parts: SnapshotsParts, source: ForkSource, given: GivenSecrets): ForkSource {
  const before = stateOf(source);
  const state = withCompleted(before, completedRecords(before, given, parts.secrets));
  const completed = { ...source, image: imageOf(state, COLLECTIONS) };
  return { ...completed, manifest: manifestOf(parts, completed, source.manifest.others) };
}

function factsOf(name: string, { of, now, turn, missing }: SnapshotEntry): SnapshotFacts {
  return { name, of, now, turn, ...(missing && { missing }) };
}

function isSlowToSeed({ traces, destinations }: SeedData): boolean {
  return traces.length > 0 || destinations.length > 0;
}
