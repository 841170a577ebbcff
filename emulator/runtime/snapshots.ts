import type { Configuration, SeedData } from "../config/configuration.ts";
import { emptyState, type WorldState } from "../kernel/commit.ts";
import { imageOf } from "../kernel/image.ts";
import { formatInstant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { StillWorld } from "../storage/archive/export-archive.ts";
import type { Missing } from "../storage/archive/hiding.ts";
import { isDeviceName } from "../storage/device-names.ts";
import type { Homes } from "../storage/folders/homes.ts";
import type { Home, SnapshotEntry } from "../storage/folders/registry.ts";
import { readStore } from "../storage/journal/store.ts";
import { openTraceStore } from "../storage/rows/store.ts";
import { createRateLimiter } from "../subjects/rate-limits/limiter.ts";
import { COLLECTIONS } from "./assembly.ts";
import { type Origin, type Source, type Still, sourceOfSnapshot } from "./fork-source.ts";
import type { Site } from "./world-runtime.ts";

/** The snapshot of a world as the configuration begins it. */
export const SEEDED = "seeded";

/** A snapshot as the control API shows it; `now` is the virtual time that it was taken at. */
export interface SnapshotFacts {
  readonly name: string;
  /** The world that it is of. */
  readonly of: string;
  readonly now: string;
  readonly turn: number;
  /** What it has no secrets for; only of one that was imported without them. */
  readonly missing?: Missing;
}

/** Worlds that were put aside, under their names. */
export interface Snapshots {
  /** Keeps a world as it is now; a snapshot of this name is replaced, once the new one is there. */
  save(name: string, of: string, site: Site): Promise<SnapshotFacts>;
  list(): readonly SnapshotFacts[];
  find(name: string): SnapshotFacts;
  remove(name: string): void;
  /** Refuses a name that a snapshot cannot have. */
  refuse(name: string): void;
  /** A snapshot as it is put into a file. */
  still(name: string): StillWorld;
  /** Enters a snapshot whose home was filled by somebody else. */
  adopt(name: string, entry: SnapshotEntry, state: WorldState): SnapshotFacts;
}

/** What worlds go on from, beside other worlds. */
export interface Stills {
  source(name: string): Source | undefined;
  /** Puts a world that was just seeded aside, so that the next one need not be seeded again. */
  keepSeeded(site: Site): Promise<void>;
}

/** What is known of a snapshot without a file being read. */
type Kept = Pick<Origin, "image" | "limiter"> & Partial<Pick<Origin, "rows">>;

/** Takes up the snapshots that an earlier process kept; their records are read on first use. */
export function createSnapshots(configuration: Configuration, homes: Homes): Snapshots & Stills {
  const stills = new Map<string, Still>();
  const isKept = configuration.dataFolder !== null;
  const { limits, rateLimits } = configuration.settings;

  /** What is not in memory was kept by an earlier process. */
  function stillOf(name: string, { home }: SnapshotEntry): Still {
    const known = stills.get(name);
    if (known) return known;
    const { seed } = configuration;
    const { state } = readStore(home.records, emptyState(seed, 0, { mode: "frozen", rate: 1 }));
    return keep(name, home, { image: imageOf(state, COLLECTIONS), limiter: createRateLimiter(rateLimits) });
  }

  function keep(name: string, home: Home, { image, limiter, rows }: Kept): Still {
    const inherited = rows && { inherited: rows };
    const traces = openTraceStore({ folder: home.traces, layers: home.layers, ...inherited });
    const still = { image, limiter, traces };
    stills.set(name, still);
    return still;
  }

  /** Everything is prepared before the registry says so: what fails leaves the old snapshot. */
  function put(name: string, of: string, source: Source): SnapshotEntry {
    const { home, origin } = source.fill(homes.prepare("snapshots", name));
    const { image, boot } = source;
    const entry = { home, of, now: formatInstant(image.now), turn: image.turn, last: origin.last, boot };
    return enter(name, entry, origin);
  }

  function enter(name: string, entry: SnapshotEntry, kept: Kept): SnapshotEntry {
    const { registry } = homes;
    if (name === SEEDED) homes.change({ ...registry, seeded: entry });
    else homes.change({ ...registry, snapshots: { ...registry.snapshots, [name]: entry } });
    keep(name, entry.home, kept);
    return entry;
  }

  function entryOf(name: string): SnapshotEntry | undefined {
    const { snapshots, seeded } = homes.registry;
    if (name === SEEDED) return seeded;
    return Object.hasOwn(snapshots, name) ? snapshots[name] : undefined;
  }

  function find(name: string): SnapshotFacts {
    const entry = name === SEEDED ? undefined : entryOf(name);
    if (!entry) throw unknownSnapshot(name);
    return factsOf(name, entry);
  }

  return {
    async save(name, of, site) {
      refuseSnapshot(homes, name, limits.snapshots);
      return factsOf(name, await site.atRest((source) => put(name, of, source)));
    },
    list: () => Object.entries(homes.registry.snapshots).map(([name, entry]) => factsOf(name, entry)),
    find,
    refuse: (name) => refuseSnapshot(homes, name, limits.snapshots),
    still(name) {
      const { of } = find(name);
      const entry = entryOf(name) as SnapshotEntry;
      return { name, of, home: entry.home, image: stillOf(name, entry).image };
    },
    adopt(name, entry, state) {
      const image = imageOf(state, COLLECTIONS);
      return factsOf(name, enter(name, entry, { image, limiter: createRateLimiter(rateLimits) }));
    },
    remove(name) {
      find(name);
      const { [name]: _, ...snapshots } = homes.registry.snapshots;
      homes.change({ ...homes.registry, snapshots });
      stills.delete(name);
    },
    source(name) {
      const entry = entryOf(name);
      return entry && sourceOfSnapshot(entry, stillOf(name, entry), isKept);
    },
    async keepSeeded(site) {
      // Without rows or destinations a world is seeded as quickly as it is copied.
      if (!homes.registry.seeded && isLong(configuration.seedData))
        await site.atRest((source) => put(SEEDED, SEEDED, source));
    },
  };
}

function factsOf(name: string, { of, now, turn, missing }: SnapshotEntry): SnapshotFacts {
  return { name, of, now, turn, ...(missing && { missing }) };
}

function isLong({ traces, destinations }: SeedData): boolean {
  return traces.length > 0 || destinations.length > 0;
}

const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

/** Names are those of folders too, on every system; worlds and snapshots share them. */
export function refuseName(name: string): void {
  if (name === SEEDED)
    throw new Refusal(
      422,
      "invalid_name",
      `${SEEDED} is a world as the configuration begins it; choose another name.`,
    );
  if (isDeviceName(name))
    throw new Refusal(
      422,
      "invalid_name",
      `${name} is the name of a device on Windows, where no folder can have it; choose another name.`,
    );
  if (!NAME.test(name))
    throw new Refusal(
      422,
      "invalid_name",
      `${JSON.stringify(name.slice(0, 100))} is no name: 1 to 63 lower-case letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit.`,
    );
}

function refuseSnapshot({ registry }: Homes, name: string, snapshotsMax: number): void {
  refuseName(name);
  if (Object.hasOwn(registry.worlds, name))
    throw new Refusal(
      409,
      "taken",
      `${name} is the name of a world; worlds and snapshots share their names.`,
    );
  const isNew = !Object.hasOwn(registry.snapshots, name);
  if (isNew && Object.keys(registry.snapshots).length >= snapshotsMax)
    throw new Refusal(
      422,
      "too_many_snapshots",
      `There are ${snapshotsMax} snapshots already.`,
      "Remove one with DELETE /_emulator/v1/snapshots/{name}, or raise limits.snapshots.",
    );
}

function unknownSnapshot(name: string): Refusal {
  const hint = "GET /_emulator/v1/snapshots lists them.";
  return new Refusal(404, "unknown_snapshot", `There is no snapshot ${name}.`, hint);
}
