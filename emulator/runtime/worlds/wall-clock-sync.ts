import type { Instant } from "../../kernel/instant.ts";
import type { World } from "../../subjects/turn.ts";
import { isStalled, isWaitedFor } from "./in-flight.ts";
import { startSlices } from "./slices.ts";

const MAX_TIMER_MS = 3_600_000;
/** Wall-clock time: events that are overdue for longer were slept through. */
const SLEEP_MS = 60_000;

/** How a flowing world keeps up with the wall clock. */
export interface WallClockSync {
  sync(): void;
  behindMs(): number;
  /** From here on virtual time is counted from where it stands. */
  reanchor(): void;
  /** Another caller moves time. */
  pause(): void;
  resume(): void;
  isPaused(): boolean;
  close(): void;
}

interface Due {
  readonly at: Instant;
  /** It was slept through. */
  readonly isSleptThrough: boolean;
}

interface SliceOptions {
  readonly nextDue: () => Due | undefined;
  readonly ignoresInFlight: boolean;
  readonly wallNow: () => number;
}

/**
 * Fires what is due, for one slice at most. Undefined once nothing is due; otherwise resolves when the next
 * slice may begin, with whether that ignores effects in flight.
 */
function fireSlice(world: World, { nextDue, ignoresInFlight, wallNow }: SliceOptions) {
  const yieldWhenDue = startSlices(wallNow);
  for (let due = nextDue(); due; due = nextDue()) {
    // A machine that has slept would else time out what it had no chance to finish.
    if (due.isSleptThrough && !ignoresInFlight && isWaitedFor(world))
      return isStalled(world, world.whenSettled());
    world.moveTo(due.at);
    const yielded = yieldWhenDue();
    if (yielded) return yielded.then(() => ignoresInFlight);
  }
  return undefined;
}

/** Time moves with the wall clock from now on, as long as the world says that it flows. */
export function createWallClockSync(world: World, wallNow: () => number): WallClockSync {
  let anchor = { wall: wallNow(), virtual: world.now };
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  let isClosed = false;
  let isCatchingUp = false;

  const isStopped = () => world.clock.mode === "frozen" || isPaused || isClosed || world.defect !== undefined;
  const currentInstant = (): Instant =>
    Math.floor(anchor.virtual + (wallNow() - anchor.wall) * world.clock.rate);

  function sync(): void {
    // Most requests find nothing due, and the timer is set for the next event already.
    if (!isCatchingUp && nextDue()) catchUp(false);
  }

  /** The next event that is due; undefined once the world is in the present, or time is stopped. */
  function nextDue(): Due | undefined {
    if (isStopped()) return undefined;
    const target = currentInstant();
    const next = world.nextEvent();
    if (next && next.at <= target)
      return { at: next.at, isSleptThrough: (target - next.at) / world.clock.rate > SLEEP_MS };
    world.moveTo(target);
    return undefined;
  }

  /** A defect ends the world, and the next request reports it; a timer has no caller to report to. */
  function catchUp(ignoresInFlight: boolean): void {
    if (isStopped() || isCatchingUp) return;
    try {
      const nextSlice = fireSlice(world, { nextDue, ignoresInFlight, wallNow });
      if (!nextSlice) return arm();
      isCatchingUp = true;
      void nextSlice.then((ignoresNow) => {
        isCatchingUp = false;
        catchUp(ignoresNow);
      });
    } catch (error) {
      if (!world.defect) throw error;
    }
  }

  /** One timer, for the next event. */
  function arm(): void {
    clearTimeout(timer);
    const next = world.nextEvent();
    if (!next || isStopped() || isCatchingUp) return;
    const waitMs = Math.max(0, (next.at - currentInstant()) / world.clock.rate);
    timer = setTimeout(catchUp, Math.min(waitMs, MAX_TIMER_MS), false);
    timer.unref();
  }

  function reanchor(): void {
    anchor = { wall: wallNow(), virtual: world.now };
    arm();
  }

  const unfollow = world.journal.watch(({ scheduled }) => {
    if (scheduled) arm();
  });
  arm();
  return {
    sync,
    behindMs: () => (isCatchingUp && !isStopped() ? Math.max(0, currentInstant() - world.now) : 0),
    reanchor,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      reanchor();
    },
    isPaused: () => isPaused,
    close() {
      isClosed = true;
      unfollow();
      clearTimeout(timer);
    },
  };
}
