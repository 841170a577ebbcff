import {
  type Advance,
  type AdvancePace,
  type AdvanceProgress,
  type AdvanceTarget,
  advance as advanceWorld,
} from "../../kernel/advance.ts";
import { formatInstant, type Instant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { ControlClock } from "../../subjects/control-operation.ts";
import type { World } from "../../subjects/turn.ts";
import { isStalled, isWaitedFor } from "./in-flight.ts";
import { startSlices, type YieldWhenDue } from "./slices.ts";
import { createWallClockSync, type WallClockSync } from "./wall-clock-sync.ts";
import { withOwnTime } from "./world-state.ts";

/** The clock of a world: follows the wall clock or moves on request, in slices of wall-clock time. */
export interface Clock extends ControlClock {
  /**
   * Moves frozen time one step towards the instant that a request waits for. False when time must not move now: it
   * flows, another caller advances it, or an effect is in flight.
   */
  stepTowards(instant: Instant, ref: string): boolean;
  readonly yieldWhenDue: YieldWhenDue;
  /** Holds a flowing clock until `release`; time that passes meanwhile is skipped unless it follows the wall clock. */
  hold(): void;
  release(): void;
  /** Stops time for good, and an advance in progress. */
  close(): void;
  /** The pace of a dry run on a copy of the world, which continues until `close`. */
  dryRunPace(): AdvancePace;
}

/** Drives a world until `close`; `followsWaits` lets a waiting request move time that is frozen. */
export function startClock(world: World, followsWaits = true, wallNow: () => number = Date.now): Clock {
  const wallClock = createWallClockSync(world, wallNow);
  let isInterrupted = false;
  let isClosed = false;
  let progress: AdvanceProgress | undefined;

  function set(name: string, clock: World["clock"]): void {
    wallClock.sync();
    world.turn({ type: "control", name }, (turn) => turn.setClock(clock));
    wallClock.reanchor();
  }

  async function advance(target: AdvanceTarget, waitsFor?: () => string): Promise<Advance> {
    if (isClosed) throw world.defect ?? new Refusal(503, "closing", "The emulator is stopping.");
    refuseAdvance(world, wallClock.isPaused(), target);
    wallClock.sync();
    wallClock.setPaused(true);
    isInterrupted = false;
    const start = { from: world.now, target, waitsFor };
    const onFired = (fired: number) => {
      progress = { ...start, fired };
    };
    onFired(0);
    try {
      const yieldWhenDue = startSlices(wallNow);
      const pace = { yieldWhenDue, isInterrupted: () => isInterrupted, onFired };
      return await advanceNow(world, { ...target, ...pace });
    } finally {
      progress = undefined;
      wallClock.setPaused(false);
    }
  }

  return {
    sync: wallClock.sync,
    behindMs: wallClock.behindMs,
    freeze() {
      isInterrupted = true;
      set("clock.freeze", { mode: "frozen", rate: world.clock.rate });
    },
    flow: (rate) => set("clock.flow", { mode: "flowing", rate }),
    currentAdvance: () => progress,
    stopAdvance() {
      isInterrupted = true;
      return progress !== undefined;
    },
    advance,
    stepTowards: (instant, ref) => followsWaits && stepTowards(world, wallClock, { instant, ref }),
    yieldWhenDue: startSlices(wallNow),
    hold: () => wallClock.setPaused(true),
    release: () => wallClock.setPaused(false),
    close() {
      isInterrupted = true;
      isClosed = true;
      wallClock.close();
    },
    dryRunPace: () => ({ yieldWhenDue: startSlices(wallNow), isInterrupted: () => isClosed }),
  };
}

function stepTowards(
  world: World,
  wallClock: WallClockSync,
  { instant, ref }: { readonly instant: Instant; readonly ref: string },
): boolean {
  if (world.clock.mode !== "frozen" || wallClock.isPaused() || world.defect || instant <= world.now)
    return false;
  if (isWaitedFor(world)) return false;
  const from = world.now;
  world.moveTo(Math.min(world.nextEvent()?.at ?? instant, instant));
  const detail = { from, to: world.now };
  world.turn({ type: "control", name: "clock.follow_wait", ref, detail }, () => undefined);
  wallClock.reanchor();
  return true;
}

function refuseAdvance(world: World, isAdvancing: boolean, target: AdvanceTarget): void {
  if (isAdvancing)
    throw new Refusal(
      409,
      "advance_under_way",
      "Another advance of this world is in progress.",
      "Wait for it, or stop it with DELETE /_emulator/v1/clock/advance.",
    );
  refuseBackwards(world, target);
}

export function refuseBackwards(world: World, { to }: Pick<AdvanceTarget, "to">): void {
  if (to < world.now)
    throw new Refusal(
      422,
      "backwards",
      `${formatInstant(to)} is before the time of the world, ${formatInstant(world.now)}. Time only moves forward.`,
      "Give a later time. POST /_emulator/v1/reset {} starts the world over and removes its data.",
    );
}

async function advanceNow(world: World, target: AdvanceTarget & AdvancePace): Promise<Advance> {
  const maxEvents = world.ports.settings.limits.events_per_advance;
  const to = Math.max(target.to, world.now);
  const effectsStalled = (settlement: Promise<void>) => isStalled(world, settlement);
  const result = await advanceWorld(world, { ...target, to, effectsStalled, maxEvents });
  const detail = { from: result.from, to: result.to, fired: result.firedTotal };
  world.turn({ type: "control", name: "clock.advance", detail }, (turn) => {
    if (world.clock.followsWall) turn.setClock(withOwnTime(world.clock));
  });
  return result;
}
