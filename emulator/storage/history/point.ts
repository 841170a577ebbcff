import { type AsOf, notYet, type Point } from "../../kernel/as-of.ts";
import { formatInstant, instantMs } from "../../kernel/instant.ts";
import type { Journal } from "../../kernel/journal.ts";
import type { Stretch } from "./stretch.ts";

/** Refuses what the world has not come to (422). */
export function refuseFuture(at: AsOf, present: Point): void {
  const isOver = "turn" in at ? at.turn <= present.turn : at.instant <= present.now;
  if (!isOver) throw notYet(at, present);
}

/** The turn and the instant that are meant; undefined for what is before the first state. */
export function pointOf(
  at: AsOf,
  stretches: readonly Stretch[],
  journal: Pick<Journal, "since">,
): Point | undefined {
  if ("turn" in at) {
    const { turn } = at;
    const found = lastOf(stretches, (point) => point.turn <= turn);
    const known = journal.since(turn - 1)[0];
    if (found && known?.turn === turn) return { turn, now: instantMs(known.now) };
    return found && { turn, now: found.now };
  }
  const { instant } = at;
  const found = lastOf(stretches, (point) => point.now <= instant);
  const shown = formatInstant(instant);
  const known = journal.since(0).findLast(({ now }) => now <= shown);
  return found && { turn: Math.max(found.turn, known?.turn ?? 0), now: instant };
}

/** The last turn, or beginning of a stretch, for which it holds. */
function lastOf(stretches: readonly Stretch[], holds: (point: Point) => boolean): Point | undefined {
  const stretch = stretches.findLast(({ after }) => holds(after));
  return stretch?.turns.findLast(({ commit }) => holds(commit))?.commit ?? stretch?.after;
}
