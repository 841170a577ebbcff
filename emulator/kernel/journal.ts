import type { Point } from "./as-of.ts";
import type { Cause, ClockState, Commit, Effect, Note, StoredRecord } from "./commit.ts";
import { firstIndex } from "./first-index.ts";
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
  /** The number of turns that it retains. */
  size(): number;
  /** Turns after this number, oldest first. */
  since(turn: number): readonly JournalEntry[];
  /** The retained turns from a position (0 is the oldest) to the one before `end`, oldest first. */
  slice(begin: number, end: number): readonly JournalEntry[];
  /** The position of the first turn with this number or a later one; the size if there is none. */
  positionOf(turn: number): number;
  /** Calls back for every later turn until the returned function is called; `onEnd` when the world has ended. */
  follow(listener: (entry: JournalEntry) => void, onEnd?: () => void): () => void;
  /** Calls back with the commit of every later turn, which is cheaper than an entry; `onEnd` when the world has ended. */
  watch(listener: (commit: Commit) => void, onEnd?: () => void): () => void;
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
  /** The turns of earlier processes are read when they are first needed. */
  let readOlder = typeof olderTurns === "function" ? olderTurns : undefined;
  /** Of those, the last one. */
  const olderTurn = readOlder ? lastTurn : 0;
  let last = lastTurn;

  function allTurns() {
    if (readOlder) turns.prepend(readOlder());
    readOlder = undefined;
    return turns;
  }

  const turnsFrom = (number: number) => (number > olderTurn ? turns : allTurns());

  type OnEnd = (() => void) | undefined;
  const watchers = new Map<(commit: Commit) => void, OnEnd>();
  const listeners = new Map<(entry: JournalEntry) => void, OnEnd>();
  const closeListeners: (() => void)[] = [];
  const ends = () => [...listeners.values(), ...watchers.values()].filter((onEnd) => onEnd !== undefined);
  return {
    get lastTurn() {
      return last;
    },
    size: () => allTurns().size(),
    append(commit, refusal) {
      last = commit.turn;
      const turn = refusal ? entryOf(commit, refusal) : commit;
      turns.add(turn);
      for (const watcher of watchers.keys()) watcher(commit);
      if (listeners.size === 0) return;
      const entry = asEntry(turn);
      for (const listener of listeners.keys()) listener(entry);
    },
    since(number) {
      const list = turnsFrom(number + 1);
      return list.slice(list.positionOf(number + 1), list.size()).map(asEntry);
    },
    slice: (begin, end) => allTurns().slice(begin, end).map(asEntry),
    positionOf: (number) => allTurns().positionOf(number),
    watch(listener, onEnd) {
      watchers.set(listener, onEnd);
      return () => watchers.delete(listener);
    },
    upTo: (number) => turns.inOrder().filter(({ turn }) => turn <= number && turn > olderTurn),
    lastOf(matches) {
      const turn = turns.findLast((each) => matches(pointOf(each)));
      return turn && pointOf(turn);
    },
    condense: (number) => turns.replace((each) => (each.turn <= number ? asEntry(each) : each)),
    follow(listener, onEnd) {
      listeners.set(listener, onEnd);
      return () => listeners.delete(listener);
    },
    onClose: (onEnd) => void closeListeners.push(onEnd),
    get followers() {
      return ends().length;
    },
    close() {
      for (const onEnd of [...ends(), ...closeListeners]) onEnd();
    },
  };
}

/** The newest turns; adding one to a full ring drops the oldest. */
function createRing(capacity: number, first: readonly JournalTurn[]) {
  let ring = first.slice(-capacity);
  let start = 0;
  return {
    size: () => ring.length,
    /** The position of the first turn with this number or a later one. */
    positionOf(number: number): number {
      const turnAt = (position: number) => (ring[(start + position) % ring.length] as JournalTurn).turn;
      return firstIndex(ring.length, (position) => turnAt(position) >= number);
    },
    add(turn: JournalTurn): void {
      if (ring.length < capacity) return void ring.push(turn);
      ring[start] = turn;
      start = (start + 1) % capacity;
    },
    /** Adds older turns, as far as there is room. */
    prepend(older: readonly JournalTurn[]): void {
      const room = capacity - ring.length;
      if (room > 0) ring = [...older.slice(-room), ...ring];
    },
    findLast(matches: (turn: JournalTurn) => boolean): JournalTurn | undefined {
      const { length } = ring;
      for (let position = length - 1; position >= 0; position -= 1) {
        const turn = ring[(start + position) % length] as JournalTurn;
        if (matches(turn)) return turn;
      }
      return undefined;
    },
    inOrder: (): readonly JournalTurn[] => [...ring.slice(start), ...ring.slice(0, start)],
    slice(begin: number, end: number): readonly JournalTurn[] {
      const [from, to] = [start + begin, start + Math.min(end, ring.length)];
      const wrapped = to > ring.length ? ring.slice(Math.max(0, from - ring.length), to - ring.length) : [];
      return [...ring.slice(from, to), ...wrapped];
    },
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
