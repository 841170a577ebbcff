import type { AdvancePace, AdvanceTarget } from "../../kernel/advance.ts";
import type { WorldState } from "../../kernel/commit.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createWorld } from "../../kernel/world.ts";
import type { ObjectStore } from "../../s3/object-store.ts";
import type { History, Moment } from "../../storage/history/history.ts";
import { openWorldStorage } from "../../storage/world-storage.ts";
import type { DryRunResult } from "../../subjects/control-operation.ts";
import { triggerS3Fault } from "../../subjects/faults/hit.ts";
import { createDelays } from "../../subjects/object-storage/delays.ts";
import type { World } from "../../subjects/turn.ts";
import { COLLECTIONS } from "../assembly.ts";
import { startClock } from "./clock.ts";
import { dryRun } from "./dry-run.ts";
import { isStalled } from "./in-flight.ts";
import { withPast } from "./past/past-runtime.ts";
import { openHistory } from "./past/world-history.ts";
import type { WorldRuntime } from "./runtime.ts";
import {
  openAdapters,
  oracleOf,
  partsOf,
  type WorldAdapters,
  type WorldRuntimeOptions,
} from "./world-adapters.ts";
import { type ForkSource, initialState, resumedState } from "./world-state.ts";

/** Opens a world: as it was kept, or as a fork begins; everything that it works with is there when this returns. */
export function openWorldRuntime(options: WorldRuntimeOptions): WorldRuntime {
  const { configuration, source, pool } = options;
  const onFailure = (error: Error): void => world.end(error);
  const storage = openWorldStorage({
    ...options,
    initial: initialState(configuration),
    collections: COLLECTIONS,
    reader: () => world.reader,
    onFailure,
    retain: (files, bytes) => history.keepBodies(files, bytes),
  });
  const image = source?.image ?? resumedState(storage.image, configuration);
  const adapters = openAdapters(options, storage, () => ({ world, history }));
  const { encoder, webhooks, objectStores, delays } = adapters;
  const world: World = createWorld({
    ...partsOf(adapters, image, delays),
    passed: (...given) => passed(...given),
  });
  const { history, passed } = openHistory(world, storage, source?.before);
  goOn(world, source);
  if (!source) setClock(world, configuration.clock);
  const clock = startClock(world, configuration.followWaits);
  const { rows, bodies } = storage;
  const objects: ObjectStore = { world, files: bodies, delays, triggerFault: triggerS3Fault };

  async function release(reason: Refusal, last: WorldState | undefined): Promise<void> {
    clock.close();
    world.end(reason);
    delays.rejectAll(reason);
    bodies.end();
    webhooks.close();
    objectStores.close();
    await encoder.close();
    await storage.close(last, history.kept);
  }

  const runtime: Omit<WorldRuntime, "asOf"> = {
    world,
    clock,
    objects,
    oracle: oracleOf(adapters, objects),
    objectsFolder: bodies.show,
    isFresh: storage.isFresh,
    dryRun: (target) => dryRunIn(adapters, world, { ...target, ...clock.dryRunPace() }),
    choices: configuration.noteChoices ? adapters.choices : undefined,
    stats: () => rows.stats(),
    rowNames: rows.names,
    persisted: storage.flushed,
    async whenIdle(use) {
      // The last request of a flowing world may be long ago.
      clock.sync();
      await storage.shortened();
      await waitUntilAtRest(world);
      return use({ ...storage.source(world.image()), limiter: world.ports.limiter.copy() });
    },
    history,
    sourceAsOf(at) {
      clock.sync();
      const moment = history.momentAt(history.pointAt(at));
      return { ...storage.sourceAsOf(moment), ...behind(history, moment) };
    },
    end(reason) {
      storage.end();
      return release(reason, undefined);
    },
    close() {
      // A world that has ended before may have lost its folder to another process: it writes no more.
      const last = world.defect ? undefined : world.state();
      if (last && pool.isKept) bodies.show();
      return release(new Refusal(503, "closing", "The emulator is stopping."), last);
    },
  };
  return withPast(runtime, adapters);
}

/** A turn of its own, so that the past before a start and since then each have the clock that they had. */
function setClock(world: World, clock: World["clock"]): void {
  const { mode, rate } = world.clock;
  if (mode === clock.mode && rate === clock.rate) return;
  const name = clock.mode === "frozen" ? "clock.freeze" : "clock.flow";
  world.turn({ type: "start", name }, (turn) => turn.setClock(clock));
}

/** What a fork from a moment has beside its storage. */
function behind(history: History, { image, limiter }: Moment) {
  return { limiter, before: history.upTo(image.turn) };
}

/** A source at rest has nothing in flight: what is there was under way at a point in the past. */
function goOn(world: World, source: ForkSource | undefined): void {
  if (source) world.resume();
  else world.recover();
}

async function waitUntilAtRest(world: World): Promise<void> {
  do await waitUntilIdle(world);
  while (world.inFlight().length > 0);
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

async function dryRunIn(
  adapters: WorldAdapters,
  world: World,
  target: AdvanceTarget & AdvancePace,
): Promise<DryRunResult> {
  return dryRun(world, (image) => partsOf(adapters, image, createDelays()), target);
}
