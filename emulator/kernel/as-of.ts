import { formatInstant, type Instant, parseInstant } from "./instant.ts";
import { Refusal } from "./refusal.ts";

/** A point in the past of a world: after a turn, or after the last turn at or before an instant. */
export type AsOf = { readonly turn: number } | { readonly instant: Instant };

/** The number of a turn, and the instant that a state of the past is of. */
export interface Point {
  readonly turn: number;
  readonly now: Instant;
}

/** Reads the number of a turn, or an ISO 8601 instant with a zone; refuses anything else (422). */
export function asOf(text: string): AsOf {
  if (/^\d{1,15}$/.test(text)) return { turn: Number(text) };
  // A plus sign in a query arrives as a space.
  const instant = parseInstant(text.trim().replace(" ", "+"));
  if (instant !== undefined) return { instant };
  throw new Refusal(
    422,
    "invalid_as_of",
    `${JSON.stringify(text.slice(0, 100))} is neither the number of a turn nor an instant.`,
    "Give a turn as GET /_emulator/v1/journal numbers it, or an instant such as 2026-01-01T00:00:00Z.",
  );
}

/** As people write it, for messages. */
export function shownAsOf(at: AsOf): string {
  return "turn" in at ? `turn ${at.turn}` : formatInstant(at.instant);
}

/** For a point that the world has not reached yet. */
export function notYet(at: AsOf, { turn, now }: Point): Refusal {
  return new Refusal(
    422,
    "not_yet",
    `The world has not come to ${shownAsOf(at)}: it stands at turn ${turn}, ${formatInstant(now)}.`,
    "Name a turn or an instant that is over.",
  );
}

/** For a point before the history of a world. */
export function beforeHistory(at: AsOf, { turn, now }: Point): Refusal {
  return new Refusal(
    422,
    "before_history",
    `${shownAsOf(at)} is before the history of this world, which begins with turn ${turn}, ${formatInstant(now)}.`,
    "limits.history_turns and limits.history_bytes bound how far back it reaches.",
  );
}

/** For a request to a world of the past that does more than read. */
export function pastIsReadOnly(): Refusal {
  return new Refusal(
    409,
    "past_is_read_only",
    "What a request with X-Emulator-As-Of or as_of asks for can only be read.",
    'POST /_emulator/v1/worlds {"from":…,"at":…} makes a world that goes on from there; leave as_of out for the present.',
  );
}
