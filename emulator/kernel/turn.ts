import type { Cause, ClockState, Commit, Effect, Note, Stored } from "./commit.ts";
import { idFor } from "./ids.ts";
import type { Instant } from "./instant.ts";
import type { DueEvent } from "./queue.ts";
import type { Collection, PageOf, Table } from "./table.ts";

/** Looks at the records of a world. */
export interface Reader {
  get<T>(kind: Collection<T>, id: string): T | undefined;
  /** Records of a group in the order in which they were first put. */
  list<T>(kind: Collection<T>, group?: string): Iterable<T>;
  count<T>(kind: Collection<T>, group?: string, label?: string): number;
  /** Part of a group of a collection with labels, at a cost that does not grow with the group. */
  page<T>(kind: Collection<T>, wanted: PageOf): readonly T[];
  /** Records of all groups. */
  all<T>(kind: Collection<T>): Iterable<T>;
}

export interface Appointment {
  readonly kind: string;
  readonly ref: string;
  readonly afterMs: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

export type Errand = Omit<Effect, "number">;

/** A place for the answer to a request that has to wait for an effect or an event. */
export interface Ticket {
  readonly [TICKET]: true;
  readonly number: number;
}

const TICKET = Symbol("ticket");

export function isTicket(value: unknown): value is Ticket {
  return typeof value === "object" && value !== null && TICKET in value;
}

/** What one request or one event may do. It runs alone, to its end, at one instant of virtual time. */
export interface Turn<Ports> extends Reader {
  readonly now: Instant;
  readonly ports: Ports;
  put<T>(kind: Collection<T>, record: T): void;
  remove<T>(kind: Collection<T>, id: string): void;
  nextId(kind: string): string;
  /** Makes an event due `afterMs` from now. Nothing is ever cancelled: a stale event is dropped when it fires. */
  schedule(appointment: Appointment): void;
  /** Asks for something outside of the turn; its result comes back as an event of kind `then`. */
  ask(errand: Errand): void;
  /** Takes a ticket that a later turn answers. */
  later(): Ticket;
  answer(ticket: number, value: unknown): void;
  setClock(clock: ClockState): void;
  /** Leaves a line for the reader of the journal. */
  note(kind: string, ref: string, detail?: Note["detail"]): void;
}

/** What a turn works on: the parts of a world that it may change. */
export interface Bench<Ports> {
  readonly seed: number;
  readonly ports: Ports;
  now(): Instant;
  table<T>(kind: Collection<T>): Table<T>;
  ordinals: Map<string, number>;
  setClock(clock: ClockState): void;
  openTicket(number: number): void;
}

/** What came of a turn: what it wrote, and what is to be done now that it is written. */
export interface Outcome {
  readonly commit: Commit;
  readonly answers: readonly { readonly ticket: number; readonly value: unknown }[];
  /** True when the store has to know of it. */
  readonly changed: boolean;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Opens a turn on the bench; `close` hands out what it did. */
export function openTurn<Ports>(
  bench: Bench<Ports>,
  number: number,
  cause: Cause,
  taken: { readonly fired?: number; readonly settled?: number },
): { readonly turn: Turn<Ports>; readonly close: () => Outcome } {
  const put = new Map<string, Map<string, Stored>>();
  const removed = new Map<string, Set<string>>();
  const scheduled: DueEvent[] = [];
  const asked: Effect[] = [];
  const ordinals: Record<string, number> = {};
  const notes: Note[] = [];
  const answers: { ticket: number; value: unknown }[] = [];
  let clock: ClockState | undefined;
  const now = bench.now();

  function draw(kind: string): number {
    const ordinal = (bench.ordinals.get(kind) ?? 0) + 1;
    bench.ordinals.set(kind, ordinal);
    ordinals[kind] = ordinal;
    return ordinal;
  }

  const turn: Turn<Ports> = {
    now,
    ports: bench.ports,
    get: (kind, id) => bench.table(kind).get(id),
    list: (kind, group) => bench.table(kind).list(group),
    count: (kind, group, label) => bench.table(kind).count(group, label),
    page: (kind, wanted) => bench.table(kind).page(wanted),
    all: (kind) => bench.table(kind).values(),
    put(kind, record) {
      const key = kind.idOf(record);
      bench.table(kind).put(record);
      removed.get(kind.name)?.delete(key);
      put.set(kind.name, (put.get(kind.name) ?? new Map<string, Stored>()).set(key, { key, record }));
    },
    remove(kind, id) {
      bench.table(kind).remove(id);
      put.get(kind.name)?.delete(id);
      removed.set(kind.name, (removed.get(kind.name) ?? new Set<string>()).add(id));
    },
    nextId: (kind) => idFor(bench.seed, kind, draw(kind)),
    schedule({ kind, ref, afterMs, data = {} }) {
      scheduled.push({ number: draw("event"), at: now + afterMs, kind, ref, data, cause: cause.name });
    },
    ask(errand) {
      asked.push({ number: draw("effect"), ...errand });
    },
    later() {
      // Drawn, and so kept: after a restart no old answer may find a new request.
      const number = draw("ticket");
      bench.openTicket(number);
      return { [TICKET]: true, number };
    },
    answer(ticket, value) {
      answers.push({ ticket, value });
    },
    setClock(next) {
      clock = next;
      bench.setClock(next);
    },
    note(kind, ref, detail) {
      notes.push({ kind, ref, ...(detail && { detail }) });
    },
  };

  function close(): Outcome {
    const commit: Mutable<Commit> = { turn: number, now, cause };
    if (put.size > 0) commit.put = listed(put, (items) => [...items.values()]);
    if (removed.size > 0) commit.removed = listed(removed, (keys) => [...keys]);
    if (scheduled.length > 0) commit.scheduled = scheduled;
    if (asked.length > 0) commit.asked = asked;
    if (Object.keys(ordinals).length > 0) commit.ordinals = ordinals;
    if (clock) commit.clock = clock;
    if (taken.fired !== undefined) commit.fired = taken.fired;
    if (taken.settled !== undefined) commit.settled = taken.settled;
    // What was there before the notes is what the store has to know; notes alone change nothing.
    const changed = Object.keys(commit).length > 3 || cause.type === "control";
    if (notes.length > 0) commit.notes = notes;
    return { commit, answers, changed };
  }

  return { turn, close };
}

function listed<Items, Listed>(
  changes: ReadonlyMap<string, Items>,
  list: (items: Items) => Listed,
): Record<string, Listed> {
  return Object.fromEntries([...changes].map(([name, items]) => [name, list(items)]));
}
