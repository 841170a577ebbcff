import type { Commit } from "../../../kernel/commit.ts";
import type { ReplacedRow } from "../../../kernel/table.ts";
import { type Before, History } from "../../../storage/history/history.ts";
import type { WorldStorage } from "../../../storage/world-storage.ts";
import { type RateLimiter, regionOf } from "../../../subjects/rate-limits/limiter.ts";
import type { World } from "../../../subjects/turn.ts";

/** Opens the history of a world: it begins with the state of the world, or with the history of the world it was forked from. */
export function openHistory(
  world: World,
  { rows, bodies, older, enqueue }: WorldStorage,
  before: Before | undefined,
) {
  const { history_turns: turns, history_bytes: bytes } = world.ports.settings.limits;
  const history = new History({
    bounds: { turns, bytes },
    first: { image: world.image(), rows: rows.mark(), limiter: world.ports.limiter.copy() },
    before,
    older,
    present: () => ({ turn: world.lastTurn, now: world.now }),
    records: () => world.image().records,
    release: bodies.remove,
    journal: world.journal,
  });
  let lastMark = rows.mark();
  return {
    history,
    /** See `WorldParts.afterTurn`. */
    addTurn(commit: Commit, isChange: boolean, replacedRows: readonly ReplacedRow[]): void {
      const mark = rows.mark();
      if (!isChange && mark === lastMark) return;
      // The kernel does not see rows. Without its commit, they would have no turn and no time after a kill.
      if (!isChange) enqueue(commit);
      lastMark = mark;
      history.add({ commit, rows: mark, replaced: replacedRows });
    },
  };
}

/** A limiter that also adds its changes to the history, which repeats them on a copy. */
export function limiterWithHistory(
  limiter: RateLimiter,
  live: () => { world: World; history: History },
): RateLimiter {
  function note(repeat: (limiter: RateLimiter) => void): void {
    const { world, history } = live();
    history.count({ turn: world.lastTurn, now: world.now, repeat });
  }

  return {
    ...limiter,
    get storedCount() {
      return limiter.storedCount;
    },
    decide(call, now) {
      const decision = limiter.decide(call, now);
      if (decision) {
        const { world, history } = live();
        const { row, identity } = decision;
        history.count({ turn: world.lastTurn, now, row, region: regionOf(call.region), identity });
      }
      return decision;
    },
    change(row, region, change, now) {
      limiter.change(row, region, change, now);
      note((copy) => copy.change(row, region, change, now));
    },
    clear(row, region) {
      limiter.clear(row, region);
      note((copy) => copy.clear(row, region));
    },
  };
}
