import type { Configuration, ReadyLine } from "../config/configuration.ts";
import { MAIN } from "../http/world-choice.ts";
import type { ClockState } from "../kernel/commit.ts";
import type { StoreError } from "../storage/store-error.ts";
import type { FaultRule } from "../subjects/faults/records.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import type { MissingSecrets } from "../subjects/snapshot-secrets.ts";
import type { Engine, EngineParts } from "./engine.ts";
import { createServerAddresses } from "./process/addresses.ts";
import { acquireDataFolder } from "./process/data-folder.ts";
import { createDefectWatch, type WorldDefect } from "./process/defect.ts";
import { divideDescriptors } from "./process/descriptors.ts";
import { createFreeSpaceGuard } from "./process/free-space.ts";
import type { LogOptions } from "./request-log.ts";
import { createServers, type Servers } from "./servers.ts";
import type { NamedWorld } from "./worlds/open-worlds.ts";
import type { Resumption } from "./worlds/resumption.ts";
import { initialClock } from "./worlds/world-state.ts";

/** An emulator that serves, until it is closed; of one that keeps nothing, the first request opens the worlds. */
export interface ServingEmulator {
  readonly ready: ReadyLine;
  /** Where a person finds the console; it may hold a token that nothing else shows. */
  readonly consoleUrl: string;
  /** What the world main has no secrets for, when it was read from a file. */
  readonly missing: MissingSecrets | undefined;
  /** Why the world main cannot be opened; it answers nothing but a reset or the load of a snapshot. */
  readonly damage: StoreError | undefined;
  /** The clock of the world main. */
  readonly clock: ClockState;
  /** How the stored world main continued; undefined for a new one. */
  readonly resumption: Resumption | undefined;
  /** Loads and opens what the first request would wait for. */
  prepare(): Promise<unknown>;
  /** Armed faults that were never triggered; `--strict` reports them. */
  untriggeredFaults(): readonly FaultRule[];
  /** Settles with what has ended a world of this emulator, when something does (law 6). */
  readonly defect: Promise<WorldDefect>;
  /** Stops taking requests, saves the state and releases the data folder. */
  close(): Promise<void>;
}

/** An emulator whose worlds are open. */
export interface RunningEmulator extends ServingEmulator {
  /** Answers a request without a socket. */
  handle(request: HttpRequest): Promise<HttpReply>;
  /** A world that is in use; undefined when there is none of this name. */
  world(id: string): NamedWorld | undefined;
  /** The folder with the exported copies of objects. */
  readonly objectsFolder: string;
}

/** Starts an emulator: its data folder, its worlds, its servers; what was opened is closed when a step fails. */
export async function start(configuration: Configuration): Promise<RunningEmulator> {
  const { serving, openEngine } = await launch(configuration, { opensFirst: true });
  const { router, worlds, main, damage } = await openEngine();
  return {
    ...serving,
    handle: router.handle,
    world: worlds.find,
    get objectsFolder() {
      if (!main) throw damage;
      return main.runtime.objectsFolder();
    },
  };
}

/** The same for programs that reach it by its servers only: they wait for no worlds that can be opened later. */
export async function serve(
  configuration: Configuration,
  options: Omit<LaunchOptions, "opensFirst"> = {},
): Promise<ServingEmulator> {
  return (await launch(configuration, { ...options, opensFirst: !canOpenLater(configuration) })).serving;
}

/** Where neither files can be refused nor time stands still from the ready line on. */
function canOpenLater({ dataFolder, importFile, exportFile, seedData, clock, now }: Configuration): boolean {
  const isSeeded = Object.values(seedData).some((part) => part.length > 0);
  const isKept = dataFolder !== null || importFile !== null || exportFile !== null;
  return !isKept && !isSeeded && (clock.mode !== "frozen" || now !== null);
}

interface LaunchOptions {
  readonly log?: LogOptions | undefined;
  /** Receives why the start waits for another process; by default a warning of this process. */
  readonly onWait?: (reason: string) => void;
  /** Whether the worlds are open when it accepts requests. */
  readonly opensFirst: boolean;
}

const warn = (reason: string) => process.emitWarning(reason, { type: "EmulatorWarning", code: "WAITING" });

async function launch(configuration: Configuration, { log, onWait = warn, opensFirst }: LaunchOptions) {
  const { areFew, files: maxFiles, connections } = divideDescriptors();
  if (areFew) await (await import("./process/lazy-modules.ts")).loadLazyModules();
  const folder = await acquireDataFolder(configuration.dataFolder, onWait);
  const addresses = createServerAddresses(configuration);
  const freeSpace = createFreeSpaceGuard(folder.path);
  const defects = createDefectWatch();
  const engine = engineOf({ configuration, folder, maxFiles: maxFiles, log, addresses, freeSpace, defects });
  let servers: Servers | undefined;
  try {
    if (opensFirst) await engine.openEngine();
    const { consoleToken } = addresses;
    servers = createServers(configuration, { ...engine, freeSpace, connections, consoleToken });
    addresses.setPorts(await servers.listen());
  } catch (error) {
    await servers?.close();
    await engine.close();
    await folder.discard();
    throw error;
  }
  const { close: closeServers } = servers;
  const { main, damage, missing } = engine.current() ?? {};
  const { seed, now } = main?.runtime.world ?? configuration;
  const serving: ServingEmulator = {
    ready: addresses.readyLine(MAIN, { seed, now: now ?? Date.now() }),
    consoleUrl: addresses.consoleUrl(),
    missing,
    damage,
    clock: main?.runtime.world.clock ?? initialClock(configuration.clock, configuration.now),
    resumption: main?.resumption,
    prepare: async () => (await engine.openEngine()).onDemand(),
    untriggeredFaults: () => engine.current()?.untriggeredFaults() ?? [],
    defect: defects.first,
    async close() {
      engine.current()?.stopTime();
      await closeServers();
      try {
        await engine.close();
      } finally {
        await folder.release();
      }
    },
  };
  return { serving, openEngine: engine.openEngine };
}

/** The engine of a process, loaded and opened when it is first asked for. */
function engineOf(parts: EngineParts) {
  let opening: Promise<Engine> | undefined;
  let current: Engine | undefined;

  async function open(): Promise<Engine> {
    const engine = await import("./engine.ts");
    current = await engine.openEngine(parts);
    return current;
  }

  /** Resolves with the engine, which it opens unless it is open. */
  function openEngine(): Promise<Engine> {
    opening ??= open();
    return opening;
  }

  return {
    openEngine,
    /** Undefined until it is open. */
    current: () => current,
    handle: (request: HttpRequest): Promise<HttpReply> =>
      current ? current.router.handle(request) : openEngine().then(({ router }) => router.handle(request)),
    /** One that could not be opened has closed itself. */
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}
