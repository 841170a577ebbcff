import type { Cause, ClockState, Commit, Effect, WorldState } from "./commit.ts";
import { createEffectQueue, type EffectQueue, type EffectResult, type EffectRunner } from "./effect-queue.ts";
import type { WorldImage } from "./image.ts";
import type { Instant } from "./instant.ts";
import { createJournal, entryOf, type Journal } from "./journal.ts";
import { createPendingReplies, type PendingReplies } from "./pending-replies.ts";
import { createEventQueue, type DueEvent, type EventQueue } from "./queue.ts";
import type { Records } from "./records.ts";
import { Refusal } from "./refusal.ts";
import {
  createTurnFactory,
  type Reader,
  type Turn,
  type TurnContext,
  type TurnFactory,
  type TurnOutcome,
  type TurnTrigger,
} from "./turn.ts";

export type { EffectResult, EffectRunner } from "./effect-queue.ts";

/** An event that fired, or the result of an effect. */
export interface Occurrence {
  readonly kind: string;
  readonly ref: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** What the effect came to; absent for an event. */
  readonly result?: EffectResult;
}

/** The result of an effect that was in flight when the process ended. */
export const INTERRUPTED = { failure: "interrupted", message: "the emulator was restarted" } as const;

/** What an event or a result leads to; a reaction drops what its world no longer expects. */
export type Reaction<Ports> = (turn: Turn<Ports>, occurrence: Occurrence) => void;

/** What a world is made of: its state, its rules, and its ways to the outside. */
export interface WorldParts<Ports> {
  /** What it begins with; an image may serve many worlds. */
  readonly image: WorldImage;
  readonly ports: Ports;
  readonly reactions: Readonly<Record<string, Reaction<Ports>>>;
  readonly effects: Readonly<Record<string, EffectRunner>>;
  /** Keeps a commit, durably, before anything of it is seen outside. */
  readonly persist: (commit: Commit) => void;
  readonly journalCapacity: number;
}

/** One world: its turns, one after the other, and what waits between them; a defect ends it. */
export interface World<Ports> {
  readonly seed: number;
  readonly now: Instant;
  readonly clock: ClockState;
  readonly journal: Journal;
  readonly reader: Reader;
  readonly ports: Ports;
  /** Runs one turn, keeps it, then whatever it made due at this instant. */
  turn<R>(cause: Cause, act: (turn: Turn<Ports>) => R): R;
  /** The answer that a later turn gives to this ticket, or the error that ended the world before. */
  awaitReply(replyNumber: number): Promise<unknown>;
  /** Moves time to a later instant at which nothing earlier is due, and runs what is due there. */
  moveTo(instant: Instant): void;
  nextEvent(): DueEvent | undefined;
  queue(): readonly DueEvent[];
  inFlight(): readonly Effect[];
  /** Resolves when no effect is in flight. */
  settled(): Promise<void>;
  /** The defect that ended this world, when one did. */
  readonly defect: Error | undefined;
  /** Ends this world: every later call and every waiting request is refused for this reason. */
  end(reason: Error): void;
  /** Takes up what was in flight when the process ended. */
  recover(): void;
  state(): WorldState;
  /** For another world that goes on from here; nothing may be in flight, since it would end in neither. */
  image(): WorldImage;
}

/** More turns than this at one instant can only be events that schedule each other for ever. */
const MAX_TURNS_PER_INSTANT = 1_000_000;

/** A world that goes on from its image; call `recover` before its first turn when effects were in flight. */
export function createWorld<Ports>(parts: WorldParts<Ports>): World<Ports> {
  const core = createCore(parts);
  const { effectQueue, records, pendingReplies, queue, journal } = core;
  const { seed } = parts.image;
  const commonState = () => ({
    seed,
    turn: core.lastTurn,
    now: core.now,
    clock: core.clock,
    ordinals: Object.fromEntries(core.ordinals),
    inFlight: effectQueue.list(),
  });
  return {
    seed,
    journal,
    ports: parts.ports,
    reader: records.reader,
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
    settled: effectQueue.settled,
    end(reason) {
      core.defect = reason;
      journal.close();
      pendingReplies.resolveAll(reason);
      effectQueue.discardAll();
    },
    recover() {
      for (const effect of effectQueue.list()) deliverResult(core, effect, INTERRUPTED);
    },
    state: () => ({ ...commonState(), records: records.stored(), queue: queue.list() }),
    image: () => ({ ...commonState(), records: records.copy(), queue: queue.unordered() }),
  };
}

/** What a world works with, and what of it changes from turn to turn. */
interface Core<Ports> {
  readonly parts: WorldParts<Ports>;
  readonly turnFactory: TurnFactory<Ports>;
  readonly ordinals: TurnContext<Ports>["ordinals"];
  readonly records: Records;
  readonly queue: EventQueue;
  readonly effectQueue: EffectQueue;
  readonly pendingReplies: PendingReplies;
  readonly journal: Journal;
  now: Instant;
  clock: ClockState;
  lastTurn: number;
  inTurn: boolean;
  draining: boolean;
  defect: Error | undefined;
}

