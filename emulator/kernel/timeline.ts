import { historyIsReadOnly } from "./as-of.ts";
import type { Commit } from "./commit.ts";
import { createJournal, type Journal, type OlderTurns } from "./journal.ts";
import { createEventQueue, type DueEvent, type EventQueue } from "./queue.ts";

/** How a world moves on: a live world adds turns and fires events, a read-only one does neither. */
export interface Timeline {
  /** Lists the turns of the world, and numbers them. */
  readonly journal: Journal;
  createQueue<Event extends DueEvent>(events: readonly Event[]): EventQueue<Event>;
  /** Does nothing in a live world. In a read-only one it throws, by default a Refusal (409). */
  requireLive(error?: () => Error): void;
}

/** The timeline of a world after its turn `lastTurn`; `olderTurns` are those that the journal begins with. */
export function liveTimeline(journalCapacity: number, lastTurn: number, olderTurns?: OlderTurns): Timeline {
  return {
    journal: createJournal(journalCapacity, lastTurn, olderTurns),
    createQueue: createEventQueue,
    requireLive: () => undefined,
  };
}

/** The parts of a world that a read-only world replaces. */
interface LiveParts {
  readonly timeline: Timeline;
  readonly persist: (commit: Commit) => void;
}

/** Makes a world read-only: its turns can only read, its journal does not grow, and its due events do not fire. */
export function readOnlyParts<Parts extends LiveParts>(parts: Parts): Parts {
  return {
    ...parts,
    persist: refuseChange,
    timeline: {
      journal: { ...parts.timeline.journal, append: () => undefined },
      createQueue: createFixedQueue,
      requireLive(error = historyIsReadOnly) {
        throw error();
      },
    },
  };
}

function createFixedQueue<Event extends DueEvent>(events: readonly Event[]): EventQueue<Event> {
  const ignore = () => undefined;
  return { ...createEventQueue(events), add: ignore, takeDue: ignore, remove: ignore };
}

/** Requests that write are refused before their turn, so a change is a defect of an operation declared as a read. */
function refuseChange({ cause, put, removed, scheduled, clock }: Commit): void {
  if (put || removed || scheduled || clock)
    throw new Error(`${cause.name} changed a read-only world. Operations on the history must only read.`);
}
