import type { Configuration, ReadyLine } from "../config/configuration.ts";
import { MAIN } from "../http/world-choice.ts";
import { lazily } from "../kernel/lazily.ts";
import { Refusal } from "../kernel/refusal.ts";
import { createFileEncoder } from "../storage/parquet/encoder.ts";
import { openHeads } from "../storage/pool/heads.ts";
import { openPool } from "../storage/pool/pool.ts";
import { createSecrets, openSecrets } from "../storage/secrets.ts";
import { sweep } from "../storage/sweep.ts";
import type { FaultRule } from "../subjects/faults/records.ts";
import { untriggeredFaults } from "../subjects/faults/rules.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import type { MissingSecrets } from "../subjects/snapshot-secrets.ts";
import type { OnDemand, OnDemandParts } from "./on-demand.ts";
import { createServerAddresses } from "./process/addresses.ts";
import { acquireDataFolder, type DataFolder } from "./process/data-folder.ts";
import { createDefectWatch, type WorldDefect } from "./process/defect.ts";
import { divideDescriptors } from "./process/descriptors.ts";
import { createFreeSpaceGuard } from "./process/free-space.ts";
import { loadLazyModules } from "./process/lazy-modules.ts";
import { createRequestLog, type LogOptions } from "./request-log.ts";
import { createRouter, type Router } from "./router.ts";
import { createServers } from "./servers.ts";
import { createSnapshots } from "./snapshots/snapshots.ts";
import { unknownWorld } from "./worlds/names.ts";
import type { NamedWorld } from "./worlds/open-worlds.ts";
import { seedWorld } from "./worlds/seed.ts";
import { openWorldRuntime } from "./worlds/world-runtime.ts";
import { createWorlds, type Worlds } from "./worlds/worlds.ts";

/** An emulator that serves, until it is closed. */
export interface RunningEmulator {
  readonly ready: ReadyLine;
  /** Where a person finds the console; it may hold a token that nothing else shows. */
  readonly consoleUrl: string;
  /** What the world main has no secrets for, when it was read from a file. */
  readonly missing: MissingSecrets | undefined;
  /** Answers a request without a socket. */
  handle(request: HttpRequest): Promise<HttpReply>;
  /** Loads what the first request would wait for. */
  prepare(): Promise<unknown>;
  /** A world that is in use; undefined when there is none of this name. */
  world(id: string): NamedWorld | undefined;
  /** Where the bodies of the embedded object store lie. */
  readonly objectsFolder: string;
  /** Armed faults that were never hit: under `--strict` their user wants to know. */
  untriggeredFaults(): readonly FaultRule[];
  /** Settles with what has ended a world of this emulator, when something does (law 6). */
  readonly defect: Promise<WorldDefect>;
  /** Stops taking requests, saves the state and releases the data folder. */
  close(): Promise<void>;
}

/** Starts an emulator: its data folder, its worlds, its servers; what was opened is closed when a step fails. */
export async function start(configuration: Configuration, log?: LogOptions): Promise<RunningEmulator> {
  const { areFew, files, connections } = divideDescriptors();
  if (areFew) await loadLazyModules();
  const folder = await acquireDataFolder(configuration.dataFolder);
  const closers: (() => Promise<void>)[] = [];
  const close = async (endFolder = folder.release) => {
    for (const closeNext of closers.toReversed()) await closeNext();
    await endFolder();
  };
  try {
    const emulator = openEmulator(configuration, folder, { filesMax: files, log });
    closers.push(emulator.close);
    void folder.lost.then((reason) => endWorlds(emulator.worlds, reason));
    const { main, missing } = await openMain(emulator);
    const { handle } = emulator.router;
    const servers = createServers(configuration, {
      ...emulator,
      handle,
      connections,
      consoleToken: emulator.addresses.consoleToken,
    });
    closers.push(servers.close);
    emulator.addresses.setPorts(await servers.listen());
    return runningEmulator(emulator, main, {
      missing,
      handle,
      async close() {
        stopTime(emulator.worlds);
        await servers.close();
        await exportAndClose(emulator, close);
      },
    });
  } catch (error) {
    await close(folder.discard);
    throw error;
  }
}

