import { type AsOf, notYet, type Point } from "../../kernel/as-of.ts";
import type { Journal } from "../../kernel/journal.ts";
import type { HistorySegment } from "./history-segment.ts";

/** Refuses what the world has not come to (422). */
export function refuseFuture(at: AsOf, present: Point): void {
  const isOver = "turn" in at ? at.turn <= present.turn : at.instant <= present.now;
  if (!isOver) throw notYet(at, present);
}

/** The turn and the instant that are meant; undefined for what is before the first state. */
export function pointOf(
  at: AsOf,
  segments: readonly HistorySegment[],
  journal: Pick<Journal, "lastOf">,
): Point | undefined {
  if ("turn" in at) {
    const { turn } = at;
    const found = lastOf(segments, (point) => point.turn <= turn);
    const known = journal.lastOf((point) => point.turn <= turn);
    return found && { turn, now: known?.turn === turn ? known.now : found.now };
  }
  const { instant } = at;
  const found = lastOf(segments, (point) => point.now <= instant);
  const known = journal.lastOf((point) => point.now <= instant);
  return found && { turn: Math.max(found.turn, known?.turn ?? 0), now: instant };
}

/** The last turn, or beginning of a segment, for which it holds. */
function lastOf(segments: readonly HistorySegment[], holds: (point: Point) => boolean): Point | undefined {
  const segment = segments.findLast(({ after }) => holds(after));
  return segment?.turns.findLast(({ commit }) => holds(commit))?.commit ?? segment?.after;
}
