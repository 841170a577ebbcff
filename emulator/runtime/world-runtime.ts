import type { Configuration } from "../config/configuration.ts";
import type { AdvanceTarget } from "../kernel/advance.ts";
import type { Commit, WorldState } from "../kernel/commit.ts";
import type { WorldImage } from "../kernel/image.ts";
import { Refusal } from "../kernel/refusal.ts";
import { createWorld } from "../kernel/world.ts";
import type { WorldParts } from "../kernel/world-parts.ts";
import { createObjectStoreClients } from "../s3/client/object-store-clients.ts";
import { type ObjectStore, objectStorageEffects } from "../s3/object-store.ts";
import type { WorldFolder } from "../storage/folders/registry.ts";
import type { Store } from "../storage/journal/store.ts";
import { type ObjectFiles, openObjectFiles } from "../storage/objects/object-files.ts";
import { encoderFor, type SharedEncoder } from "../storage/parquet/encoder.ts";
import { openTraceStore, type TraceFiles } from "../storage/rows/store.ts";
import { exportEffects } from "../subjects/bulk-exports/effects.ts";
import type { FileEncoder } from "../subjects/bulk-exports/encoder.ts";
import type { DryRunResult, Oracle } from "../subjects/control-operation.ts";
import { createSchedules } from "../subjects/crons/schedules.ts";
import type { ObjectStoreClients } from "../subjects/destinations/object-store-client.ts";
import { REQUEST_EFFECTS } from "../subjects/faults/effects.ts";
import { triggerS3Fault } from "../subjects/faults/hit.ts";
import type { HttpReply, HttpRequest } from "../subjects/message.ts";
import { createDelays, type Delays } from "../subjects/object-storage/delays.ts";
import { statsEffects } from "../subjects/queries/effects.ts";
import { createRateLimiter } from "../subjects/rate-limits/limiter.ts";
import type { EmulatorTypes, Ports, Secrets, World } from "../subjects/turn.ts";
import { createWebhookSender, type WebhookSender } from "../subjects/webhooks/effects/effects.ts";
import { eventReactions, RESULT_REACTIONS } from "./assembly.ts";
import { type Clock, isStalled, startClock } from "./clock.ts";
import { type ForkedState, type ForkSource, liveForkSource } from "./fork-source.ts";
import { lastStateOf, openRecords } from "./world-state.ts";

/** One world with everything that it works with: what is kept, what drives it, what it reaches outside. */
export interface WorldRuntime {
  readonly world: World;
  readonly clock: Clock;
  readonly objects: ObjectStore;
  readonly oracle: Oracle;
  readonly worldFolder: WorldFolder;
  /** True for a world that has still to be given what a fresh one holds. */
  readonly isFresh: boolean;
  /** Advances a copy of the world with stubbed effects, and discards it. */
  dryRun(target: AdvanceTarget): Promise<DryRunResult>;
  stats(): { readonly rows: number; readonly bytes: number };
  /** Calls `use` once no effect is in flight; the fork source is valid until `use` returns. */
  whenIdle<T>(use: (source: ForkSource) => T): Promise<T>;
  /** Resolves when all that has been asked so far survives the end of the process; undefined when it does. */
  persisted(): Promise<void> | undefined;
  /** Ends the world and releases its folders without saving, for another one to take its place. */
  end(reason: Refusal): Promise<void>;
  /** Saves the state and releases the folders. */
  close(): Promise<void>;
}

/** What one world runs with. */
export interface WorldRuntimeOptions {
  readonly configuration: Configuration;
  readonly worldFolder: WorldFolder;
  /** Left out for a world that begins with what its folder holds. */
  readonly forkedState?: ForkedState;
  readonly secrets: Secrets;
  /** One for all worlds of a process. */
  readonly encoder: SharedEncoder;
  readonly isEmbedded: Ports["isEmbedded"];
  /** Folders of objects that were forked from this one's. */
  readonly forks: () => readonly string[];
  /** Answers a request of the emulator to itself (§6.1, relative webhooks). */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
}

const JOURNAL_CAPACITY = 10_000;

