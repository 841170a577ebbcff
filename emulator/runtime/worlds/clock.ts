import { type Advance, type AdvanceTarget, advance } from "../../kernel/advance.ts";
import type { Instant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { EffectKind } from "../../kernel/types.ts";
import type { EmulatorTypes, World } from "../../subjects/turn.ts";

/** Makes a world's time follow the wall clock, and moves it on request. */
export interface Clock {
  /** Brings a flowing world to its present; events that were due on the way fire at their own instants. */
  sync(): void;
  freeze(): void;
  flow(rate: number): void;
  advance(bounds: AdvanceTarget): Promise<Advance>;
  /**
   * Moves frozen time one step towards an instant that a waiting request looks forward to. False when it
   * may not move now: time flows, somebody else advances it, or the outside world is still at work.
   */
  stepTowards(instant: Instant, ref: string): boolean;
  yieldToEventLoop(): Promise<void>;
  close(): void;
}

const MAX_TIMER_MS = 3_600_000;
/** Wall-clock time: events that are overdue for longer were slept through. */
const LONG_AGO_MS = 60_000;

/** Requests get their turn while time is moved far. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A receiver of webhooks may itself wait for a run, so time must not wait for it. */
const NOT_WAITED_FOR: readonly EffectKind<EmulatorTypes>[] = ["webhook.post"];

/** Drives a world until `close`; `followsWaits` lets a waiting request move time that is frozen. */
export function startClock(world: World, followsWaits = true, wallNow: () => number = Date.now): Clock {
  const wallClock = createWallClockSync(world, wallNow);

  function set(name: string, clock: World["clock"]): void {
    wallClock.sync();
    world.turn({ type: "control", name }, (turn) => turn.setClock(clock));
    wallClock.reanchor();
  }

  return {
    sync: wallClock.sync,
    freeze: () => set("clock.freeze", { mode: "frozen", rate: world.clock.rate }),
    flow: (rate) => set("clock.flow", { mode: "flowing", rate }),
    async advance(target) {
      refuseAdvance(world, wallClock.isPaused(), target);
      wallClock.sync();
      wallClock.pause();
      try {
        return await advanceNow(world, target);
      } finally {
        wallClock.resume();
      }
    },
    stepTowards(instant, ref) {
      if (world.clock.mode !== "frozen" || wallClock.isPaused() || world.defect || instant <= world.now)
        return false;
      if (!followsWaits || world.inFlight().some(({ kind }) => !NOT_WAITED_FOR.includes(kind))) return false;
      const from = world.now;
      world.moveTo(Math.min(world.nextEvent()?.at ?? instant, instant));
      const detail = { from, to: world.now };
      world.turn({ type: "control", name: "clock.follow_wait", ref, detail }, () => undefined);
      wallClock.reanchor();
      return true;
    },
    yieldToEventLoop,
    close: wallClock.close,
  };
}

function refuseAdvance(world: World, isAdvancing: boolean, { to }: AdvanceTarget): void {
  if (isAdvancing) throw new Refusal(409, "advance_under_way", "Another advance of this world is under way.");
  if (to < world.now)
    throw new Refusal(
      422,
      "backwards",
      "Time only moves forward.",
      "POST /_emulator/v1/reset {} starts over.",
    );
}

async function advanceNow(world: World, target: AdvanceTarget): Promise<Advance> {
  const maxEvents = world.ports.settings.limits.events_per_advance;
  const to = Math.max(target.to, world.now);
  const effectsStalled = (settled: Promise<void>) => isStalled(world, settled);
  const result = await advance(world, { ...target, to, effectsStalled, yieldToEventLoop, maxEvents });
  const detail = { from: result.from, to: result.to, fired: result.firedTotal };
  world.turn({ type: "control", name: "clock.advance", detail }, () => undefined);
  return result;
}

/** True once effects have been in flight for too long on the wall clock. */
export async function isStalled(world: World, settled: Promise<void>): Promise<boolean> {
  let giveUp: NodeJS.Timeout | undefined;
  const stalled = new Promise<boolean>((resolve) => {
    giveUp = setTimeout(() => resolve(true), world.ports.settings.timings.effect_patience_ms);
  });
  const result = await Promise.race([settled.then(() => false), stalled]);
  clearTimeout(giveUp);
  return result;
}

/** How a flowing world keeps up with the wall clock. */
interface WallClockSync {
  sync(): void;
  /** From here on virtual time is counted from where it stands. */
  reanchor(): void;
  /** Another caller moves time. */
  pause(): void;
  resume(): void;
  isPaused(): boolean;
  close(): void;
}

function createWallClockSync(world: World, wallNow: () => number): WallClockSync {
  let anchor = { wall: wallNow(), virtual: world.now };
  let timer: NodeJS.Timeout | undefined;
  let isPaused = false;
  let isWaiting = false;

  const isStopped = () => world.clock.mode === "frozen" || isPaused || world.defect !== undefined;
  const currentInstant = (): Instant =>
    Math.floor(anchor.virtual + (wallNow() - anchor.wall) * world.clock.rate);

  function sync(): void {
    if (isStopped() || isWaiting) return;
    const target = currentInstant();
    // Most requests find nothing due, and the timer is set for the next event already.
    if ((world.nextEvent()?.at ?? Number.POSITIVE_INFINITY) <= target) catchUpQuietly(false);
    else world.moveTo(target);
  }

  /** A defect ends the world, and the next request reports it; a timer has no caller to report to. */
  function catchUpQuietly(ignoresInFlight: boolean): void {
    if (isStopped() || isWaiting) return;
    try {
      catchUp(ignoresInFlight);
    } catch (error) {
      if (!world.defect) throw error;
    }
  }

  function catchUp(ignoresInFlight: boolean): void {
    const target = currentInstant();
    for (let next = world.nextEvent(); next && next.at <= target; next = world.nextEvent()) {
      const isLongAgo = (target - next.at) / world.clock.rate > LONG_AGO_MS;
      if (
        isLongAgo &&
        !ignoresInFlight &&
        world.inFlight().some(({ kind }) => !NOT_WAITED_FOR.includes(kind))
      )
        return void waitForEffects();
      world.moveTo(next.at);
    }
    world.moveTo(target);
    arm();
  }

  /** A machine that has slept would else time out what it had no chance to finish. */
  async function waitForEffects(): Promise<void> {
    isWaiting = true;
    const ignoresInFlight = await isStalled(world, world.settled());
    isWaiting = false;
    catchUpQuietly(ignoresInFlight);
  }

  /** One timer, for the next event. */
  function arm(): void {
    clearTimeout(timer);
    const next = world.nextEvent();
    if (!next || isStopped()) return;
    const waitMs = Math.max(0, (next.at - currentInstant()) / world.clock.rate);
    timer = setTimeout(catchUpQuietly, Math.min(waitMs, MAX_TIMER_MS), false);
    timer.unref();
  }

  function reanchor(): void {
    anchor = { wall: wallNow(), virtual: world.now };
    arm();
  }

  const unfollow = world.journal.follow(({ scheduled }) => {
    if (scheduled) arm();
  });
  arm();
  return {
    sync,
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
      unfollow();
      clearTimeout(timer);
    },
  };
}