/** All that lives in one data folder. */
interface OpenedEmulator extends OnDemandParts {
  readonly onDemand: () => OnDemand | Promise<OnDemand>;
  readonly router: Router;
  /** Settles with what has ended a world, when something does (law 6). */
  readonly defect: Promise<WorldDefect>;
  close(): Promise<void>;
}

/** The composition root: the only place that knows every adapter. */
function openEmulator(
  configuration: Configuration,
  { path: folder, isLost }: DataFolder,
  { filesMax, log }: { readonly filesMax: number; readonly log: LogOptions | undefined },
): OpenedEmulator {
  const isKept = configuration.dataFolder !== null;
  const { limits } = configuration.settings;
  const secrets = isKept ? openSecrets(folder) : createSecrets();
  const pool = openPool(folder, isKept, filesMax);
  const heads = openHeads(pool, secrets);
  const addresses = createServerAddresses(configuration);
  const encoder = createFileEncoder();
  const defects = createDefectWatch();
  const snapshots = createSnapshots({ configuration, pool, heads, secrets });
  const worlds = createWorlds({
    pool,
    heads,
    snapshots,
    worldsMax: limits.worlds,
    openRuntime(id, source) {
      const runtime = openWorldRuntime({
        configuration: { ...configuration, ...heads.worlds.get(id)?.beginning },
        pool,
        heads,
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
  const freeSpace = createFreeSpaceGuard(folder);
  const parts = { pool, heads, worlds, snapshots, configuration, addresses, secrets, freeSpace };
  const onDemand = loadedOnDemand(parts);
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
    defect: defects.first,
    async close() {
      await worlds.close();
      await encoder.close();
      const isSwept = isKept && !isLost() && sweep(pool, heads);
      await pool.settle();
      heads.close(isSwept);
    },
  };
}

/** A promise with the first call, and what it was for with those after. */
function loadedOnDemand(parts: OnDemandParts): OpenedEmulator["onDemand"] {
  let loaded: OnDemand | undefined;
  const load = lazily(async () => {
    const { createOnDemand } = await import("./on-demand.ts");
    loaded = createOnDemand(parts);
    return loaded;
  });
  return () => loaded ?? load();
}

/** Opens the world `main`: as the data folder has it, as a file has it, or anew. */
async function openMain(
  emulator: OpenedEmulator,
): Promise<{ readonly main: NamedWorld; readonly missing: MissingSecrets | undefined }> {
  const { importFile, exportFile } = emulator.configuration;
  const hasFiles = importFile !== null || exportFile !== null;
  const missing = hasFiles ? await (await emulator.onDemand()).beginMain() : undefined;
  const main = await emulator.worlds.ensureReady(MAIN);
  if (!main) throw unknownWorld(MAIN);
  return { main, missing };
}

/** Another process writes to the data folder now: nothing more may be written here. */
function endWorlds(worlds: Worlds, reason: string): void {
  for (const { named } of worlds.list())
    named?.runtime.world.end(new Refusal(503, "data_folder_lost", reason));
}

/** An advance, or a world that catches up, would keep open requests and the end of the process waiting. */
function stopTime(worlds: Worlds): void {
  for (const { named } of worlds.list()) {
    named?.runtime.clock.sync();
    named?.runtime.clock.close();
  }
}

/** Saves everything before a file that could not be written is reported. */
async function exportAndClose(emulator: OpenedEmulator, close: () => Promise<void>): Promise<void> {
  try {
    if (emulator.configuration.exportFile !== null) await (await emulator.onDemand()).exportMain();
  } finally {
    await close();
  }
}

function runningEmulator(
  emulator: OpenedEmulator,
  main: NamedWorld,
  rest: Pick<RunningEmulator, "missing" | "handle" | "close">,
): RunningEmulator {
  const { worlds, addresses, defect, onDemand } = emulator;
  return {
    ...rest,
    ready: addresses.readyLine(MAIN, main.runtime.world),
    consoleUrl: addresses.consoleUrl(),
    prepare: async () => onDemand(),
    world: worlds.find,
    get objectsFolder() {
      return main.runtime.objectsFolder();
    },
    untriggeredFaults: () =>
      worlds.list().flatMap(({ named }) => (named ? untriggeredFaults(named.runtime.world.reader) : [])),
    defect,
  };
}
