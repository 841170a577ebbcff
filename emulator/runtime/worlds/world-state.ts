import type { Configuration } from "../../config/configuration.ts";
import { emptyState, type WorldState } from "../../kernel/commit.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { StoredImage } from "../../storage/world-storage.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";

/** A world at rest, or a snapshot: the source of forks. It is never modified. */
export interface ForkSource extends StoredImage {
  readonly limiter: RateLimiter;
}

/** The state of a world before its first turn. */
export function initialState({ seed, now, clock }: Configuration): WorldState {
  return emptyState(seed, now ?? Date.now(), clock);
}

/** The state with which a stored world continues: a flowing clock continues at the wall-clock time, never backwards. */
export function stateToResume<S extends Pick<WorldState, "turn" | "now">>(
  state: S,
  { clock, now }: Configuration,
): S {
  if (state.turn === 0) return state;
  if (now !== null && now < state.now)
    throw new Refusal(
      422,
      "backwards",
      `--now ${formatInstant(now)} is before the time of the stored data, ${formatInstant(state.now)}. Time only moves forward.`,
      "Leave out --now, or use another --data folder.",
    );
  const wall = clock.mode === "flowing" ? Date.now() : state.now;
  return { ...state, now: Math.max(state.now, now ?? wall) };
}
