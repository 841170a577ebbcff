import type { Cause, ClockState, Commit, Effect, WorldState } from "./commit.ts";
import type { Instant } from "./instant.ts";
import { createJournal, entryOf, type Journal } from "./journal.ts";
import { createEventQueue, type DueEvent } from "./queue.ts";
import { Refusal } from "./refusal.ts";
import { type Collection, createTable, type Table } from "./table.ts";
import { type Bench, openTurn, type Outcome, type Reader, type Turn } from "./turn.ts";

/** An event that fired, or the result of an effect. */
export interface Occurrence {
  readonly kind: string;
  readonly ref: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** What the effect came to; absent for an event. */
  readonly result?: EffectResult;
}

/** JSON; only whoever asked knows its shape. */
export type EffectResult = object;

/** The result of an effect that was in flight when the process ended. */
export const INTERRUPTED = { failure: "interrupted", message: "the emulator was restarted" } as const;

export type Reaction<Ports> = (turn: Turn<Ports>, occurrence: Occurrence) => void;

/** Carries out an effect; a trouble of the outside world is a result, never a rejection. */
export type EffectRunner = (effect: Effect) => Promise<EffectResult>;

export interface WorldParts<Ports> {
  readonly state: WorldState;
  readonly ports: Ports;
  readonly collections: readonly Collection<never>[];
  readonly reactions: Readonly<Record<string, Reaction<Ports>>>;
  readonly effects: Readonly<Record<string, EffectRunner>>;
  /** Keeps a commit, durably, before anything of it is seen outside. */
  readonly keep: (commit: Commit) => void;
  readonly journalCapacity: number;
}

export interface World<Ports> {
  readonly seed: number;
  readonly now: Instant;
  readonly clock: ClockState;
  readonly journal: Journal;
  readonly reader: Reader;
  readonly ports: Ports;
  /** Runs one turn, keeps it, then whatever it made due at this instant. */
  turn<R>(cause: Cause, act: (turn: Turn<Ports>) => R): R;
  /** The answer that a later turn gives to this ticket. */
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
  end(reason: Refusal): void;
  /** Takes up what was in flight when the process ended. */
  recover(): void;
  state(): WorldState;
}

/** More turns than this at one instant can only be events that schedule each other for ever. */
const MAX_TURNS_PER_INSTANT = 1_000_000;

interface Lane {
  readonly waiting: { readonly effect: Effect; result?: EffectResult }[];
}

