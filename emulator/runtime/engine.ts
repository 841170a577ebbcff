import type { Configuration } from "../config/configuration.ts";
import { MAIN } from "../http/world-choice.ts";
import { lazily } from "../kernel/lazily.ts";
import { Refusal } from "../kernel/refusal.ts";
import { SharedEncoder } from "../storage/parquet/encoder.ts";
import { type Manifests, openManifests } from "../storage/pool/manifests.ts";
import { openPool } from "../storage/pool/pool.ts";
import { createSecrets, openSecrets } from "../storage/secrets.ts";
import { StoreError } from "../storage/store-error.ts";
import { sweep } from "../storage/unneeded-files.ts";
import type { FaultRule } from "../subjects/faults/records.ts";
import { untriggeredFaults } from "../subjects/faults/rules.ts";
import type { MissingSecrets } from "../subjects/snapshot-secrets.ts";
import type { OnDemand, OnDemandParts } from "./on-demand.ts";
import type { ServerAddresses } from "./process/addresses.ts";
import type { DataFolder } from "./process/data-folder.ts";
import type { DefectWatch } from "./process/defect.ts";
import type { FreeSpaceGuard } from "./process/free-space.ts";
import { createRequestLog, type LogOptions } from "./request-log.ts";
import { createRouter, type Router } from "./router.ts";
import { createSnapshots } from "./snapshots/snapshots.ts";
import { unknownWorld } from "./worlds/names.ts";
import type { NamedWorld } from "./worlds/open-worlds.ts";
import { seedWorld } from "./worlds/seed.ts";
import { openWorldRuntime } from "./worlds/world-runtime.ts";
import { createWorlds, type Worlds } from "./worlds/worlds.ts";

/** What the worlds of a process share with its servers. */
export interface EngineParts {
  readonly configuration: Configuration;
  readonly folder: DataFolder;
  /** How many files of worlds may be open. */
  readonly maxFiles: number;
  readonly log: LogOptions | undefined;
  readonly addresses: ServerAddresses;
  readonly freeSpace: FreeSpaceGuard;
  readonly defects: DefectWatch;
}

/** All that lives in one data folder, the world `main` opened unless its files are damaged. */
export interface Engine extends OnDemandParts {
  readonly onDemand: () => OnDemand | Promise<OnDemand>;
  readonly router: Router;
  readonly main: NamedWorld | undefined;
  readonly damage: StoreError | undefined;
  /** What the world `main` has no secrets for, when it was read from a file. */
  readonly missing: MissingSecrets | undefined;
  untriggeredFaults(): readonly FaultRule[];
  /** An advance, or a world that catches up, would keep open requests and the end of the process waiting. */
  stopTime(): void;
  /** Saves everything before a file that could not be written is reported. */
  close(): Promise<void>;
}

/** Opens what a data folder holds, or what begins in memory; closes it again when a step fails. */
export async function openEngine(parts: EngineParts): Promise<Engine> {
  const openedFolder = openFolder(parts);
  const { worlds, onDemand } = openedFolder;
  void parts.folder.lost.then((reason) => endWorlds(worlds, reason));
  try {
    return {
      ...openedFolder,
      ...(await openMain(openedFolder)),
      untriggeredFaults: () =>
        worlds.list().flatMap(({ named }) => (named ? untriggeredFaults(named.runtime.world.reader) : [])),
      stopTime: () => stopTime(worlds),
      async close() {
        try {
          if (parts.configuration.exportFile !== null) await (await onDemand()).exportMain();
        } finally {
          await openedFolder.close();
        }
      },
    };
  } catch (error) {
    await openedFolder.close();
    throw error;
  }
}

