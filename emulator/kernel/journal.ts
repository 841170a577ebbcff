import type { Cause, ClockState, Commit, Effect, Note, StoredRecord } from "./commit.ts";
import { formatInstant } from "./instant.ts";

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
  readonly asked?: readonly { readonly kind: string; readonly ref: string }[];
  readonly clock?: ClockState;
  readonly notes?: readonly Note[];
}

/** The newest turns of a world; older ones are dropped. */
export interface Journal {
  append(entry: JournalEntry): void;
  /** Turns after this number, oldest first. */
  since(turn: number): readonly JournalEntry[];
  /** Calls back for every later turn until the returned function is called; `closed` when no more will come. */
  follow(listener: (entry: JournalEntry) => void, closed?: () => void): () => void;
  /** Calls back when the world has ended. */
  onClose(closed: () => void): void;
  /** Number of followers that are called when the world has ended. */
  readonly followers: number;
  /** Tells every follower that the world has ended. */
  close(): void;
}

/**
 * A journal that keeps the newest `capacity` turns, and begins with these; followers are called at once, inside
 * `append`.
 */
export function createJournal(capacity: number, first: readonly JournalEntry[] = []): Journal {
  const ring: JournalEntry[] = first.slice(-capacity);
  let start = 0;
  const listeners = new Map<(entry: JournalEntry) => void, (() => void) | undefined>();
  const closers: (() => void)[] = [];
  return {
    append(entry) {
      if (ring.length < capacity) ring.push(entry);
      else {
        ring[start] = entry;
        start = (start + 1) % capacity;
      }
      for (const listener of listeners.keys()) listener(entry);
    },
    since: (turn) => [...ring.slice(start), ...ring.slice(0, start)].filter((entry) => entry.turn > turn),
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

/** The journal entry of a commit: `collection/key` for every record, and times as ISO 8601. */
export function entryOf(commit: Commit, refused?: JournalEntry["refused"]): JournalEntry {
  const { turn, now, cause, put, removed, scheduled, asked, clock, notes } = commit;
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
  if (asked) entry.asked = asked.map(({ kind, ref }: Effect) => ({ kind, ref }));
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
