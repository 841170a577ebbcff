import type { ClockState } from "../../kernel/commit.ts";
import type { Instant } from "../../kernel/instant.ts";
import type { DryRunResult } from "../../subjects/control-operation.ts";
import type { World } from "../../subjects/turn.ts";

/** How a stored world continues. */
export interface Resumption {
  /** The instant from which it continues. */
  readonly at: Instant;
  readonly clock: ClockState;
  /** Milliseconds since its last turn that passed on a clock that follows the wall clock; otherwise 0. */
  readonly awayMs: number;
  /** How many events fire up to `at`. */
  readonly due: number;
  /** False if more events may fire than were counted. */
  readonly isExact: boolean;
}

const MAX_COUNTED_EVENTS = 10_000;

/** Finds out where a stored world continues, before any of its events fires. */
export async function resumptionOf(
  world: World,
  dryRun: (target: { readonly to: Instant; readonly events: number }) => Promise<DryRunResult>,
  wallNow: Instant,
): Promise<Resumption> {
  const { clock, now } = world;
  const at = clock.followsWall ? Math.max(wallNow, now) : now;
  const resumption = { at, clock, awayMs: at - now, due: 0, isExact: true };
  const queued = world.queue().filter((event) => event.at <= at).length;
  if (queued === 0) return resumption;
  // A dry run would wait for effects in flight, which may take as long as an unreachable store does.
  if (world.inFlight().length > 0) return { ...resumption, due: queued, isExact: false };
  const { firedTotal, stopped } = await dryRun({ to: at, events: MAX_COUNTED_EVENTS });
  const isExact = stopped === "target";
  world.turn(
    { type: "start", name: "clock.resume", detail: { from: now, to: at, due: firedTotal } },
    () => undefined,
  );
  return { ...resumption, due: firedTotal, isExact };
}
