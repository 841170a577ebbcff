import type { AssumptionId } from "../../../contracts/spec/assumptions.ts";
import type { Configuration } from "../../config/configuration.ts";
import { noting } from "../../config/noted-choices.ts";
import type { AdvancePace, AdvanceTarget } from "../../kernel/advance.ts";
import type { AsOf } from "../../kernel/as-of.ts";
import type { Commit, WorldState } from "../../kernel/commit.ts";
import type { WorldImage } from "../../kernel/image.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createWorld } from "../../kernel/world.ts";
import type { WorldParts } from "../../kernel/world-parts.ts";
import { createOracle } from "../../oracle/oracle.ts";
import { createObjectStoreClients } from "../../s3/client/object-store-clients.ts";
import { type ObjectStore, objectStorageEffects } from "../../s3/object-store.ts";
import { stageFile } from "../../s3/stage-file.ts";
import type { History } from "../../storage/history/history.ts";
import { encoderFor, type SharedEncoder } from "../../storage/parquet/encoder.ts";
import type { Heads } from "../../storage/pool/heads.ts";
import type { Pool } from "../../storage/pool/pool.ts";
import { openWorldStorage, type WorldStorage } from "../../storage/world-storage.ts";
import { exportEffects } from "../../subjects/bulk-exports/effects.ts";
import type { FileEncoder } from "../../subjects/bulk-exports/encoder.ts";
import type { DryRunResult, Oracle } from "../../subjects/control-operation.ts";
import { createSchedules } from "../../subjects/crons/schedules.ts";
import { REQUEST_EFFECTS } from "../../subjects/faults/effects.ts";
import { triggerS3Fault } from "../../subjects/faults/hit.ts";
import type { HttpReply, HttpRequest } from "../../subjects/message.ts";
import { createDelays, type Delays } from "../../subjects/object-storage/delays.ts";
import { statsEffects } from "../../subjects/queries/effects.ts";
import { createRateLimiter } from "../../subjects/rate-limits/limiter.ts";
import type { EmulatorTypes, Ports, Secrets, World } from "../../subjects/turn.ts";
import { createWebhookSender, type WebhookSender } from "../../subjects/webhooks/effects/effects.ts";
import { COLLECTIONS, eventReactions, RESULT_REACTIONS } from "../assembly.ts";
import { type Clock, startClock } from "./clock.ts";
import { dryRun } from "./dry-run.ts";
import { isStalled } from "./in-flight.ts";
import { openHistory, withHistory } from "./past/world-history.ts";
import { type ForkSource, initialState, resumedState } from "./world-state.ts";

/** One world with everything that it works with: what is kept, what drives it, what it reaches outside. */
export interface WorldRuntime {
  readonly world: World;
  readonly clock: Clock;
  readonly objects: ObjectStore;
  readonly oracle: Oracle;
  /** Where people find the objects of its embedded store. */
  readonly objectsFolder: string;
  /** True for a world that has still to be given what a fresh one holds. */
  readonly isFresh: boolean;
  /** Advances a copy of the world with stubbed effects, and discards it. */
  dryRun(target: AdvanceTarget): Promise<DryRunResult>;
  /** The open choices of the specification that were read; undefined where they are not noted. */
  readonly choices: ReadonlySet<AssumptionId> | undefined;
  stats(): { readonly rows: number; readonly bytes: number };
  /** Calls `use` once no effect is in flight; the fork source is valid until `use` returns. */
  whenIdle<T>(use: (source: ForkSource) => T): Promise<T>;
  /** Its last turns, and the states that they have led to. */
  readonly history: History;
  /** What a fork from a point in the past begins with; refuses one out of reach (422). */
  sourceAsOf(at: AsOf): ForkSource;
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
  readonly pool: Pool;
  readonly heads: Heads;
  /** Under which the heads have it. */
  readonly name: string;
  /** Left out for a world that begins with what its head leads to. */
  readonly source?: ForkSource;
  readonly secrets: Secrets;
  /** One for all worlds of a process. */
  readonly encoder: SharedEncoder;
  readonly isEmbedded: Ports["isEmbedded"];
  /** Answers a request of the emulator to itself (§6.1, relative webhooks). */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
}

const JOURNAL_CAPACITY = 10_000;

