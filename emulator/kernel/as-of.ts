import { formatInstant, type Instant, parseInstant, timeProblem } from "./instant.ts";
import { Refusal } from "./refusal.ts";

/** A point in the history of a world: after a turn, or after the last turn at or before an instant. */
export type AsOf = { readonly turn: number } | { readonly instant: Instant };

/** The number of a turn, and the instant of the state after it. */
export interface Point {
  readonly turn: number;
  readonly now: Instant;
}

/** Reads the number of a turn, or an ISO 8601 instant with a zone; refuses anything else (422). */
export function asOf(text: string): AsOf {
  if (/^\d{1,15}$/.test(text)) return { turn: Number(text) };
  // A plus sign in a query arrives as a space.
  const time = text.trim().replace(" ", "+");
  const instant = parseInstant(time);
  if (instant !== undefined) return { instant };
  throw new Refusal(
    422,
    "invalid_as_of",
    `${JSON.stringify(text.slice(0, 100))} is not a turn number, and it ${timeProblem(time, "an ISO 8601 time with a zone")}.`,
    "Give a turn number from GET /_emulator/v1/journal, or a time such as 2026-01-01T00:00:00Z.",
  );
}

/** The point as text for messages. */
export function formatAsOf(at: AsOf): string {
  return "turn" in at ? `turn ${at.turn}` : formatInstant(at.instant);
}

/** Refuses a point that the world has not reached yet. */
export function notYet(at: AsOf, { turn, now }: Point): Refusal {
  return new Refusal(
    422,
    "not_yet",
    `${formatAsOf(at)} is in the future: the world is at turn ${turn}, ${formatInstant(now)}.`,
    "Give a turn or a time that is not in the future.",
  );
}

/** Refuses a point before the history of a world. */
export function beforeHistory(at: AsOf, { turn, now }: Point): Refusal {
  return new Refusal(
    422,
    "before_history",
    `${formatAsOf(at)} is before the history of this world, which starts at turn ${turn}, ${formatInstant(now)}.`,
    "Give a later turn or time. To retain more history, raise limits.history_turns and limits.history_bytes.",
  );
}

export const HISTORY_IS_READ_ONLY =
  "A request with X-Emulator-As-Of or as_of can only read: history is read-only.";

/** Refuses a request to the history of a world that does more than read. */
export function historyIsReadOnly(): Refusal {
  return new Refusal(
    409,
    "history_is_read_only",
    HISTORY_IS_READ_ONLY,
    'Fork that state with POST /_emulator/v1/worlds {"from":…,"at":…}, or leave as_of out to use the present.',
  );
}
