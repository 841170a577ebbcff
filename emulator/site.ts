import { join } from "node:path";
import { type Clock, startClock } from "./adapters/clock.ts";
import { createSchedules } from "./adapters/crons/schedules.ts";
import { exportEffects } from "./adapters/effects/exports.ts";
import { REQUEST_EFFECTS } from "./adapters/effects/requests.ts";
import { statsEffects } from "./adapters/effects/stats.ts";
import { createFileEncoder } from "./adapters/parquet/encoder.ts";
import { createDoors } from "./adapters/s3/doors/doors.ts";
import { type ObjectFiles, openObjectFiles } from "./adapters/s3/object-files.ts";
import { type ObjectStore, objectStorageParts } from "./adapters/s3/object-store.ts";
import { openStore, type Store } from "./adapters/store/store.ts";
import { openTraceStore } from "./adapters/traces/store.ts";
import { createWebhookSender, type WebhookSender } from "./adapters/webhooks/effects.ts";
import { COLLECTIONS, REACTIONS } from "./assembly.ts";
import type { Configuration } from "./configuration.ts";
import type { Oracle, Rehearsal } from "./control/operation.ts";
import type { FileEncoder } from "./domain/bulk-exports/encoder.ts";
import type { Doors } from "./domain/destinations/door.ts";
import { strikeS3 } from "./domain/faults/s3.ts";
import { createDelays, type Delays } from "./domain/object-storage/delays.ts";
import { createRateLimiter } from "./domain/rate-limits/limiter.ts";
import type { TraceStore } from "./domain/traces/port.ts";
import type { Ports, Secrets, World } from "./domain/turn.ts";
import type { HttpReply, HttpRequest } from "./http/message.ts";
import type { AdvanceTarget } from "./kernel/advance.ts";
import { emptyState, type WorldState } from "./kernel/commit.ts";
import { formatInstant } from "./kernel/instant.ts";
import { Refusal } from "./kernel/refusal.ts";
import { createWorld, type WorldParts } from "./kernel/world.ts";

/** One world with everything that it works with: what is kept, what drives it, what it reaches outside. */
export interface Site {
  readonly world: World;
  readonly clock: Clock;
  readonly objects: ObjectStore;
  readonly oracle: Oracle;
  /** Advances a copy of the world whose effects only pretend, and throws it away. */
  rehearse(target: AdvanceTarget): Promise<Rehearsal>;
  /** Where the bodies of objects lie, for a person who wants to open them. */
  readonly objectsFolder: string;
  stats(): { readonly rows: number; readonly bytes: number };
  /** True until the world has been given what a fresh one holds. */
  readonly fresh: boolean;
  /** Empties everything and starts at the beginning. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface SiteOptions {
  readonly configuration: Configuration;
  readonly folder: string;
  readonly secrets: Secrets;
  readonly isEmbedded: Ports["isEmbedded"];
  /** Answers a request of the emulator to itself (§6.1, relative webhooks). */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
}

const JOURNAL_CAPACITY = 10_000;

/** Opens the world of a folder, as it was left. */
export function openSite(options: SiteOptions): Site {
  const { configuration } = options;
  const tools = openTools(options);
  const { traces, files, store, encoder, webhooks } = tools;
  let world = buildWorld(tools, present(store?.state ?? initialState(configuration), configuration));
  let clock = startClock(world, configuration.followWaits);
  const objects: ObjectStore = {
    get world() {
      return world;
    },
    files,
    delays: tools.delays,
    strike: strikeS3,
  };
  tools.doors = createDoors({ store: objects, timeoutMs: doorTimeout(configuration) });
  files.recover(world.reader);
  world.recover();

  async function restart(): Promise<void> {
    clock.close();
    world.end(new Refusal(409, "reset", "The world was reset while this request was under way."));
    traces.clear();
    files.clear();
    tools.ports.limiter.clear();
    const state = initialState(configuration);
    store?.replace(state);
    world = buildWorld(tools, state);
    clock = startClock(world, configuration.followWaits);
  }

  async function close(): Promise<void> {
    clock.close();
    // A world that has ended before may have lost its folder to another process: it writes no more.
    const last = world.defect ? undefined : world.state();
    world.end(new Refusal(503, "closing", "The emulator is stopping."));
    webhooks.close();
    await encoder.close();
    tools.doors?.close();
    traces.close();
    await store?.close(last);
  }

  return {
    get world() {
      return world;
    },
    get clock() {
      return clock;
    },
    objects,
    oracle: lazyOracle(tools, objects),
    rehearse: (target) => rehearseIn(tools, world, target),
    objectsFolder: tools.objectsFolder,
    stats: () => traces.stats(),
    get fresh() {
      return world.state().turn === 0;
    },
    restart,
    close,
  };
}

