import { injectFault } from "../../http/fault.ts";
import type { AdvancePace, AdvanceTarget } from "../../kernel/advance.ts";
import type { Commit } from "../../kernel/commit.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createWorld } from "../../kernel/world.ts";
import type { ObjectStore } from "../../s3/object-store.ts";
import type { History } from "../../storage/history/history.ts";
import { unlessDamaged } from "../../storage/store-error.ts";
import {
  IN_JOURNAL,
  type LastState,
  openWorldStorage,
  type WorldStorage,
} from "../../storage/world-storage.ts";
import type { DryRunResult } from "../../subjects/control-operation.ts";
import { triggerS3Fault } from "../../subjects/faults/trigger-fault.ts";
import { createDelays } from "../../subjects/object-storage/delays.ts";
import type { World } from "../../subjects/turn.ts";
import { COLLECTIONS } from "../assembly.ts";
import { type Clock, startClock } from "./clock.ts";
import { dryRun } from "./dry-run.ts";
import { withHistory } from "./history/history-runtime.ts";
import { openHistory } from "./history/world-history.ts";
import { waitUntilSettled } from "./in-flight.ts";
import { resumptionOf } from "./resumption.ts";
import type { WorldRuntime } from "./runtime.ts";
import {
  openAdapters,
  oracleOf,
  partsOf,
  type WorldAdapters,
  type WorldRuntimeOptions,
} from "./world-adapters.ts";
import { clockOfFork, clockToResume, initialState, stateToResume } from "./world-state.ts";

/** Opens a world from its stored state or from the source of a fork. All of its parts are ready when this returns. */
export function openWorldRuntime(options: WorldRuntimeOptions): WorldRuntime {
  const { configuration } = options;
  const openedWorld = openWorld(options);
  const { world, clock, storage, adapters, history } = openedWorld;
  const { rows, bodies } = storage;
  const objects: ObjectStore = {
    world,
    files: bodies,
    delays: adapters.delays,
    triggerFault: triggerS3Fault,
  };
  const runtime: Omit<WorldRuntime, "asOf"> = {
    world,
    clock,
    injectFault,
    objects,
    oracle: oracleOf(adapters, objects),
    generations: new Set(),
    objectsFolder: () => bodies.mirror.catchUp(),
    isFresh: storage.isFresh,
    dryRun: (target) => dryRunIn(adapters, world, { ...target, ...clock.dryRunPace() }),
    choices: configuration.noteChoices ? adapters.choices : undefined,
    stats: () => rows.stats(),
    rowNames: rows.names,
    persisted: storage.flushed,
    async resumeTime() {
      clock.hold();
      try {
        return await resumptionOf(world, runtime.dryRun, Date.now());
      } finally {
        clock.release();
      }
    },
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
      const { image, limiter } = moment;
      return { ...storage.sourceAsOf(moment), limiter, before: history.upTo(image.turn) };
    },
    end(reason) {
      storage.end();
      return release(openedWorld, reason, undefined);
    },
    close(stopBy) {
      // A world with a defect may have lost its folder to another process, so nothing more is written.
      const last = lastStateOf(openedWorld);
      if (last && options.pool.isPersistent) bodies.mirror.finish(stopBy);
      return release(openedWorld, new Refusal(503, "closing", "The emulator is stopping."), last);
    },
  };
  return withHistory(runtime, adapters);
}

interface OpenedWorld {
  readonly world: World;
  readonly clock: Clock;
  readonly storage: WorldStorage;
  readonly adapters: WorldAdapters;
  readonly history: History;
}

function openWorld(options: WorldRuntimeOptions): OpenedWorld {
  const { configuration, source } = options;
  const storage = openWorldStorage({
    ...options,
    initial: initialState(configuration),
    collections: COLLECTIONS,
    reader: () => world.reader,
    onFailure: (error) => world.end(error),
    retain: (files, bytes) => history.keepBodies(files, bytes),
  });
  const image = source?.image ?? stateToResume(storage.image, configuration);
  const { journalAfter = 0 } = options.manifests.worlds.get(options.name) ?? {};
  const adapters = openAdapters(options, storage, () => ({ world, history }));
  const world: World = createWorld({
    ...partsOf(adapters, image, adapters.delays, () => ownTurns(history, journalAfter, image.turn)),
    afterTurn: (...turn) => addTurn(...turn),
  });
  const { history, addTurn } = openHistory(world, storage, source?.before);
  // A source has nothing in flight, unless it is a state of the history: that work starts again.
  if (source) world.resume();
  else world.recover();
  if (source) setClock(world, clockOfFork(source, Date.now()));
  else if (!storage.isFresh) setClock(world, clockToResume(world.clock, configuration.clock));
  return { world, clock: startClock(world, configuration.followWaits), storage, adapters, history };
}

/** The turns of earlier processes. Without them if their files are damaged. */
function ownTurns(history: History, after: number, upTo: number): readonly Commit[] {
  const turns = unlessDamaged(() => [...history.turns()]) ?? [];
  return turns.map(({ commit }) => commit).filter(({ turn }) => turn > after && turn <= upTo);
}

function lastStateOf({ world, storage }: OpenedWorld): LastState {
  if (world.defect) return undefined;
  if (!storage.isLarge()) return world.state();
  // The journal has the time of its last turn. The clock is set to what it is, because turns that change nothing are not written.
  if (world.clock.mode === "flowing")
    world.turn({ type: "control", name: "stop" }, (turn) => turn.setClock(world.clock));
  return IN_JOURNAL;
}

async function release(
  { world, clock, storage, adapters, history }: OpenedWorld,
  reason: Refusal,
  last: LastState,
): Promise<void> {
  clock.close();
  world.end(reason);
  adapters.delays.rejectAll(reason);
  storage.bodies.end();
  adapters.webhooks.close();
  adapters.objectStores.close();
  await adapters.encoder.close();
  await storage.close(last, () => history.toSave());
}

/** Sets the clock in a turn, so that the history before and after a start has the clock of its time. */
function setClock(world: World, clock: World["clock"]): void {
  const { mode, rate, followsWall } = world.clock;
  if (mode === clock.mode && rate === clock.rate && followsWall === clock.followsWall) return;
  const name = clock.mode === "frozen" ? "clock.freeze" : "clock.flow";
  world.turn({ type: "start", name }, (turn) => turn.setClock(clock));
}

async function waitUntilAtRest(world: World): Promise<void> {
  do await waitUntilIdle(world);
  while (world.inFlight().length > 0);
}

/** Waits for effects in flight: their results would reach only one of the two worlds. */
async function waitUntilIdle(world: World): Promise<void> {
  if (world.defect) throw world.defect;
  await waitUntilSettled(world);
  if (world.defect) throw world.defect;
}

async function dryRunIn(
  adapters: WorldAdapters,
  world: World,
  target: AdvanceTarget & AdvancePace,
): Promise<DryRunResult> {
  return dryRun(world, (image) => partsOf(adapters, image, createDelays()), target);
}
