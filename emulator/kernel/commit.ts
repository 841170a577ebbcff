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
  /** Results of one lane are delivered in the order of the requests. */
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
  /** Flowing at the time of the wall clock itself, which it follows after a restart, too. */
  readonly followsWall?: true;
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
  /** Numbers of events that are no longer needed. */
  readonly unscheduled?: readonly number[];
  /** The number of the event that this turn handled. */
  readonly fired?: number;
  readonly effects?: readonly Effect[];
  /** The number of the effect whose result this turn handled. */
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

/** All of a state but its records. */
type StateWithoutRecords = Omit<WorldState, "records">;

/** A state without its records, to which commits are applied in place. */
export interface Progress {
  apply(commit: Commit): void;
  state(): StateWithoutRecords;
}

/** The state after these commits; commits that the state already contains are skipped. */
export function applyCommits(state: WorldState, commits: Iterable<Commit>): WorldState {
  const tables = new Map(Object.entries(state.records).map(([name, items]) => [name, byKey(items)]));
  const progress = progressFrom(state);
  let { turn } = state;
  for (const commit of commits) {
    if (commit.turn <= turn) continue;
    turn = commit.turn;
    progress.apply(commit);
    applyRecords(tables, commit);
  }
  return {
    ...progress.state(),
    records: Object.fromEntries([...tables].map(([name, table]) => [name, [...table.values()]])),
  };
}

/** Starts with a state, which is not modified. */
export function progressFrom(state: StateWithoutRecords): Progress {
  const { seed } = state;
  let { turn, now, clock } = state;
  const ordinals = { ...state.ordinals };
  const queue = new Map(state.queue.map((event) => [event.number, event]));
  const inFlight = new Map(state.inFlight.map((effect) => [effect.number, effect]));
  return {
    apply(commit) {
      ({ turn, now } = commit);
      clock = commit.clock ?? clock;
      Object.assign(ordinals, commit.ordinals);
      for (const event of commit.scheduled ?? []) queue.set(event.number, event);
      for (const effect of commit.effects ?? []) inFlight.set(effect.number, effect);
      for (const number of commit.unscheduled ?? []) queue.delete(number);
      if (commit.fired !== undefined) queue.delete(commit.fired);
      if (commit.settled !== undefined) inFlight.delete(commit.settled);
    },
    state: () => ({
      seed,
      turn,
      now,
      clock,
      ordinals: { ...ordinals },
      queue: [...queue.values()],
      inFlight: [...inFlight.values()],
    }),
  };
}

/** A record that is removed and put again becomes the last of its collection. */
function applyRecords(
  tables: Map<string, Map<string, StoredRecord>>,
  { put = {}, removed = {} }: Commit,
): void {
  for (const name in removed) for (const key of removed[name] ?? []) tables.get(name)?.delete(key);
  for (const name in put) {
    const table = tables.get(name) ?? byKey([]);
    tables.set(name, table);
    for (const item of put[name] ?? []) table.set(item.key, item);
  }
}

function byKey(items: readonly StoredRecord[]): Map<string, StoredRecord> {
  return new Map(items.map((item) => [item.key, item]));
}
