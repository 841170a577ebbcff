import type { Point } from "./as-of.ts";
import type { Cause, ClockState, Commit, Effect, Note, StoredRecord } from "./commit.ts";
import { formatInstant, instantMs } from "./instant.ts";

/** One turn in the control API: its cause and the names of the records it changed. */
export interface JournalEntry {
  readonly turn: number;
  readonly now: string;
  readonly cause: Cause;
  /** The error of a turn that refused its request; such a turn changed nothing. */
  readonly refused?: { readonly status: number; readonly code: string; readonly message: string };
  readonly put?: readonly string[];
  readonly removed?: readonly string[];
  readonly scheduled?: readonly { readonly at: string; readonly kind: string; readonly ref: string }[];
  readonly effects?: readonly { readonly kind: string; readonly ref: string }[];
  readonly clock?: ClockState;
  readonly notes?: readonly Note[];
}

/** The newest turns of a world; older ones are dropped. */
export interface Journal {
  /** The number of the last turn. */
  readonly lastTurn: number;
  /** Adds a turn, with the error of one that refused its request. */
  append(commit: Commit, refusal?: JournalEntry["refused"]): void;
  /** Turns after this number, oldest first. */
  since(turn: number): readonly JournalEntry[];
  /** Calls back for every later turn until the returned function is called; `onEnd` when the world has ended. */
  follow(listener: (entry: JournalEntry) => void, onEnd?: () => void): () => void;
  /** Calls back with the commit of every later turn, which is cheaper than an entry. */
  watch(listener: (commit: Commit) => void): () => void;
  /** Turns up to this number, oldest first, for another journal to begin with. Turns of earlier processes are not among them. */
  upTo(turn: number): readonly JournalTurn[];
  /** The newest turn whose point matches. */
  lastOf(matches: (point: Point) => boolean): Point | undefined;
  /** Reduces turns up to this number to their entries, which frees their commits. */
  condense(turn: number): void;
  /** Calls back when the world has ended. */
  onClose(onEnd: () => void): void;
  /** The number of followers with an `onEnd` callback. */
  readonly followers: number;
  /** Notifies every follower that the world has ended. */
  close(): void;
}

/** A turn of a journal: its commit, which the history holds as well, until it is condensed to an entry. */
export type JournalTurn = Commit | JournalEntry;

/** The turns that a journal begins with, or a function that reads them when they are needed. */
export type OlderTurns = readonly JournalTurn[] | (() => readonly JournalTurn[]);

/**
 * A journal that retains the newest `capacity` turns. It begins after the turn with the number `lastTurn`, with older turns;
 * followers are called at once, inside `append`.
 */
export function createJournal(capacity: number, lastTurn: number, olderTurns: OlderTurns = []): Journal {
  const turns = createRing(capacity, typeof olderTurns === "function" ? [] : olderTurns);
  let last = lastTurn;

  /** Those that are not in the ring, as far as it has room. */
  function olderThan(own: readonly JournalTurn[]): readonly JournalTurn[] {
    const room = capacity - own.length;
    return typeof olderTurns === "function" && room > 0 ? olderTurns().slice(-room) : [];
  }

  const watchers = new Set<(commit: Commit) => void>();
  const listeners = new Map<(entry: JournalEntry) => void, (() => void) | undefined>();
  const closeListeners: (() => void)[] = [];
  return {
    get lastTurn() {
      return last;
    },
    append(commit, refusal) {
      last = commit.turn;
      const turn = refusal ? entryOf(commit, refusal) : commit;
      turns.add(turn);
      for (const watcher of watchers) watcher(commit);
      if (listeners.size === 0) return;
      const entry = asEntry(turn);
      for (const listener of listeners.keys()) listener(entry);
    },
    since(number) {
      const own = turns.inOrder();
      const all = number < lastTurn ? [...olderThan(own), ...own] : own;
      return all.filter(({ turn }) => turn > number).map(asEntry);
    },
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    upTo: (number) => turns.inOrder().filter(({ turn }) => turn <= number),
    lastOf(matches) {
      const turn = turns.inOrder().findLast((each) => matches(pointOf(each)));
      return turn && pointOf(turn);
    },
    condense: (number) => turns.replace((each) => (each.turn <= number ? asEntry(each) : each)),
    follow(listener, onEnd) {
      listeners.set(listener, onEnd);
      return () => listeners.delete(listener);
    },
    onClose: (onEnd) => void closeListeners.push(onEnd),
    get followers() {
      return [...listeners.values()].filter((onEnd) => onEnd !== undefined).length;
    },
    close() {
      for (const onEnd of [...listeners.values(), ...closeListeners]) onEnd?.();
    },
  };
}

/** The newest turns; adding one to a full ring drops the oldest. */
function createRing(capacity: number, first: readonly JournalTurn[]) {
  const ring = first.slice(-capacity);
  let start = 0;
  return {
    add(turn: JournalTurn): void {
      if (ring.length < capacity) return void ring.push(turn);
      ring[start] = turn;
      start = (start + 1) % capacity;
    },
    inOrder: (): readonly JournalTurn[] => [...ring.slice(start), ...ring.slice(0, start)],
    /** Replaces in place: a new list would be as long as the journal. */
    replace(change: (turn: JournalTurn) => JournalTurn): void {
      for (let index = 0; index < ring.length; index += 1) ring[index] = change(ring[index] as JournalTurn);
    },
  };
}

function asEntry(turn: JournalTurn): JournalEntry {
  return isCommit(turn) ? entryOf(turn) : turn;
}

function isCommit(turn: JournalTurn): turn is Commit {
  return typeof turn.now === "number";
}

function pointOf(turn: JournalTurn): Point {
  return { turn: turn.turn, now: isCommit(turn) ? turn.now : instantMs(turn.now) };
}

/** The journal entry of a commit: `collection/key` for every record, and times as ISO 8601. */
export function entryOf(commit: Commit, refusal?: JournalEntry["refused"]): JournalEntry {
  const { turn, now, cause, put, removed, scheduled, effects, clock, notes } = commit;
  const entry: { -readonly [Member in keyof JournalEntry]: JournalEntry[Member] } = {
    turn,
    now: formatInstant(now),
    cause,
  };
  if (refusal) entry.refused = refusal;
  if (put) entry.put = namesOf(put);
  if (removed) entry.removed = namesOf(removed);
  if (scheduled)
    entry.scheduled = scheduled.map(({ at, kind, ref }) => ({ at: formatInstant(at), kind, ref }));
  if (effects) entry.effects = effects.map(({ kind, ref }: Effect) => ({ kind, ref }));
  if (clock) entry.clock = clock;
  if (notes) entry.notes = notes;
  return entry;
}

function namesOf(changes: Readonly<Record<string, readonly (string | StoredRecord)[]>>): readonly string[] {
  const names: string[] = [];
  for (const name in changes)
    for (const item of changes[name] ?? [])
      names.push(`${name}/${typeof item === "string" ? item : item.key}`);
  return names;
}
