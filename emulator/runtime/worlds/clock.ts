import {
  type Advance,
  type AdvancePace,
  type AdvanceProgress,
  type AdvanceTarget,
  advance,
} from "../../kernel/advance.ts";
import type { Instant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { World } from "../../subjects/turn.ts";
import { isStalled, isWaitedFor } from "./in-flight.ts";
import { startSlices, type YieldWhenDue } from "./slices.ts";
import { createWallClockSync } from "./wall-clock-sync.ts";

/** Makes a world's time follow the wall clock, and moves it on request, in slices of wall-clock time. */
export interface Clock {
  /**
   * Brings a flowing world towards its present, for one slice at most and not at all while it is catching
   * up; events that were due on the way fire at their own instants.
   */
  sync(): void;
  /** Virtual ms between where a flowing world that is catching up stands and where it should; otherwise 0. */
  behindMs(): number;
  /** Freezes time where it stands; an advance that is under way ends there. */
  freeze(): void;
  /** Time flows from where it stands. */
  flow(rate: number): void;
  /** `waitsFor` says for people how far what it waits for is. */
  advance(bounds: AdvanceTarget, waitsFor?: () => string): Promise<Advance>;
  /** How far the advance is that is under way. */
  currentAdvance(): AdvanceProgress | undefined;
  /** Ends the advance that is under way after the events of the instant that it is at; false when there is none. */
  stopAdvance(): boolean;
  /**
   * Moves frozen time one step towards an instant that a waiting request looks forward to. False when it
   * may not move now: time flows, somebody else advances it, or the outside world is still at work.
   */
  stepTowards(instant: Instant, ref: string): boolean;
  readonly yieldWhenDue: YieldWhenDue;
  /** Time moves no more; an advance that is under way ends where it is. */
  close(): void;
  /** Of an advance of a copy of the world, which goes on whatever time does here, until `close`. */
  dryRunPace(): AdvancePace;
}

/** Drives a world until `close`; `followsWaits` lets a waiting request move time that is frozen. */
export function startClock(world: World, followsWaits = true, wallNow: () => number = Date.now): Clock {
  const wallClock = createWallClockSync(world, wallNow);
  let isInterrupted = false;
  let isClosed = false;
  let currentAdvance: AdvanceProgress | undefined;

  function set(name: string, clock: World["clock"]): void {
    wallClock.sync();
    world.turn({ type: "control", name }, (turn) => turn.setClock(clock));
    wallClock.reanchor();
  }

  return {
    sync: wallClock.sync,
    behindMs: wallClock.behindMs,
    freeze() {
      isInterrupted = true;
      set("clock.freeze", { mode: "frozen", rate: world.clock.rate });
    },
    flow: (rate) => set("clock.flow", { mode: "flowing", rate }),
    currentAdvance: () => currentAdvance,
    stopAdvance() {
      isInterrupted = true;
      return currentAdvance !== undefined;
    },
    async advance(target, waitsFor) {
      if (isClosed) throw world.defect ?? new Refusal(503, "closing", "The emulator is stopping.");
      refuseAdvance(world, wallClock.isPaused(), target);
      wallClock.sync();
      wallClock.pause();
      isInterrupted = false;
      const begun = { from: world.now, target, waitsFor };
      const onFired = (fired: number) => {
        currentAdvance = { ...begun, fired };
      };
      onFired(0);
      try {
        const yieldWhenDue = startSlices(wallNow);
        const pace = { yieldWhenDue, isInterrupted: () => isInterrupted, onFired };
        return await advanceNow(world, { ...target, ...pace });
      } finally {
        currentAdvance = undefined;
        wallClock.resume();
      }
    },
    stepTowards(instant, ref) {
      if (world.clock.mode !== "frozen" || wallClock.isPaused() || world.defect || instant <= world.now)
        return false;
      if (!followsWaits || isWaitedFor(world)) return false;
      const from = world.now;
      world.moveTo(Math.min(world.nextEvent()?.at ?? instant, instant));
      const detail = { from, to: world.now };
      world.turn({ type: "control", name: "clock.follow_wait", ref, detail }, () => undefined);
      wallClock.reanchor();
      return true;
    },
    yieldWhenDue: startSlices(wallNow),
    close() {
      isInterrupted = true;
      isClosed = true;
      wallClock.close();
    },
    dryRunPace: () => ({ yieldWhenDue: startSlices(wallNow), isInterrupted: () => isClosed }),
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

async function advanceNow(world: World, target: AdvanceTarget & AdvancePace): Promise<Advance> {
  const maxEvents = world.ports.settings.limits.events_per_advance;
  const to = Math.max(target.to, world.now);
  const effectsStalled = (settled: Promise<void>) => isStalled(world, settled);
  const result = await advance(world, { ...target, to, effectsStalled, maxEvents });
  const detail = { from: result.from, to: result.to, fired: result.firedTotal };
  world.turn({ type: "control", name: "clock.advance", detail }, () => undefined);
  return result;
}