/** What a world reaches outside of itself; it outlives a reset. */
interface Tools {
  readonly ports: Ports;
  readonly store: Store | undefined;
  readonly traces: TraceStore;
  readonly traceFolder: string;
  readonly files: ObjectFiles;
  readonly objectsFolder: string;
  readonly delays: Delays;
  readonly encoder: FileEncoder;
  readonly webhooks: WebhookSender;
  /** Opened once the world is there that its embedded side leads into. */
  doors: ReturnType<typeof createDoors> | undefined;
}

function openTools({ configuration, folder, secrets, isEmbedded, handle }: SiteOptions): Tools {
  const { settings, dataFolder } = configuration;
  const traceFolder = join(folder, "traces");
  const objectsFolder = join(folder, "objects");
  const store = dataFolder === null ? undefined : openStore({ folder, initial: initialState(configuration) });
  const traces = openTraceStore({ folder: traceFolder });
  const limiter = createRateLimiter(settings.rateLimits);
  return {
    ports: { settings, traces, secrets, schedules: createSchedules(), limiter, isEmbedded },
    store,
    traces,
    traceFolder,
    files: openObjectFiles(objectsFolder),
    objectsFolder,
    delays: createDelays(),
    encoder: createFileEncoder({ folder: traceFolder }),
    webhooks: createWebhookSender({ settings, handle }),
    doors: undefined,
  };
}

function buildWorld(tools: Tools, state: WorldState): World {
  return createWorld<Ports>(partsOf(tools, state, tools.delays));
}

function partsOf(tools: Tools, state: WorldState, delays: Delays): WorldParts<Ports> {
  const { ports, store, encoder, webhooks } = tools;
  const storage = objectStorageParts(tools.files, delays);
  const doors: Doors = { open: (address, credentials) => doorsOf(tools).open(address, credentials) };
  return {
    state,
    ports,
    collections: [...COLLECTIONS, ...storage.collections],
    reactions: { ...REACTIONS, ...storage.reactions },
    effects: {
      ...storage.effects,
      ...webhooks.effects,
      ...REQUEST_EFFECTS,
      ...statsEffects(tools.traces),
      ...exportEffects({ encoder, secrets: ports.secrets, doors }),
    },
    keep: (commit) => store?.keep(commit),
    journalCapacity: JOURNAL_CAPACITY,
  };
}

async function rehearseIn(tools: Tools, world: World, target: AdvanceTarget): Promise<Rehearsal> {
  const { rehearse } = await import("./adapters/rehearsal.ts");
  return rehearse(world, (state) => partsOf(tools, state, createDelays()), target);
}

/** Loaded when it is first asked: most uses of an emulator verify nothing. */
function lazyOracle(tools: Tools, objects: ObjectStore): Oracle {
  let oracle: Promise<Oracle> | undefined;

  async function load(): Promise<Oracle> {
    const { createOracle } = await import("./adapters/oracle/oracle.ts");
    const { traceFolder, ports } = tools;
    const doors = doorsOf(tools);
    return createOracle({ world: () => objects.world, traceFolder, doors, secrets: ports.secrets, objects });
  }

  return {
    async verify(exportId) {
      oracle ??= load();
      return (await oracle).verify(exportId);
    },
  };
}

function doorsOf({ doors }: Tools): NonNullable<Tools["doors"]> {
  if (!doors) throw new Error("The doors of the object stores are not open yet.");
  return doors;
}

function doorTimeout({ settings }: Configuration): number {
  return settings.timings.object_store_timeout_ms;
}

function initialState({ seed, now, clock }: Configuration): WorldState {
  return emptyState(seed, now ?? Date.now(), clock);
}

/** A world that was left goes on: a flowing clock with the wall's time, never backwards. */
function present(state: WorldState, { clock, now }: Configuration): WorldState {
  if (state.turn === 0) return state;
  if (now !== null && now < state.now)
    throw new Refusal(
      422,
      "backwards",
      `--now ${formatInstant(now)} is before ${formatInstant(state.now)}, where this data stands; time only moves forward.`,
      "Leave it out, or use another --data folder.",
    );
  const wall = clock.mode === "flowing" ? Date.now() : state.now;
  return { ...state, clock, now: Math.max(state.now, now ?? wall) };
}