/** Opens a world: as it was kept, or as a fork begins; everything that it works with is there when this returns. */
export function openWorldRuntime(options: WorldRuntimeOptions): WorldRuntime {
  const { configuration, source, pool, name } = options;
  const initial = initialState(configuration);
  const onFailure = (error: Error): void => world.end(error);
  const storage = openWorldStorage({
    ...options,
    initial,
    collections: COLLECTIONS,
    onFailure,
    retain: (files, bytes) => history.keepBodies(files, bytes),
  });
  const image = source ? source.image : resumedState(storage.image, configuration);
  const adapters = openAdapters(options, storage, () => ({ world, history }));
  const { encoder, webhooks, objectStores, delays } = adapters;
  const world: World = createWorld({
    ...partsOf(adapters, image, delays),
    passed: (commit, isChange) => past.passed(commit, isChange),
  });
  const past = openHistory(world, storage, source?.before);
  const { history } = past;
  const clock = startClock(world, configuration.followWaits);
  const { rows, bodies } = storage;
  const objects: ObjectStore = { world, files: bodies, delays, triggerFault: triggerS3Fault };
  goOn(world, source);

  async function release(reason: Refusal, last: WorldState | undefined): Promise<void> {
    clock.close();
    world.end(reason);
    delays.rejectAll(reason);
    bodies.end();
    webhooks.close();
    objectStores.close();
    await encoder.close();
    await storage.close(last);
  }

  return {
    world,
    clock,
    objects,
    oracle: oracleOf(adapters, objects),
    objectsFolder: pool.objectsFolder(name),
    isFresh: storage.isFresh,
    dryRun: (target) => dryRunIn(adapters, world, { ...target, ...clock.dryRunPace() }),
    choices: configuration.noteChoices ? adapters.choices : undefined,
    stats: () => rows.stats(),
    persisted: storage.flushed,
    async whenIdle(use) {
      // The last request of a flowing world may be long ago.
      clock.sync();
      do await waitUntilIdle(world);
      while (world.inFlight().length > 0);
      return use({ ...storage.source(world.image()), limiter: world.ports.limiter.copy() });
    },
    history,
    sourceAsOf(at) {
      clock.sync();
      const moment = history.momentAt(at, { turn: world.lastTurn, now: world.now });
      const before = history.upTo(moment.image.turn);
      return { ...storage.sourceAsOf(moment), limiter: moment.limiter, before };
    },
    end(reason) {
      storage.end();
      return release(reason, undefined);
    },
    close() {
      // A world that has ended before may have lost its folder to another process: it writes no more.
      const last = world.defect ? undefined : world.state();
      return release(new Refusal(503, "closing", "The emulator is stopping."), last);
    },
  };
}

/** A source at rest has nothing in flight: what is there was under way at a point in the past. */
function goOn(world: World, source: ForkSource | undefined): void {
  if (source) world.resume();
  else world.recover();
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
  readonly choices: ReadonlySet<AssumptionId>;
  readonly ports: Ports;
  readonly storage: WorldStorage;
  readonly delays: Delays;
  readonly encoder: FileEncoder;
  readonly webhooks: WebhookSender;
  readonly objectStores: ReturnType<typeof createObjectStoreClients>;
}

function openAdapters(
  options: WorldRuntimeOptions,
  storage: WorldStorage,
  past: () => { readonly world: World; readonly history: History },
): WorldAdapters {
  const { configuration, source, secrets, isEmbedded, handle } = options;
  const choices = new Set<AssumptionId>();
  const settings = configuration.noteChoices
    ? noting(configuration.settings, (id) => choices.add(id))
    : configuration.settings;
  const { rows } = storage;
  const limiter = withHistory(source?.limiter.copy() ?? createRateLimiter(settings.rateLimits), past);
  return {
    choices,
    ports: {
      settings,
      traces: rows,
      secrets,
      schedules: createSchedules(),
      limiter,
      bodies: storage.bodies.keeper,
      isEmbedded,
    },
    storage,
    delays: createDelays(),
    encoder: encoderFor(options.encoder, rows),
    // Its policy is read with the first turn of a run that has a webhook.
    webhooks: createWebhookSender({ settings: configuration.settings, handle }),
    objectStores: createObjectStoreClients({ timeoutMs: settings.timings.object_store_timeout_ms }),
  };
}

function partsOf(adapters: WorldAdapters, image: WorldImage, delays: Delays): WorldParts<EmulatorTypes> {
  const { ports, storage, encoder, webhooks, objectStores } = adapters;
  return {
    image,
    ports,
    events: eventReactions(delays),
    results: RESULT_REACTIONS,
    effects: {
      ...objectStorageEffects(storage.bodies),
      ...webhooks.effects,
      ...REQUEST_EFFECTS,
      ...statsEffects(storage.rows),
      ...exportEffects({
        encoder,
        secrets: ports.secrets,
        settings: ports.settings,
        objectStores,
        stageFile: (bytes) => stageFile(storage.bodies, bytes),
      }),
    },
    persist: persistCommits(storage),
    flush: storage.flush,
    journalCapacity: JOURNAL_CAPACITY,
  };
}

/** Turns of requests are written in batches, which their replies wait for; all others at once. */
function persistCommits({ keep, keepSoon }: WorldStorage): (commit: Commit) => void {
  return (commit) => (commit.cause.type === "request" ? keepSoon(commit) : keep(commit));
}

async function dryRunIn(
  adapters: WorldAdapters,
  world: World,
  target: AdvanceTarget & AdvancePace,
): Promise<DryRunResult> {
  return dryRun(world, (image) => partsOf(adapters, image, createDelays()), target);
}

function oracleOf({ storage, ports, objectStores }: WorldAdapters, objects: ObjectStore): Oracle {
  const { key, pieces } = storage.rows;
  return createOracle({
    world: objects.world,
    rowsOf: (partition) => ({ world: key, pieces: pieces(partition) }),
    objectStores,
    secrets: ports.secrets,
    objects,
  });
}
