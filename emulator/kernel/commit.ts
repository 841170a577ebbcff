import type { Instant } from "./instant.ts";
import type { DueEvent } from "./queue.ts";

/** Why a turn took place. */
export interface Cause {
  readonly type: "request" | "event" | "effect" | "control" | "object_storage" | "start";
  /** For example `createBulkExport`, `export_run.step`, `PutObject`. */
  readonly name: string;
  /** The subject: an id or a path. */
  readonly ref?: string;
  /** Facts for the reader of the journal; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** An effect requested by a turn and run outside of it. */
export interface Effect {
  readonly number: number;
  readonly kind: string;
  readonly ref: string;
  /** Results of one lane come back in the order asked for. */
  readonly lane: string;
  /** JSON; the input of an effect of this kind. */
  readonly data: object;
}

/** A line that a turn leaves for the reader of the journal; it changes no record, and holds no secret. */
export interface Note {
  readonly kind: string;
  readonly ref: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** How virtual time passes: with the wall clock (flowing), or only on request (frozen). */
export interface ClockState {
  readonly mode: "flowing" | "frozen";
  /** Virtual seconds per second of the wall clock. */
  readonly rate: number;
}

/** A record with its key. */
export interface StoredRecord {
  readonly key: string;
  readonly record: unknown;
}

/** All changes of one turn: one line of the store's journal. Applying commits in order rebuilds the world. */
export interface Commit {
  readonly turn: number;
  readonly now: Instant;
  readonly cause: Cause;
  readonly put?: Readonly<Record<string, readonly StoredRecord[]>>;
  readonly removed?: Readonly<Record<string, readonly string[]>>;
  readonly scheduled?: readonly DueEvent[];
  /** Numbers of events that nothing needs any more. */
  readonly unscheduled?: readonly number[];
  /** The number of the event that this turn answered. */
  readonly fired?: number;
  readonly asked?: readonly Effect[];
  /** The number of the effect whose result this turn took. */
  readonly settled?: number;
  readonly ordinals?: Readonly<Record<string, number>>;
  readonly clock?: ClockState;
  readonly notes?: readonly Note[];
}

/** A world as plain data; records in the order in which they were first put. */
export interface WorldState {
  readonly seed: number;
  readonly turn: number;
  readonly now: Instant;
  readonly clock: ClockState;
  readonly ordinals: Readonly<Record<string, number>>;
  readonly records: Readonly<Record<string, readonly StoredRecord[]>>;
  readonly queue: readonly DueEvent[];
  readonly inFlight: readonly Effect[];
}

/** Initial values of a world that differ from the defaults. */
export interface InitialSettings {
  readonly seed?: number;
  readonly now?: Instant;
  readonly clock?: ClockState;
}

/** The state of a world before its first turn. */
export function emptyState(seed: number, now: Instant, clock: ClockState): WorldState {
  return { seed, turn: 0, now, clock, ordinals: {}, records: {}, queue: [], inFlight: [] };
}

/** Records to which commits are applied. */
export interface MutableRecords {
  put(collection: string, item: StoredRecord): void;
  remove(collection: string, key: string): void;
}

/** All of a state but its records. */
type StateWithoutRecords = Omit<WorldState, "records">;

/** A mutable state to which commits are applied efficiently. */
interface MutableState {
  turn: number;
  now: Instant;
  clock: ClockState;
  readonly ordinals: Record<string, number>;
  readonly records: MutableRecords;
  readonly queue: Map<number, DueEvent>;
  readonly inFlight: Map<number, Effect>;
}

/** The state after these commits; those that the state already contains are passed over. */
export function applyCommits(state: WorldState, commits: Iterable<Commit>): WorldState {
  const tables = new Map(Object.entries(state.records).map(([name, items]) => [name, byKey(items)]));
  const records: MutableRecords = {
    put(name, item) {
      const table = tables.get(name) ?? byKey([]);
      tables.set(name, table.set(item.key, item));
    },
    remove: (name, key) => void tables.get(name)?.delete(key),
  };
  const rest = commitTo(records, state, commits);
  return {
    ...rest,
    records: Object.fromEntries([...tables].map(([name, table]) => [name, [...table.values()]])),
  };
}

/** Applies commits to the records, and answers what the rest of the state is then. */
export function commitTo(
  records: MutableRecords,
  state: StateWithoutRecords,
  commits: Iterable<Commit>,
): StateWithoutRecords {
  const mutable: MutableState = {
    turn: state.turn,
    now: state.now,
    clock: state.clock,
    ordinals: { ...state.ordinals },
    records,
    queue: new Map(state.queue.map((event) => [event.number, event])),
    inFlight: new Map(state.inFlight.map((effect) => [effect.number, effect])),
  };
  for (const commit of commits) if (commit.turn > mutable.turn) apply(mutable, commit);
  const { turn, now, clock, ordinals, queue, inFlight } = mutable;
  const { seed } = state;
  return { seed, turn, now, clock, ordinals, queue: [...queue.values()], inFlight: [...inFlight.values()] };
}

function apply(mutable: MutableState, commit: Commit): void {
  mutable.turn = commit.turn;
  mutable.now = commit.now;
  mutable.clock = commit.clock ?? mutable.clock;
  Object.assign(mutable.ordinals, commit.ordinals);
  applyRecords(mutable.records, commit);
  for (const event of commit.scheduled ?? []) mutable.queue.set(event.number, event);
  for (const effect of commit.asked ?? []) mutable.inFlight.set(effect.number, effect);
  for (const number of commit.unscheduled ?? []) mutable.queue.delete(number);
  if (commit.fired !== undefined) mutable.queue.delete(commit.fired);
  if (commit.settled !== undefined) mutable.inFlight.delete(commit.settled);
}

/** What a turn removed and put again comes last in the order of its collection. */
function applyRecords(records: MutableRecords, { put = {}, removed = {} }: Commit): void {
  for (const name in removed) for (const key of removed[name] ?? []) records.remove(name, key);
  for (const name in put) for (const item of put[name] ?? []) records.put(name, item);
}

function byKey(items: readonly StoredRecord[]): Map<string, StoredRecord> {
  return new Map(items.map((item) => [item.key, item]));
}
