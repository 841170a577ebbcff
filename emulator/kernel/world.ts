import type { Cause, ClockState, WorldState } from "./commit.ts";
import { type Core, createCore, deliverResult, drain, runTurn } from "./core.ts";
import type { WorldImage } from "./image.ts";
import type { Instant } from "./instant.ts";
import type { Journal } from "./journal.ts";
import type { Reader, Turn } from "./turn.ts";
import { type EffectOf, type EventOf, INTERRUPTED, type WorldTypes } from "./types.ts";
import type { WorldParts } from "./world-parts.ts";

/** One world: its turns, in sequence, and its queued events and effects; a defect ends it. */
export interface World<Types extends WorldTypes> {
  readonly seed: number;
  readonly now: Instant;
  readonly clock: ClockState;
  readonly journal: Journal;
  /** The number of the last turn. */
  readonly lastTurn: number;
  /** Throws, by default a Refusal (409), unless the world can change; a world of the history is read-only. */
  requireLive(error?: () => Error): void;
  readonly reader: Reader;
  readonly ports: Types["ports"];
  /** Runs one turn, commits it, then fires the events that are due at this instant. */
  turn<R>(cause: Cause, act: (turn: Turn<Types>) => R): R;
  /** Resolves with the deferred reply, or rejects with the error that ended the world. */
  awaitReply(replyNumber: number): Promise<unknown>;
  /** Moves time to a later instant and fires the events that are due; no earlier event may be due. */
  moveTo(instant: Instant): void;
  nextEvent(): EventOf<Types> | undefined;
  queue(): readonly EventOf<Types>[];
  inFlight(): readonly EffectOf<Types>[];
  /** Resolves when no effect is in flight. */
  whenSettled(): Promise<void>;
  /** The defect that ended this world, when one did. */
  readonly defect: Error | undefined;
  /** Ends this world: every later call and every waiting request is refused with this reason. */
  end(reason: Error): void;
  /** Settles the effects that were in flight when the process ended. */
  recover(): void;
  /** Continues from a state of the history: repeats the effects that were in flight, and fires due events. */
  resume(): void;
  state(): WorldState;
  /** The image for a copy of this world; requires that no effect is in flight. */
  image(): WorldImage;
}

/** Creates a world from an image; call `recover` before its first turn when effects were in flight. */
export function createWorld<Types extends WorldTypes>(parts: WorldParts<Types>): World<Types> {
  const core = createCore(parts);
  const { effectQueue, records, pendingReplies, queue, journal } = core;
  return {
    seed: parts.image.seed,
    journal,
    ports: parts.ports,
    reader: records.reader,
    requireLive: parts.timeline.requireLive,
    get lastTurn() {
      return journal.lastTurn;
    },
    get now() {
      return core.now;
    },
    get clock() {
      return core.clock;
    },
    get defect() {
      return core.defect;
    },
    turn(cause, act) {
      const value = runTurn(core, cause, {}, act);
      drain(core);
      return value;
    },
    awaitReply: pendingReplies.awaitReply,
    moveTo(instant) {
      core.now = Math.max(core.now, instant);
      drain(core);
    },
    nextEvent: queue.peek,
    queue: queue.list,
    inFlight: effectQueue.list,
    whenSettled: effectQueue.whenSettled,
    end(reason) {
      core.defect = reason;
      journal.close();
      pendingReplies.resolveAll(reason);
      effectQueue.discardAll();
    },
    recover() {
      for (const effect of effectQueue.list()) deliverResult(core, effect, INTERRUPTED);
    },
    resume() {
      effectQueue.restart();
      drain(core);
    },
    state: () => ({ ...stateWithoutRecords(core), records: records.storedRecords(), queue: queue.list() }),
    image: () => ({ ...stateWithoutRecords(core), records: records.copy(), queue: queue.unordered() }),
  };
}

function stateWithoutRecords<Types extends WorldTypes>(core: Core<Types>) {
  return {
    seed: core.parts.image.seed,
    turn: core.journal.lastTurn,
    now: core.now,
    clock: core.clock,
    ordinals: Object.fromEntries(core.ordinals),
    inFlight: core.effectQueue.list(),
  };
}
