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
  readonly reader: Reader;
  now(): Instant;
  table<T>(kind: Collection<T>): Table<T>;
  readonly ordinals: Map<string, number>;
  setClock(clock: ClockState): void;
  openTicket(number: number): void;
}

/** What a turn takes off the lists: the event it answers, or the effect whose result it takes. */
export interface Taken {
  readonly fired?: number;
  readonly settled?: number;
}

/** What came of a turn: what it wrote, and what is to be done now that it is written. */
export interface Outcome {
  readonly commit: Commit;
  readonly answers: readonly { readonly ticket: number; readonly value: unknown }[];
  /** True when the store has to know of it. */
  readonly changed: boolean;
}

/** Opens a turn on the bench; `close` hands out what it did. */
export function openTurn<Ports>(
  bench: Bench<Ports>,
  number: number,
  cause: Cause,
  taken: Taken,
): { readonly turn: Turn<Ports>; readonly close: () => Outcome } {
  const draft: Draft = {
    head: { turn: number, now: bench.now(), cause },
    put: new Map(),
    removed: new Map(),
    scheduled: [],
    asked: [],
    ordinals: {},
    notes: [],
    answers: [],
    clock: undefined,
  };
  const turn = { ...bench.reader, ...writerOf(bench, draft), ...plannerOf(bench, draft) };
  return { turn, close: () => outcomeOf(draft, taken) };
}

/** What a turn has done so far. */
interface Draft {
  readonly head: Pick<Commit, "turn" | "now" | "cause">;
  readonly put: Map<string, Map<string, Stored>>;
  readonly removed: Map<string, Set<string>>;
  readonly scheduled: DueEvent[];
  readonly asked: Effect[];
  readonly ordinals: Record<string, number>;
  readonly notes: Note[];
  readonly answers: { readonly ticket: number; readonly value: unknown }[];
  clock: ClockState | undefined;
}

type WriterOf<Ports> = Pick<Turn<Ports>, "now" | "ports" | "put" | "remove" | "setClock" | "note">;

function writerOf<Ports>(bench: Bench<Ports>, draft: Draft): WriterOf<Ports> {
  const { put, removed } = draft;
  return {
    now: draft.head.now,
    ports: bench.ports,
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
    setClock(next) {
      draft.clock = next;
      bench.setClock(next);
    },
    note(kind, ref, detail) {
      draft.notes.push({ kind, ref, ...(detail && { detail }) });
    },
  };
}

type PlannerOf<Ports> = Pick<Turn<Ports>, "nextId" | "schedule" | "ask" | "later" | "answer">;

function plannerOf<Ports>(bench: Bench<Ports>, draft: Draft): PlannerOf<Ports> {
  const { head, scheduled, asked, answers } = draft;

  function draw(kind: string): number {
    const ordinal = (bench.ordinals.get(kind) ?? 0) + 1;
    bench.ordinals.set(kind, ordinal);
    draft.ordinals[kind] = ordinal;
    return ordinal;
  }

  return {
    nextId: (kind) => idFor(bench.seed, kind, draw(kind)),
    schedule({ kind, ref, afterMs, data = {} }) {
      const at = head.now + afterMs;
      scheduled.push({ number: draw("event"), at, kind, ref, data, cause: head.cause.name });
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
  };
}

function outcomeOf({ head, answers, ...draft }: Draft, taken: Taken): Outcome {
  const changes = present({
    put: listed(draft.put, (items) => [...items.values()]),
    removed: listed(draft.removed, (keys) => [...keys]),
    scheduled: draft.scheduled.length > 0 ? draft.scheduled : undefined,
    asked: draft.asked.length > 0 ? draft.asked : undefined,
    ordinals: Object.keys(draft.ordinals).length > 0 ? draft.ordinals : undefined,
    clock: draft.clock,
    ...taken,
  });
  // Notes alone change nothing that the store would have to know.
  const changed = Object.keys(changes).length > 0 || head.cause.type === "control";
  const notes = draft.notes.length > 0 ? { notes: draft.notes } : {};
  return { commit: { ...head, ...changes, ...notes }, answers, changed };
}

/** The members that are not undefined: JSON has no other way to leave something out. */
function present<T extends object>(members: { [Key in keyof T]: T[Key] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function listed<Items, Listed>(
  changes: ReadonlyMap<string, Items>,
  list: (items: Items) => Listed,
): Record<string, Listed> | undefined {
  if (changes.size === 0) return undefined;
  return Object.fromEntries([...changes].map(([name, items]) => [name, list(items)]));
}
