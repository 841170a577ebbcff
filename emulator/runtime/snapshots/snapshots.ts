import type { Configuration, SeedData } from "../../config/configuration.ts";
import { imageOf } from "../../kernel/image.ts";
import { formatInstant } from "../../kernel/instant.ts";
import type { ExportSource } from "../../storage/archive/export-archive.ts";
import { readManifest } from "../../storage/journal/read-manifest.ts";
import { createSealing } from "../../storage/journal/sealing.ts";
import { manifestOf, stateOf } from "../../storage/journal/state.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";
import type { SnapshotEntry } from "../../storage/pool/names.ts";
import type { Pool } from "../../storage/pool/pool.ts";
import { imageOfNames } from "../../storage/rows/image.ts";
import type { StoredImage } from "../../storage/world-storage.ts";
import type { SnapshotView } from "../../subjects/control-operation.ts";
import { createRateLimiter } from "../../subjects/rate-limits/limiter.ts";
import type { MissingSecrets, SuppliedSecrets } from "../../subjects/snapshot-secrets.ts";
import type { Secrets } from "../../subjects/turn.ts";
import { COLLECTIONS } from "../assembly.ts";
import { refuseSnapshotName, refuseTakenSnapshot, SEEDED, unknownSnapshot } from "../worlds/names.ts";
import type { WorldRuntime } from "../worlds/runtime.ts";
import type { ForkSource } from "../worlds/world-state.ts";
import { completedRecords, missingSecrets, withCompleted } from "./supplied-secrets.ts";

/** Named snapshots of worlds, from which other worlds can be forked. */
export interface Snapshots {
  /** Saves the current state of a world. Replaces a snapshot of this name when the new one is complete, or refuses. */
  save(name: string, of: string, runtime: WorldRuntime, mayReplace: boolean): Promise<SnapshotView>;
  /** Saves a world that was just seeded, so that the next world is forked from it instead of seeded again. */
  saveSeeded(runtime: WorldRuntime): Promise<void>;
  list(): readonly SnapshotView[];
  find(name: string): SnapshotView;
  /** The state with which worlds continue from a snapshot; undefined if it does not exist. */
  forkSource(name: string): ForkSource | undefined;
  remove(name: string): void;
  /** Refuses an invalid name, and the name of a snapshot that may not be replaced. */
  refuse(name: string, mayReplace: boolean): void;
  /** The content of a snapshot file. */
  exportSource(name: string): ExportSource;
  /** Supplies secrets that an imported snapshot lacks; returns the secrets that are still missing. */
  supplySecrets(name: string, suppliedSecrets: SuppliedSecrets): MissingSecrets;
  /** Registers a snapshot that an import has read. */
  registerImported(name: string, entry: SnapshotEntry, image: StoredImage): SnapshotView;
}

/** The parts that load and save snapshots. */
interface SnapshotsParts {
  readonly configuration: Configuration;
  readonly pool: Pool;
  readonly manifests: Manifests;
  readonly secrets: Secrets;
}

/** The snapshots of a data folder; their records are read on first use. */
export function createSnapshots(parts: SnapshotsParts): Snapshots {
  const { configuration, manifests, secrets } = parts;
  const { limits, rateLimits } = configuration.settings;
  const registry = createRegistry(parts);
  /** Only in memory: the next start may seed worlds differently. */
  let seeded: ForkSource | undefined;

  function refuse(name: string, mayReplace: boolean): void {
    refuseSnapshotName(manifests, name, limits.snapshots);
    if (!mayReplace) refuseTakenSnapshot(manifests, name);
  }

  return {
    async save(name, of, runtime, mayReplace) {
      refuse(name, mayReplace);
      return runtime.whenIdle((source) => {
        const { now, turn } = source.image;
        return registry.put(name, { manifest: source.manifest, of, now: formatInstant(now), turn }, source);
      });
    },
    list: () => [...manifests.snapshots].map(([name, entry]) => factsOf(name, entry)),
    find: (name) => factsOf(name, registry.entry(name)),
    refuse,
    exportSource: (name) => ({ name, of: registry.entry(name).of, ...registry.source(name) }),
    registerImported: (name, entry, image) =>
      registry.put(name, entry, { ...image, limiter: createRateLimiter(rateLimits) }),
    supplySecrets(name, suppliedSecrets) {
      const entry = registry.entry(name);
      const completed = completeSource(parts, registry.source(name), suppliedSecrets);
      const secretsToSupply = missingSecrets(stateOf(completed), secrets);
      registry.put(name, { ...entry, manifest: completed.manifest, missing: secretsToSupply }, completed);
      return secretsToSupply;
    },
    remove: registry.remove,
    forkSource(name) {
      if (name === SEEDED) return seeded;
      return manifests.snapshots.has(name) ? registry.source(name) : undefined;
    },
    async saveSeeded(runtime) {
      // Seeding a world without rows or destinations is as fast as copying it.
      if (seeded || !isSlowToSeed(configuration.seedData)) return;
      await runtime.whenIdle((source) => {
        manifests.hold(source.manifest);
        seeded = { ...source, clock: source.image.clock };
      });
    },
  };
}

/** The entries of the snapshots, and their contents. Members that take a name throw a `Refusal` for an unknown one. */
function createRegistry({ configuration, pool, manifests, secrets }: SnapshotsParts) {
  const sources = new Map<string, ForkSource>();

  function entryOf(name: string): SnapshotEntry {
    const entry = manifests.snapshots.get(name);
    if (!entry) throw unknownSnapshot(name);
    return entry;
  }

  function load({ manifest }: SnapshotEntry): ForkSource {
    const { state, rows } = readManifest(pool, manifest);
    const image = imageOf(createSealing(secrets).openState(state), COLLECTIONS);
    const limiter = createRateLimiter(configuration.settings.rateLimits);
    return { manifest, image, rows: imageOfNames(pool, rows), limiter };
  }

  return {
    entry: entryOf,
    /** The contents; read from the data folder if an earlier process stored them. */
    source(name: string): ForkSource {
      const source = sources.get(name) ?? load(entryOf(name));
      sources.set(name, source);
      return source;
    },
    put(name: string, entry: SnapshotEntry, source: ForkSource): SnapshotView {
      manifests.putSnapshot(name, entry);
      sources.set(name, source);
      return factsOf(name, entry);
    },
    remove(name: string): void {
      entryOf(name);
      manifests.putSnapshot(name, null);
      sources.delete(name);
    },
  };
}

/** A snapshot completed with secrets; its rows and bodies stay in place. */
function completeSource(
  parts: SnapshotsParts,
  source: ForkSource,
  suppliedSecrets: SuppliedSecrets,
): ForkSource {
  const before = stateOf(source);
  const state = withCompleted(before, completedRecords(before, suppliedSecrets, parts.secrets));
  const completed = { ...source, image: imageOf(state, COLLECTIONS) };
  return { ...completed, manifest: manifestOf(parts, completed, source.manifest.others) };
}

function factsOf(name: string, { of, now, turn, missing }: SnapshotEntry): SnapshotView {
  return { name, of, now, turn, ...(missing && { missing }) };
}

function isSlowToSeed({ traces, destinations }: SeedData): boolean {
  return traces.length > 0 || destinations.length > 0;
}