/** The composition root: the only place that knows every adapter. */
function openFolder({
  configuration,
  folder: { path: folder, isLost },
  maxFiles,
  log,
  addresses,
  freeSpace,
  defects,
}: EngineParts) {
  const isPersistent = configuration.dataFolder !== null;
  const { limits } = configuration.settings;
  const secrets = isPersistent ? openSecrets(folder) : createSecrets();
  const pool = openPool(folder, isPersistent, maxFiles);
  const manifests = openManifests(pool, secrets);
  const encoder = new SharedEncoder();
  const snapshots = createSnapshots({ configuration, pool, manifests, secrets });
  const worlds = createWorlds({
    pool,
    manifests,
    snapshots,
    limits,
    openRuntime(id, source) {
      const runtime = openWorldRuntime({
        configuration: configurationOf(configuration, id, manifests),
        pool,
        manifests,
        name: id,
        ...(source && { source }),
        secrets,
        encoder,
        isEmbedded: (endpointUrl) => addresses.isEmbedded(endpointUrl, id),
        handle: (request) => router.handleIn(id, request),
      });
      defects.watch(runtime.world);
      return runtime;
    },
    seed: (world, isEmpty) => seedWorld(world, onDemand, isEmpty ? undefined : configuration.seedData),
  });
  const parts = { pool, manifests, worlds, snapshots, configuration, addresses, secrets, freeSpace };
  const onDemand = loadOnDemand(parts);
  const router = createRouter({
    worlds,
    onDemand,
    freeSpace,
    log: log && createRequestLog(log),
  });
  return {
    ...parts,
    onDemand,
    router,
    async close() {
      const sweepBy = performance.now() + MAX_CLOSE_BEFORE_SWEEP_MS;
      await worlds.close();
      await encoder.close();
      const canSweep = isPersistent && !isLost() && performance.now() < sweepBy;
      const isSwept = canSweep && sweep(pool, manifests);
      await pool.settle();
      manifests.close(isSwept);
    },
  };
}

/** After a longer close, unused files stay for the next process, because containers kill a process 10 s after SIGTERM. */
const MAX_CLOSE_BEFORE_SWEEP_MS = 2_000;

/** Another world than main has the time and clock that it began with, and those of its folder after a restart. */
function configurationOf(configuration: Configuration, id: string, manifests: Manifests): Configuration {
  if (id === MAIN) return configuration;
  const entry = manifests.worlds.get(id);
  if (entry && !entry.isFilling && entry.manifest.state !== null) return { ...configuration, ...AS_STORED };
  return { ...configuration, ...entry?.beginning };
}

const AS_STORED = { now: null, clock: { mode: null, rate: null } } as const;

/** A promise with the first call, and what it was for with those after. */
function loadOnDemand(parts: OnDemandParts): Engine["onDemand"] {
  let onDemand: OnDemand | undefined;
  const load = lazily(async () => {
    const { createOnDemand } = await import("./on-demand.ts");
    onDemand = createOnDemand(parts);
    return onDemand;
  });
  return () => onDemand ?? load();
}

/** Opens the world `main` from the data folder, from a snapshot file, or as a new world. */
async function openMain({
  configuration: { importFile, exportFile },
  worlds,
  onDemand,
}: Pick<Engine, "configuration" | "worlds" | "onDemand">): Promise<
  Pick<Engine, "main" | "damage" | "missing">
> {
  const hasFiles = importFile !== null || exportFile !== null;
  const missingMain = hasFiles ? await (await onDemand()).startMain() : undefined;
  try {
    const main = await worlds.ensureReady(MAIN);
    if (!main) throw unknownWorld(MAIN);
    return { main, damage: undefined, missing: missingMain };
  } catch (error) {
    // The other worlds and the snapshots can be used, and main can be reset.
    if (error instanceof StoreError) return { main: undefined, damage: error, missing: missingMain };
    throw error;
  }
}

/** Another process now writes to the data folder, so this one must stop writing. */
function endWorlds(worlds: Worlds, reason: string): void {
  for (const { named } of worlds.list())
    named?.runtime.world.end(new Refusal(503, "data_folder_lost", reason));
}

function stopTime(worlds: Worlds): void {
  for (const { named } of worlds.list()) {
    named?.runtime.clock.sync();
    named?.runtime.clock.close();
  }
}
