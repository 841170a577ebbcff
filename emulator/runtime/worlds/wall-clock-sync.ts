import type { Instant } from "../../kernel/instant.ts";
import type { World } from "../../subjects/turn.ts";
import { isStalled, isWaitedFor } from "./in-flight.ts";
import { startSlices } from "./slices.ts";

const MAX_TIMER_MS = 3_600_000;
/** Wall-clock time: events that are overdue for longer were missed while the machine slept. */
const SLEEP_MS = 60_000;

/** Keeps a flowing world in step with the wall clock. */
export type WallClockSync = ReturnType<typeof createWallClockSync>;

interface Due {
  readonly at: Instant;
  /** It was missed while the machine slept. */
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
    // Otherwise a machine that slept would time out work that it had no chance to finish.
    if (due.isSleptThrough && !ignoresInFlight && isWaitedFor(world))
      return isStalled(world, world.whenSettled());
    world.moveTo(due.at);
    const yielded = yieldWhenDue();
    if (yielded) return yielded.then(() => ignoresInFlight);
  }
  return undefined;
}

/** The instant at which a world should be, counted from the last anchor. */
function createVirtualTime(world: World, wallNow: () => number) {
  const anchorNow = () => {
    const wall = wallNow();
    return { wall, virtual: world.clock.followsWall ? Math.max(wall, world.now) : world.now };
  };
  let anchor = anchorNow();
  return {
    now: (): Instant => Math.floor(anchor.virtual + (wallNow() - anchor.wall) * world.clock.rate),
    reanchor(): void {
      anchor = anchorNow();
    },
  };
}

/** The next event that is due at an instant; if none is due, moves the world there and returns undefined. */
function nextDueAt(world: World, instant: Instant): Due | undefined {
  const next = world.nextEvent();
  if (next && next.at <= instant)
    return { at: next.at, isSleptThrough: (instant - next.at) / world.clock.rate > SLEEP_MS };
  world.moveTo(instant);
  return undefined;
}

/** Moves time with the wall clock from now on, as long as the world's clock is flowing. */
export function createWallClockSync(world: World, wallNow: () => number) {
  const time = createVirtualTime(world, wallNow);
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  let isClosed = false;
  let isCatchingUp = false;

  const isStopped = () => world.clock.mode === "frozen" || isPaused || isClosed || world.defect !== undefined;
  const nextDue = () => (isStopped() ? undefined : nextDueAt(world, time.now()));

  /** A defect ends the world, and the next request reports it; a timer has no caller to report to. */
  function catchUp(ignoresInFlight: boolean): void {
    if (isStopped() || isCatchingUp) return;
    try {
      const nextSlice = fireSlice(world, { nextDue, ignoresInFlight, wallNow });
      if (!nextSlice) return setTimer();
      isCatchingUp = true;
      void nextSlice.then((ignoresNow) => {
        isCatchingUp = false;
        catchUp(ignoresNow);
      });
    } catch (error) {
      if (!world.defect) throw error;
    }
  }

  function setTimer(): void {
    clearTimeout(timer);
    const next = world.nextEvent();
    if (!next || isStopped() || isCatchingUp) return;
    const waitMs = (next.at - time.now()) / world.clock.rate;
    timer = setTimeout(catchUp, Math.max(0, Math.min(waitMs, MAX_TIMER_MS)), false).unref();
  }

  /** Pauses while another caller moves time. */
  function setPaused(paused: boolean): void {
    isPaused = paused;
    if (!paused) reanchor();
  }

  /** Counts virtual time from its current instant on. */
  function reanchor(): void {
    time.reanchor();
    setTimer();
  }

  const unwatch = world.journal.watch(({ scheduled }) => scheduled && setTimer());
  setTimer();
  return {
    // Most requests find nothing due, and the timer is set for the next event already.
    sync: () => void (!isCatchingUp && nextDue() && catchUp(false)),
    behindMs: () => (isCatchingUp && !isStopped() ? Math.max(0, time.now() - world.now) : 0),
    reanchor,
    setPaused,
    isPaused: () => isPaused,
    close(): void {
      isClosed = true;
      unwatch();
      clearTimeout(timer);
    },
  };
}
