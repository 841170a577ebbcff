import type { Configuration } from "../config/configuration.ts";
import type { AdvanceTarget } from "../kernel/advance.ts";
import { type Commit, emptyState, type WorldState } from "../kernel/commit.ts";
import { imageOf, type WorldImage } from "../kernel/image.ts";
import { formatInstant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import { createWorld, type EffectRunner, type WorldParts } from "../kernel/world.ts";
import { createDoors } from "../s3/client/doors.ts";
import { type ObjectStore, objectStorageParts } from "../s3/object-store.ts";
import type { Home } from "../storage/folders/registry.ts";
import { openStore, readStore, type Store } from "../storage/journal/store.ts";
import { type ObjectFiles, openObjectFiles } from "../storage/objects/object-files.ts";
import { readingFrom, type SharedEncoder } from "../storage/parquet/encoder.ts";
import { openTraceStore, type TraceFiles } from "../storage/rows/store.ts";
import { exportEffects } from "../subjects/bulk-exports/effects.ts";
import type { FileEncoder } from "../subjects/bulk-exports/encoder.ts";
import type { Oracle, Rehearsal } from "../subjects/control-operation.ts";
import { createSchedules } from "../subjects/crons/schedules.ts";
import type { Doors } from "../subjects/destinations/door.ts";
import { REQUEST_EFFECTS } from "../subjects/faults/effects.ts";
import { strikeS3 } from "../subjects/faults/s3.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import { createDelays, type Delays } from "../subjects/object-storage/delays.ts";
import { statsEffects } from "../subjects/queries/effects.ts";
import { createRateLimiter } from "../subjects/rate-limits/limiter.ts";
import type { Ports, Secrets, World } from "../subjects/turn.ts";
import { createWebhookSender, type WebhookSender } from "../subjects/webhooks/effects/effects.ts";
import { COLLECTIONS, REACTIONS } from "./assembly.ts";
import { type Clock, isStalled, startClock } from "./clock.ts";
import { type Origin, type Source, sourceOfWorld } from "./fork-source.ts";

/** One world with everything that it works with: what is kept, what drives it, what it reaches outside. */
export interface Site {
  readonly world: World;
  readonly clock: Clock;
  readonly objects: ObjectStore;
  readonly oracle: Oracle;
  readonly home: Home;
  /** True for a world that has still to be given what a fresh one holds. */
  readonly isFresh: boolean;
  /** Advances a copy of the world whose effects only pretend, and throws it away. */
  rehearse(target: AdvanceTarget): Promise<Rehearsal>;
  stats(): { readonly rows: number; readonly bytes: number };
  /** Calls back once nothing is under way, with what another world goes on from: to be used in the same go. */
  atRest<T>(use: (source: Source) => T): Promise<T>;
  /** Resolves when all that has been asked so far survives the end of the process; undefined when it does. */
  kept(): Promise<void> | undefined;
  /** Ends the world and lets go of its folders at once, for another one to take its place. */
  end(reason: Refusal): Promise<void>;
  /** Saves the state and lets go of the folders. */
  close(): Promise<void>;
}

/** What one world runs with. */
export interface SiteOptions {
  readonly configuration: Configuration;
  readonly home: Home;
  /** Left out for a world that begins with what its home holds. */
  readonly origin?: Origin;
  readonly secrets: Secrets;
  /** One for all worlds of a process. */
  readonly encoder: SharedEncoder;
  readonly isEmbedded: Ports["isEmbedded"];
  /** Folders of objects that were forked from this one's. */
  readonly heirs: () => readonly string[];
  /** Answers a request of the emulator to itself (§6.1, relative webhooks). */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
}

const JOURNAL_CAPACITY = 10_000;

/** Opens a world: as its home has it, or as the origin says that it begins. */
export function openSite(options: SiteOptions): Site {
  const { configuration, home, origin } = options;
  const { image, store } = openRecords(options, (error) => world.end(error));
  const tools = openTools(options, store);
  const { traces, files, encoder, webhooks } = tools;
  const world = createWorld<Ports>(partsOf(tools, image, tools.delays));
  const clock = startClock(world, configuration.followWaits);
  const objects: ObjectStore = { world, files, delays: tools.delays, strike: strikeS3 };
  tools.doors = createDoors({
    store: objects,
    timeoutMs: configuration.settings.timings.object_store_timeout_ms,
  });
  files.recover(world.reader);
  world.recover();

  async function letGo(reason: Refusal, last: WorldState | undefined): Promise<void> {
    clock.close();
    world.end(reason);
    tools.delays.end(reason);
    files.end();
    webhooks.close();
    tools.doors?.close();
    traces.close();
    await encoder.close();
    await store?.close(last);
  }

  return {
    world,
    clock,
    objects,
    oracle: lazyOracle(tools, objects),
    home,
    isFresh: origin === undefined && image.turn === 0,
    rehearse: (target) => rehearseIn(tools, world, target),
    stats: () => traces.stats(),
    kept: () => store?.flushed(),
    async atRest(use) {
      // Nobody need have asked a flowing world for its time lately.
      clock.sync();
      do await waitForRest(world);
      while (world.inFlight().length > 0);
      return use(sourceOfWorld({ world, traces, files, store, home }));
    },
    end: (reason) => letGo(reason, undefined),
    // A world that has ended before may have lost its folder to another process: it writes no more.
    close: () => letGo(new Refusal(503, "closing", "The emulator is stopping."), lastStateOf(world, store)),
  };
}

function lastStateOf(world: World, store: Store | undefined): WorldState | undefined {
  return store && !world.defect ? world.state() : undefined;
}

/** What is under way would end in one of the two worlds only. */
async function waitForRest(world: World): Promise<void> {
  if (world.defect) throw world.defect;
  if (await isStalled(world, world.settled()))
    throw new Refusal(
      409,
      "in_flight",
      "Something of this instant is still under way; a copy of the world starts from rest.",
      "GET /_emulator/v1/clock names it under in_flight.",
    );
  if (world.defect) throw world.defect;
}

/** What a world reaches outside of itself. */
interface Tools {
  readonly ports: Ports;
  readonly store: Store | undefined;
  readonly traces: TraceFiles;
  readonly files: ObjectFiles;
  readonly delays: Delays;
  readonly encoder: FileEncoder;
  readonly webhooks: WebhookSender;
  /** Opened once the world is there that its embedded side leads into. */
  doors: ReturnType<typeof createDoors> | undefined;
}

interface OpenedRecords {
  readonly image: WorldImage;
  readonly store: Store | undefined;
}

function openRecords(
  { configuration, home, origin }: SiteOptions,
  onFailure: (error: Error) => void,
): OpenedRecords {
  const isKept = configuration.dataFolder !== null;
  const folder = home.records;
  if (origin)
    return {
      image: origin.image,
      store: isKept ? openStore({ folder, last: origin.last, onFailure }) : undefined,
    };
  const initial = initialState(configuration);
  if (!isKept) return { image: imageOf(initial, COLLECTIONS), store: undefined };
  const { state, last } = readStore(folder, initial);
  const image = imageOf(present(state, configuration), COLLECTIONS);
  return { image, store: openStore({ folder, last, onFailure }) };
}

function openTools(options: SiteOptions, store: Store | undefined): Tools {
  const { configuration, home, origin, secrets, isEmbedded, handle, heirs } = options;
  const { settings } = configuration;
  const inherited = origin && { inherited: origin.rows };
  const traces = openTraceStore({ folder: home.traces, layers: home.layers, ...inherited });
  const limiter = origin?.limiter.copy() ?? createRateLimiter(settings.rateLimits);
  const boot = origin?.boot !== undefined && { boot: origin.boot };
  return {
    ports: { settings, traces, secrets, schedules: createSchedules(), limiter, isEmbedded },
    store,
    traces,
    files: openObjectFiles({ folder: home.objects, bases: () => home.bases, heirs, ...boot }),
    delays: createDelays(),
    encoder: readingFrom(options.encoder, traces.place),
    webhooks: createWebhookSender({ settings, handle }),
    doors: undefined,
  };
}

function partsOf(tools: Tools, image: WorldImage, delays: Delays): WorldParts<Ports> {
  const { ports, store, encoder, webhooks } = tools;
  const storage = objectStorageParts(tools.files, delays);
  const doors: Doors = { open: (address, credentials) => doorsOf(tools).open(address, credentials) };
  return {
    image,
    ports,
    reactions: { ...REACTIONS, ...storage.reactions },
    effects: afterKeeping(store, {
      ...storage.effects,
      ...webhooks.effects,
      ...REQUEST_EFFECTS,
      ...statsEffects(tools.traces),
      ...exportEffects({ encoder, secrets: ports.secrets, doors }),
    }),
    keep: keeperOf(store),
    journalCapacity: JOURNAL_CAPACITY,
  };
}

/** Requests of one moment are kept together, since their replies can wait for that; nothing else waits. */
function keeperOf(store: Store | undefined): (commit: Commit) => void {
  if (!store) return () => undefined;
  return (commit) => (commit.cause.type === "request" ? store.keepSoon(commit) : store.keep(commit));
}

/** Nothing is done outside of a world before the turn is kept that asked for it. */
function afterKeeping(
  store: Store | undefined,
  effects: WorldParts<Ports>["effects"],
): WorldParts<Ports>["effects"] {
  if (!store) return effects;
  const kept = Object.entries(effects).map(([kind, run]): [string, EffectRunner] => [
    kind,
    (effect) => {
      store.flush();
      return run(effect);
    },
  ]);
  return Object.fromEntries(kept);
}

async function rehearseIn(tools: Tools, world: World, target: AdvanceTarget): Promise<Rehearsal> {
  const { rehearse } = await import("./dry-run.ts");
  return rehearse(world, (image) => partsOf(tools, image, createDelays()), target);
}

/** Loaded when it is first asked: most uses of an emulator verify nothing. */
function lazyOracle(tools: Tools, objects: ObjectStore): Oracle {
  let oracle: Promise<Oracle> | undefined;

  async function load(): Promise<Oracle> {
    const { createOracle } = await import("../oracle/oracle.ts");
    const { traces, ports } = tools;
    const doors = doorsOf(tools);
    return createOracle({
      world: () => objects.world,
      traces: traces.place,
      doors,
      secrets: ports.secrets,
      objects,
    });
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

function initialState({ seed, now, clock }: Configuration): WorldState {
  return emptyState(seed, now ?? Date.now(), clock);
}

/** A world that was left goes on: a flowing clock with the wall's time, never backwards. */
export function present<S extends Pick<WorldState, "turn" | "now" | "clock">>(
  state: S,
  { clock, now }: Configuration,
): S {
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
