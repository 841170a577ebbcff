import type { Commit } from "../../../kernel/commit.ts";
import { createHistory, type History, type Moment, type Stretch } from "../../../storage/history/history.ts";
import type { WorldStorage } from "../../../storage/world-storage.ts";
import type { RateLimiter } from "../../../subjects/rate-limits/limiter.ts";
import type { World } from "../../../subjects/turn.ts";

/** The past of a world that is in use. */
export interface WorldHistory {
  readonly history: History;
  /** Called after each turn; see `WorldParts`. */
  passed(commit: Commit, isChange: boolean): void;
}

/** Begins the history of a world with what it holds, and with what the world that it goes on from has behind it. */
export function openHistory(
  world: World,
  { rows, bodies, older }: WorldStorage,
  before: readonly Stretch[] | undefined,
): WorldHistory {
  const capture = (): Moment => ({
    image: world.image(),
    rows: rows.mark(),
    limiter: world.ports.limiter.copy(),
  });
  const { history_turns: turns, history_bytes: bytes } = world.ports.settings.limits;
  const history = createHistory({
    bounds: { turns, bytes },
    first: capture(),
    ...(before && { before }),
    older,
    capture,
    release: bodies.remove,
    journal: world.journal,
  });
  let marked = rows.mark();
  return {
    history,
    passed(commit, isChange) {
      const mark = rows.mark();
      if (!isChange && mark === marked) return;
      marked = mark;
      const { turn, now } = commit;
      history.add({ turn, now, commit, rows: mark });
    },
  };
}

/** The same limiter; what changes it can be repeated by the history, with which each call may begin a stretch. */
export function withHistory(
  limiter: RateLimiter,
  past: () => { world: World; history: History },
): RateLimiter {
  function note(repeat: (limiter: RateLimiter) => void): void {
    const { world, history } = past();
    history.count(repeat, { turn: world.lastTurn, now: world.now });
  }

  return {
    ...limiter,
    get storedCount() {
      return limiter.storedCount;
    },
    decide(call, now) {
      const decision = limiter.decide(call, now);
      if (decision) note((copy) => copy.decide(call, now));
      return decision;
    },
    change(row, region, change, now) {
      limiter.change(row, region, change, now);
      note((copy) => copy.change(row, region, change, now));
    },
    clear() {
      limiter.clear();
      note((copy) => copy.clear());
    },
  };
}