function createCore<Ports>(parts: WorldParts<Ports>): Core<Ports> {
  const { image, ports } = parts;
  const records = image.records.copy();
  const pendingReplies = createPendingReplies();
  const ordinals = new Map(Object.entries(image.ordinals));
  const core: Core<Ports> = {
    parts,
    records,
    pendingReplies,
    queue: createEventQueue(image.queue),
    journal: createJournal(parts.journalCapacity),
    effectQueue: createEffectQueue({
      inFlight: image.inFlight,
      runners: parts.effects,
      deliver: (effect, result) => deliverResult(core, effect, result),
      fail(error) {
        poison(core, error);
        core.effectQueue.discardAll();
      },
    }),
    ordinals,
    turnFactory: createTurnFactory({
      seed: image.seed,
      ports,
      reader: records.reader,
      now: () => core.now,
      queued: () => core.queue.size,
      table: records.table,
      ordinals,
      setClock(next) {
        core.clock = next;
      },
      openPendingReply: pendingReplies.open,
    }),
    now: image.now,
    clock: image.clock,
    lastTurn: image.turn,
    inTurn: false,
    draining: false,
    defect: undefined,
  };
  return core;
}

function runTurn<Ports, R>(
  core: Core<Ports>,
  cause: Cause,
  trigger: TurnTrigger,
  act: (turn: Turn<Ports>) => R,
): R {
  if (core.defect) throw core.defect;
  if (core.inTurn) throw poison(core, new Error(`A turn (${cause.name}) began inside another.`));
  core.inTurn = true;
  const turn = core.turnFactory.open(core.lastTurn + 1, cause);
  try {
    const value = act(turn);
    finish(core, core.turnFactory.close(trigger));
    return value;
  } catch (error) {
    if (!(error instanceof Refusal)) throw poison(core, error);
    noteRefusal(core, core.turnFactory.close(trigger), error);
    throw error;
  } finally {
    core.inTurn = false;
  }
}

function finish<Ports>(core: Core<Ports>, { commit, replies, changed }: TurnOutcome): void {
  if (changed) core.parts.persist(commit);
  core.lastTurn = commit.turn;
  for (const event of commit.scheduled ?? []) core.queue.add(event);
  if (commit.settled !== undefined) core.effectQueue.settle(commit.settled);
  for (const effect of commit.asked ?? []) core.effectQueue.add(effect);
  // Whoever reads of a turn in the journal finds what it has planned in the queue: a clock sets its timer by it.
  core.journal.append(entryOf(commit));
  for (const { ticket: replyNumber, value } of replies) core.pendingReplies.resolve(replyNumber, value);
}

/** Refuse before you write: a request that was refused has left nothing behind. */
function noteRefusal<Ports>(core: Core<Ports>, { commit, changed }: TurnOutcome, refusal: Refusal): void {
  if (changed && commit.cause.type !== "control")
    throw poison(core, new Error(`${commit.cause.name} refused after it had written: ${refusal.message}`));
  core.lastTurn = commit.turn;
  const { status, code, message } = refusal;
  core.journal.append(entryOf(commit, { status, code, message }));
}

/** A broken invariant ends this world: every later call and every waiting request says so. */
function poison<Ports>(core: Core<Ports>, error: unknown): Error {
  core.defect ??= error instanceof Error ? error : new Error(String(error));
  core.journal.close();
  core.pendingReplies.resolveAll(core.defect);
  return core.defect;
}

/** Starts what was asked for and fires what is due, until neither is left at this instant. */
function drain<Ports>(core: Core<Ports>): void {
  if (core.draining) return;
  core.draining = true;
  try {
    for (let turns = 0; core.effectQueue.startNext() || fireNext(core); turns += 1)
      if (turns > MAX_TURNS_PER_INSTANT) throw new Error("Events at one instant never end.");
  } catch (error) {
    throw poison(core, error);
  } finally {
    core.draining = false;
    core.effectQueue.notifyIfIdle();
  }
}

function fireNext<Ports>(core: Core<Ports>): boolean {
  const next = core.queue.peek();
  if (!next || next.at > core.now) return false;
  core.queue.take();
  const { number, kind, ref, data, cause } = next;
  const detail = { scheduled_by: cause };
  react(core, { type: "event", name: kind, ref, detail }, { fired: number }, { kind, ref, data });
  return true;
}

function deliverResult<Ports>(core: Core<Ports>, effect: Effect, result: EffectResult): void {
  const { number, kind, ref, then, data } = effect;
  react(core, { type: "effect", name: kind, ref }, { settled: number }, { kind: then, ref, data, result });
  drain(core);
}

function react<Ports>(core: Core<Ports>, cause: Cause, trigger: TurnTrigger, occurrence: Occurrence): void {
  const reaction = core.parts.reactions[occurrence.kind];
  if (!reaction) throw poison(core, new Error(`Nothing reacts to ${occurrence.kind}.`));
  runTurn(core, cause, trigger, (turn) => reaction(turn, occurrence));
}
