import type { Configuration } from "../../config/configuration.ts";
import { emptyState, type WorldState } from "../../kernel/commit.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { StoredImage } from "../../storage/world-storage.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";

/** A world at rest, or a snapshot: what other worlds are forked from. None of it is ever changed. */
export interface ForkSource extends StoredImage {
  readonly limiter: RateLimiter;
}

/** The state of a world before its first turn. */
export function initialState({ seed, now, clock }: Configuration): WorldState {
  return emptyState(seed, now ?? Date.now(), clock);
}

/** A world that was left goes on: with the wall's time where its clock is to flow, never backwards. */
export function stateToResume<S extends Pick<WorldState, "turn" | "now">>(
  state: S,
  { clock, now }: Configuration,
): S {
  if (state.turn === 0) return state;
  if (now !== null && now < state.now)
    throw new Refusal(
      422,
      "backwards",
      `--now ${formatInstant(now)} is before ${formatInstant(state.now)}, where this data stands; time only moves forward.`,
      "Leave it out, or use another --data folder.",
    );
  const wall = clock.mode === "flowing" ? Date.now() : state.now;
  return { ...state, now: Math.max(state.now, now ?? wall) };
}
