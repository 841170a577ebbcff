import type { Point } from "./as-of.ts";
import type { Cause, ClockState, Commit, Effect, Note, StoredRecord } from "./commit.ts";
import { formatInstant, instantMs } from "./instant.ts";

/** One turn as shown to users: its cause and the records it changed, without contents. */
export interface JournalEntry {
  readonly turn: number;
  readonly now: string;
  readonly cause: Cause;
  /** The answer of a turn that refused its request; such a turn changed nothing. */
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
  /** Adds a turn, with the answer of one that refused its request. */
  append(commit: Commit, refused?: JournalEntry["refused"]): void;
  /** Turns after this number, oldest first. */
  since(turn: number): readonly JournalEntry[];
  /** Calls back for every later turn until the returned function is called; `closed` when no more will come. */
  follow(listener: (entry: JournalEntry) => void, closed?: () => void): () => void;
  /** Calls back for every later turn, for what needs no entry of it. */
  watch(listener: (commit: Commit) => void): () => void;
  /** Turns up to this number, oldest first, as another journal can begin with them. */
  upTo(turn: number): readonly JournalTurn[];
  /** The newest turn for which it holds. */
  lastOf(holds: (point: Point) => boolean): Point | undefined;
  /** Gives up what turns up to this number left, beyond their entries. */
  condense(turn: number): void;
  /** Calls back when the world has ended. */
  onClose(closed: () => void): void;
  /** Number of followers that are called when the world has ended. */
  readonly followers: number;
  /** Tells every follower that the world has ended. */
  close(): void;
}

/** A turn of a journal: its commit, which the history holds as well, until it is condensed to an entry. */
export type JournalTurn = Commit | JournalEntry;

/**
 * A journal that retains the newest `capacity` turns. It begins after the turn with the number `lastTurn`, with these
 * turns; followers are called at once, inside `append`.
 */
export function createJournal(
  capacity: number,
  lastTurn: number,
  first: readonly JournalTurn[] = [],
): Journal {
  const ring: JournalTurn[] = first.slice(-capacity);
  let last = lastTurn;
  let start = 0;
  const watchers = new Set<(commit: Commit) => void>();
  const listeners = new Map<(entry: JournalEntry) => void, (() => void) | undefined>();
  const closers: (() => void)[] = [];
  const inOrder = (): readonly JournalTurn[] => [...ring.slice(start), ...ring.slice(0, start)];
  return {
    get lastTurn() {
      return last;
    },
    append(commit, refused) {
      last = commit.turn;
      const kept = refused ? entryOf(commit, refused) : commit;
      if (ring.length < capacity) ring.push(kept);
      else {
        ring[start] = kept;
        start = (start + 1) % capacity;
      }
      for (const watcher of watchers) watcher(commit);
      if (listeners.size === 0) return;
      const entry = asEntry(kept);
      for (const listener of listeners.keys()) listener(entry);
    },
    since: (turn) =>
      inOrder()
        .filter((kept) => kept.turn > turn)
        .map(asEntry),
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    upTo: (turn) => inOrder().filter((kept) => kept.turn <= turn),
    lastOf(holds) {
      const found = inOrder().findLast((kept) => holds(pointOf(kept)));
      return found && pointOf(found);
    },
    condense(turn) {
      // By place: a list of entries would be as long as the journal.
      for (let at = 0; at < ring.length; at += 1) {
        const kept = ring[at] as JournalTurn;
        if (kept.turn <= turn) ring[at] = asEntry(kept);
      }
    },
    follow(listener, closed) {
      listeners.set(listener, closed);
      return () => listeners.delete(listener);
    },
    onClose(closed) {
      closers.push(closed);
    },
    get followers() {
      return [...listeners.values()].filter((closed) => closed !== undefined).length;
    },
    close() {
      for (const closed of [...listeners.values(), ...closers]) closed?.();
    },
  };
}

function asEntry(kept: JournalTurn): JournalEntry {
  return isCommit(kept) ? entryOf(kept) : kept;
}

function isCommit(kept: JournalTurn): kept is Commit {
  return typeof kept.now === "number";
}

function pointOf(kept: JournalTurn): Point {
  return { turn: kept.turn, now: isCommit(kept) ? kept.now : instantMs(kept.now) };
}

/** The journal entry of a commit: `collection/key` for every record, and times as ISO 8601. */
export function entryOf(commit: Commit, refused?: JournalEntry["refused"]): JournalEntry {
  const { turn, now, cause, put, removed, scheduled, effects, clock, notes } = commit;
  const entry: { -readonly [Member in keyof JournalEntry]: JournalEntry[Member] } = {
    turn,
    now: formatInstant(now),
    cause,
  };
  if (refused) entry.refused = refused;
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