/** Opens a world: as its folder has it, or as a fork begins; everything that it works with is there when this returns. */
export function openWorldRuntime(options: WorldRuntimeOptions): WorldRuntime {
  const { configuration, worldFolder, forkedState } = options;
  const { image, store } = openRecords(options, (error) => world.end(error));
  const adapters = openAdapters(options, store, {
    // Effects open clients after a turn of the world, whose own store the embedded ones lead into.
    open: (address, credentials) => objectStores.open(address, credentials),
  });
  const { traces, files, encoder, webhooks } = adapters;
  const world = createWorld(partsOf(adapters, image, adapters.delays));
  const clock = startClock(world, configuration.followWaits);
  const objects: ObjectStore = { world, files, delays: adapters.delays, triggerFault: triggerS3Fault };
  const objectStores = createObjectStoreClients({
    store: objects,
    timeoutMs: configuration.settings.timings.object_store_timeout_ms,
  });
  files.recover(world.reader);
  world.recover();

  async function release(reason: Refusal, last: WorldState | undefined): Promise<void> {
    clock.close();
    world.end(reason);
    adapters.delays.rejectAll(reason);
    files.end();
    webhooks.close();
    objectStores.close();
    traces.close();
    await encoder.close();
    await store?.close(last);
  }

  return {
    world,
    clock,
    objects,
    oracle: lazyOracle(adapters, objects),
    worldFolder,
    isFresh: forkedState === undefined && image.turn === 0,
    dryRun: (target) => dryRunIn(adapters, world, target),
    stats: () => traces.stats(),
    persisted: () => store?.flushed(),
    async whenIdle(use) {
      // The last request of a flowing world may be long ago.
      clock.sync();
      do await waitUntilIdle(world);
      while (world.inFlight().length > 0);
      return use(liveForkSource({ world, traces, files, store, worldFolder }));
    },
    end: (reason) => release(reason, undefined),
    // A world that has ended before may have lost its folder to another process: it writes no more.
    close: () => release(new Refusal(503, "closing", "The emulator is stopping."), lastStateOf(world, store)),
  };
}

/** Waits for effects in flight: their results would reach only one of the two worlds. */
async function waitUntilIdle(world: World): Promise<void> {
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
interface WorldAdapters {
  readonly ports: Ports;
  readonly store: Store | undefined;
  readonly traces: TraceFiles;
  readonly files: ObjectFiles;
  readonly delays: Delays;
  readonly encoder: FileEncoder;
  readonly webhooks: WebhookSender;
  readonly objectStores: ObjectStoreClients;
}

function openAdapters(
  options: WorldRuntimeOptions,
  store: Store | undefined,
  objectStores: ObjectStoreClients,
): WorldAdapters {
  const { configuration, worldFolder, forkedState, secrets, isEmbedded, handle, forks } = options;
  const { settings } = configuration;
  const inherited = forkedState && { inherited: forkedState.rows };
  const traces = openTraceStore({ folder: worldFolder.traces, layers: worldFolder.layers, ...inherited });
  const limiter = forkedState?.limiter.copy() ?? createRateLimiter(settings.rateLimits);
  const boot = forkedState?.boot !== undefined && { boot: forkedState.boot };
  return {
    ports: { settings, traces, secrets, schedules: createSchedules(), limiter, isEmbedded },
    store,
    traces,
    files: openObjectFiles({ folder: worldFolder.objects, bases: () => worldFolder.bases, forks, ...boot }),
    delays: createDelays(),
    encoder: encoderFor(options.encoder, traces.location),
    webhooks: createWebhookSender({ settings, handle }),
    objectStores,
  };
}

function partsOf(adapters: WorldAdapters, image: WorldImage, delays: Delays): WorldParts<EmulatorTypes> {
  const { ports, store, encoder, webhooks, objectStores } = adapters;
  return {
    image,
    ports,
    events: eventReactions(delays),
    results: RESULT_REACTIONS,
    effects: {
      ...objectStorageEffects(adapters.files),
      ...webhooks.effects,
      ...REQUEST_EFFECTS,
      ...statsEffects(adapters.traces),
      ...exportEffects({ encoder, secrets: ports.secrets, objectStores }),
    },
    persist: persistCommits(store),
    flush: () => store?.flush(),
    journalCapacity: JOURNAL_CAPACITY,
  };
}

/** Turns of requests are written in batches, which their replies wait for; all others at once. */
function persistCommits(store: Store | undefined): (commit: Commit) => void {
  if (!store) return () => undefined;
  return (commit) => (commit.cause.type === "request" ? store.appendBatched(commit) : store.append(commit));
}

async function dryRunIn(adapters: WorldAdapters, world: World, target: AdvanceTarget): Promise<DryRunResult> {
  const { dryRun: rehearse } = await import("./dry-run.ts");
  return rehearse(world, (image) => partsOf(adapters, image, createDelays()), target);
}

/** The oracle, loaded with its first request: most uses of an emulator verify nothing. */
function lazyOracle(adapters: WorldAdapters, objects: ObjectStore): Oracle {
  let oracle: Promise<Oracle> | undefined;

  async function load(): Promise<Oracle> {
    const { createOracle } = await import("../oracle/oracle.ts");
    const { traces, ports, objectStores } = adapters;
    return createOracle({
      world: objects.world,
      traces: traces.location,
      objectStores,
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
