import type { Cause, ClockState, Commit, Effect, WorldState } from "./commit.ts";
import { createErrands, type EffectResult, type EffectRunner, type Errands } from "./errands.ts";
import type { WorldImage } from "./image.ts";
import type { Instant } from "./instant.ts";
import { createJournal, entryOf, type Journal } from "./journal.ts";
import { createEventQueue, type DueEvent, type EventQueue } from "./queue.ts";
import type { Records } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { createTickets, type Tickets } from "./tickets.ts";
import {
  type Bench,
  createDesk,
  type Desk,
  type Outcome,
  type Reader,
  type Taken,
  type Turn,
} from "./turn.ts";

export type { EffectResult, EffectRunner } from "./errands.ts";

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
  readonly keep: (commit: Commit) => void;
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
  answerTo(ticket: number): Promise<unknown>;
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
  const { errands, records, tickets, queue, journal } = core;
  const { seed } = parts.image;
  const rest = () => ({
    seed,
    turn: core.lastTurn,
    now: core.now,
    clock: core.clock,
    ordinals: Object.fromEntries(core.ordinals),
    inFlight: errands.list(),
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
    answerTo: tickets.answerTo,
    moveTo(instant) {
      core.now = Math.max(core.now, instant);
      drain(core);
    },
    nextEvent: queue.peek,
    queue: queue.list,
    inFlight: errands.list,
    settled: errands.settled,
    end(reason) {
      core.defect = reason;
      journal.close();
      tickets.answerAll(reason);
      errands.abandon();
    },
    recover() {
      for (const effect of errands.list()) takeResult(core, effect, INTERRUPTED);
    },
    state: () => ({ ...rest(), records: records.stored(), queue: queue.list() }),
    image: () => ({ ...rest(), records: records.copy(), queue: queue.held() }),
  };
}

/** What a world works with, and what of it changes from turn to turn. */
interface Core<Ports> {
  readonly parts: WorldParts<Ports>;
  readonly desk: Desk<Ports>;
  readonly ordinals: Bench<Ports>["ordinals"];
  readonly records: Records;
  readonly queue: EventQueue;
  readonly errands: Errands;
  readonly tickets: Tickets;
  readonly journal: Journal;
  now: Instant;
  clock: ClockState;
  lastTurn: number;
  turning: boolean;
  draining: boolean;
  defect: Error | undefined;
}

function createCore<Ports>(parts: WorldParts<Ports>): Core<Ports> {
  const { image, ports } = parts;
  const records = image.records.copy();
  const tickets = createTickets();
  const ordinals = new Map(Object.entries(image.ordinals));
  const core: Core<Ports> = {
    parts,
    records,
    tickets,
    queue: createEventQueue(image.queue),
    journal: createJournal(parts.journalCapacity),
    errands: createErrands({
      inFlight: image.inFlight,
      runners: parts.effects,
      deliver: (effect, result) => takeResult(core, effect, result),
      fail(error) {
        poison(core, error);
        core.errands.abandon();
      },
    }),
    ordinals,
    desk: createDesk({
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
      openTicket: tickets.open,
    }),
    now: image.now,
    clock: image.clock,
    lastTurn: image.turn,
    turning: false,
    draining: false,
    defect: undefined,
  };
  return core;
}

function runTurn<Ports, R>(core: Core<Ports>, cause: Cause, taken: Taken, act: (turn: Turn<Ports>) => R): R {
  if (core.defect) throw core.defect;
  if (core.turning) throw poison(core, new Error(`A turn (${cause.name}) began inside another.`));
  core.turning = true;
  const turn = core.desk.open(core.lastTurn + 1, cause);
  try {
    const value = act(turn);
    finish(core, core.desk.close(taken));
    return value;
  } catch (error) {
    if (!(error instanceof Refusal)) throw poison(core, error);
    noteRefusal(core, core.desk.close(taken), error);
    throw error;
  } finally {
    core.turning = false;
  }
}

function finish<Ports>(core: Core<Ports>, { commit, answers, changed }: Outcome): void {
  if (changed) core.parts.keep(commit);
  core.lastTurn = commit.turn;
  for (const event of commit.scheduled ?? []) core.queue.add(event);
  if (commit.settled !== undefined) core.errands.settle(commit.settled);
  for (const effect of commit.asked ?? []) core.errands.add(effect);
  // Whoever reads of a turn in the journal finds what it has planned in the queue: a clock sets its timer by it.
  core.journal.append(entryOf(commit));
  for (const { ticket, value } of answers) core.tickets.answer(ticket, value);
}

/** Refuse before you write: a request that was refused has left nothing behind. */
function noteRefusal<Ports>(core: Core<Ports>, { commit, changed }: Outcome, refusal: Refusal): void {
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
  core.tickets.answerAll(core.defect);
  return core.defect;
}

/** Starts what was asked for and fires what is due, until neither is left at this instant. */
function drain<Ports>(core: Core<Ports>): void {
  if (core.draining) return;
  core.draining = true;
  try {
    for (let turns = 0; core.errands.startNext() || fireNext(core); turns += 1)
      if (turns > MAX_TURNS_PER_INSTANT) throw new Error("Events at one instant never end.");
  } catch (error) {
    throw poison(core, error);
  } finally {
    core.draining = false;
    core.errands.announce();
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

function takeResult<Ports>(core: Core<Ports>, effect: Effect, result: EffectResult): void {
  const { number, kind, ref, then, data } = effect;
  react(core, { type: "effect", name: kind, ref }, { settled: number }, { kind: then, ref, data, result });
  drain(core);
}

function react<Ports>(core: Core<Ports>, cause: Cause, taken: Taken, occurrence: Occurrence): void {
  const reaction = core.parts.reactions[occurrence.kind];
  if (!reaction) throw poison(core, new Error(`Nothing reacts to ${occurrence.kind}.`));
  runTurn(core, cause, taken, (turn) => reaction(turn, occurrence));
}
