import type { ClockChoice, Configuration } from "../../config/configuration.ts";
import { type ClockState, emptyState, type WorldState } from "../../kernel/commit.ts";
import { formatInstant, type Instant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { StoredImage } from "../../storage/world-storage.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";

/** A world at rest, or a snapshot: the source of forks. It is never modified. */
export interface ForkSource extends StoredImage {
  readonly limiter: RateLimiter;
  /** The clock of the new world. By default it has that of its source, at the time of its source. */
  readonly clock?: ClockState;
}

const WALL_CLOCK: ClockState = { mode: "flowing", rate: 1, followsWall: true };
/** A source that is less far behind the wall clock is the present state of a world. */
const PRESENT_MS = 1000;

/** The state of a world before its first turn. */
export function initialState({ seed, now, clock }: Configuration): WorldState {
  return emptyState(seed, now ?? Date.now(), initialClock(clock, now));
}

/** The clock of a new world: one that is given neither a time nor a rate follows the wall clock. */
export function initialClock({ mode, rate }: ClockChoice, now: Instant | null): ClockState {
  if (mode === "frozen") return { mode, rate: rate ?? 1 };
  if (mode === "wall" || (now === null && (rate ?? 1) === 1)) return WALL_CLOCK;
  return { mode: "flowing", rate: rate ?? 1 };
}

/** The clock with which a stored world continues: its own, unless another one is chosen. */
export function clockToResume(storedClock: ClockState, { mode, rate }: ClockChoice): ClockState {
  if (mode === "wall") return WALL_CLOCK;
  const clock = { mode: mode ?? storedClock.mode, rate: rate ?? storedClock.rate };
  const isStored = clock.mode === storedClock.mode && clock.rate === storedClock.rate;
  return isStored ? storedClock : clock;
}

/** The clock of a fork: that of its source. A state of the past does not jump to the wall clock. */
export function clockOfFork({ clock, image }: ForkSource, wallNow: Instant): ClockState {
  if (clock) return clock;
  return wallNow - image.now > PRESENT_MS ? withOwnTime(image.clock) : image.clock;
}

/** The same clock, no longer tied to the wall clock. */
export function withOwnTime({ mode, rate }: ClockState): ClockState {
  return { mode, rate };
}

/** The state with which a stored world continues: where it stood, or later if `--now` says so. */
export function stateToResume<S extends Pick<WorldState, "turn" | "now">>(
  state: S,
  { now }: Configuration,
): S {
  if (state.turn === 0 || now === null) return state;
  if (now < state.now)
    throw new Refusal(
      422,
      "backwards",
      `--now ${formatInstant(now)} is before the time of the stored data, ${formatInstant(state.now)}. Time only moves forward.`,
      "Leave out --now, or use another --data folder.",
    );
  return { ...state, now };
}
