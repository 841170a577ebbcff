import { type AsOf, notYet, type Point } from "../../kernel/as-of.ts";
import type { Journal } from "../../kernel/journal.ts";
import type { HistorySegment } from "./history-segment.ts";

/** Refuses a turn or an instant that the world has not reached (422). */
export function refuseFuture(at: AsOf, present: Point): void {
  const isReached = "turn" in at ? at.turn <= present.turn : at.instant <= present.now;
  if (!isReached) throw notYet(at, present);
}

/** Resolves a turn or an instant to a point; undefined before the first state. */
export function pointOf(
  at: AsOf,
  segments: readonly HistorySegment[],
  journal: Pick<Journal, "lastOf">,
): Point | undefined {
  if ("turn" in at) {
    const { turn } = at;
    const changed = lastOf(segments, (point) => point.turn <= turn);
    const recorded = journal.lastOf((point) => point.turn <= turn);
    return changed && { turn, now: recorded?.turn === turn ? recorded.now : changed.now };
  }
  const { instant } = at;
  const changed = lastOf(segments, (point) => point.now <= instant);
  const recorded = journal.lastOf((point) => point.now <= instant);
  return changed && { turn: Math.max(changed.turn, recorded?.turn ?? 0), now: instant };
}

/** The last turn, or beginning of a segment, that meets the condition. */
function lastOf(segments: readonly HistorySegment[], holds: (point: Point) => boolean): Point | undefined {
  const segment = segments.findLast(({ after }) => holds(after));
  return segment?.turns.findLast(({ commit }) => holds(commit))?.commit ?? segment?.after;
}