export function createWorld<Ports>(parts: WorldParts<Ports>): World<Ports> {
  const { state, ports, reactions, effects } = parts;
  const tables = new Map(parts.collections.map((kind) => [kind.name, createTable(kind)]));
  for (const [name, items] of Object.entries(state.records))
    for (const { record } of items) tables.get(name)?.put(record as never);
  const queue = createEventQueue(state.queue);
  const inFlight = new Map<number, Effect>(state.inFlight.map((effect) => [effect.number, effect]));
  const lanes = new Map<string, Lane>();
  const tickets = new Map<number, { promise: Promise<unknown>; resolve: (value: unknown) => void }>();
  const journal = createJournal(parts.journalCapacity);
  const toStart: Effect[] = [];
  let { now, turn: lastTurn, clock } = state;
  let draining = false;
  let turning = false;
  let defect: Error | undefined;
  let idle: { promise: Promise<void>; resolve: () => void } | undefined;

  const bench: Bench<Ports> = {
    seed: state.seed,
    ports,
    now: () => now,
    table,
    ordinals: new Map(Object.entries(state.ordinals)),
    setClock(next) {
      clock = next;
    },
    openTicket(number) {
      tickets.set(number, withResolvers());
    },
  };

  function table<T>(kind: Collection<T>): Table<T> {
    const found = tables.get(kind.name);
    if (!found) throw new Error(`The collection ${kind.name} is not part of this world.`);
    return found as unknown as Table<T>;
  }

  function runTurn<R>(
    cause: Cause,
    taken: { fired?: number; settled?: number },
    act: (turn: Turn<Ports>) => R,
  ): R {
    if (defect) throw defect;
    if (turning) throw poison(new Error(`A turn (${cause.name}) began inside another.`));
    turning = true;
    const open = openTurn(bench, lastTurn + 1, cause, taken);
    try {
      const value = act(open.turn);
      finish(open.close());
      return value;
    } catch (error) {
      if (!(error instanceof Refusal)) throw poison(error);
      const outcome = open.close();
      if (outcome.changed && cause.type !== "control")
        throw poison(new Error(`${cause.name} refused after it had written: ${error.message}`));
      lastTurn += 1;
      const { status, code, message } = error;
      journal.append(entryOf(outcome.commit, { status, code, message }));
      throw error;
    } finally {
      turning = false;
    }
  }

  function finish({ commit, answers, changed }: Outcome): void {
    if (changed) parts.keep(commit);
    lastTurn = commit.turn;
    journal.append(entryOf(commit));
    for (const event of commit.scheduled ?? []) queue.add(event);
    if (commit.settled !== undefined) inFlight.delete(commit.settled);
    for (const effect of commit.asked ?? []) {
      inFlight.set(effect.number, effect);
      toStart.push(effect);
    }
    for (const { ticket, value } of answers) {
      tickets.get(ticket)?.resolve(value);
    }
  }

  function poison(error: unknown): Error {
    defect ??= error instanceof Error ? error : new Error(String(error));
    return defect;
  }

  /** Starts what was asked for and fires what is due, until neither is left at this instant. */
  function drain(): void {
    if (draining) return;
    draining = true;
    try {
      for (let turns = 0; ; turns += 1) {
        if (turns > MAX_TURNS_PER_INSTANT) throw poison(new Error("Events at one instant never end."));
        const effect = toStart.shift();
        if (effect) start(effect);
        else if ((queue.peek()?.at ?? Number.POSITIVE_INFINITY) <= now) fire();
        else return;
      }
    } finally {
      draining = false;
      if (inFlight.size === 0) {
        idle?.resolve();
        idle = undefined;
      }
    }
  }

  function fire(): void {
    const { number, kind, ref, data, cause } = queue.take() as DueEvent;
    const detail = { scheduled_by: cause };
    react({ type: "event", name: kind, ref, detail }, { fired: number }, { kind, ref, data });
  }

  function react(cause: Cause, taken: { fired?: number; settled?: number }, occurrence: Occurrence): void {
    const reaction = reactions[occurrence.kind];
    if (!reaction) throw poison(new Error(`Nothing reacts to ${occurrence.kind}.`));
    runTurn(cause, taken, (turn) => reaction(turn, occurrence));
  }

  function start(effect: Effect): void {
    const entry: Lane["waiting"][number] = { effect };
    const lane = lanes.get(effect.lane) ?? { waiting: [] };
    lanes.set(effect.lane, lane);
    lane.waiting.push(entry);
    const runner = effects[effect.kind];
    if (!runner) throw poison(new Error(`Nothing carries out ${effect.kind}.`));
    runner(effect).then(
      (result) => {
        entry.result = result;
        deliver(effect.lane, lane);
      },
      (error) => {
        poison(error);
        abandonEffects();
      },
    );
  }

  function abandonEffects(): void {
    inFlight.clear();
    idle?.resolve();
    idle = undefined;
  }

  /** Hands out results in the order asked for; one that is early waits for those before it. */
  function deliver(name: string, lane: Lane): void {
    for (let head = lane.waiting[0]; head?.result && !defect; head = lane.waiting[0]) {
      lane.waiting.shift();
      if (lane.waiting.length === 0) lanes.delete(name);
      takeResult(head.effect, head.result);
      drain();
    }
  }

  function takeResult({ number, kind, ref, then, data }: Effect, result: EffectResult): void {
    react({ type: "effect", name: kind, ref }, { settled: number }, { kind: then, ref, data, result });
  }

  return {
    seed: state.seed,
    journal,
    ports,
    get now() {
      return now;
    },
    get clock() {
      return clock;
    },
    get defect() {
      return defect;
    },
    reader: {
      get: (kind, id) => table(kind).get(id),
      list: (kind, group) => table(kind).list(group),
      count: (kind, group) => table(kind).count(group),
      all: (kind) => table(kind).values(),
    },
    turn(cause, act) {
      const value = runTurn(cause, {}, act);
      drain();
      return value;
    },
    async answerTo(ticket) {
      const answer = await tickets.get(ticket)?.promise;
      tickets.delete(ticket);
      return answer;
    },
    moveTo(instant) {
      now = Math.max(now, instant);
      drain();
    },
    nextEvent: () => queue.peek(),
    queue: () => queue.list(),
    inFlight: () => [...inFlight.values()],
    settled() {
      if (inFlight.size === 0) return Promise.resolve();
      idle ??= withResolvers<void>();
      return idle.promise;
    },
    end(reason) {
      defect = reason;
      for (const { resolve } of tickets.values()) resolve(reason);
      tickets.clear();
      abandonEffects();
    },
    recover() {
      for (const effect of [...inFlight.values()]) takeResult(effect, INTERRUPTED);
      drain();
    },
    state: () => ({
      seed: state.seed,
      turn: lastTurn,
      now,
      clock,
      ordinals: Object.fromEntries(bench.ordinals),
      records: Object.fromEntries(
        parts.collections.map((kind) => [
          kind.name,
          [...table(kind).values()].map((record) => ({ key: kind.idOf(record), record })),
        ]),
      ),
      queue: queue.list(),
      inFlight: [...inFlight.values()],
    }),
  };
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
