import type { Effect } from "./commit.ts";
import { formatInstant, type Instant } from "./instant.ts";
import type { Reader } from "./turn.ts";
import type { WorldTypes } from "./types.ts";
import type { World } from "./world.ts";

/** Limits of an advance, and its waiting functions. */
export interface AdvanceBounds {
  /** Latest event to fire, and the final time unless stopped before. */
  readonly to: Instant;
  /** Stop after this many events. */
  readonly events?: number;
  /** Stop as soon as this is true; checked after every instant. */
  readonly until?: (reader: Reader) => boolean;
  /** When nothing more is due, stay at the last event instead of moving to `to`. */
  readonly stayAtLastEvent?: boolean;
  /** Resolves true once effects have been in flight for too long on the wall clock. */
  readonly effectsStalled: (settlement: Promise<void>) => Promise<boolean>;
  /** Called after every instant: undefined to continue at once, or resolves when other work has had its turn. */
  readonly yieldWhenDue?: () => Promise<void> | undefined;
  /** Stop where time stands as soon as this is true; checked after every instant. */
  readonly isInterrupted?: () => boolean;
  /** Receives the number of events so far. */
  readonly onFired?: (total: number) => void;
  readonly maxEvents: number;
}

/** The target of an advance, given by its caller. */
export type AdvanceTarget = Pick<AdvanceBounds, "to" | "events" | "until" | "stayAtLastEvent">;

/** How an advance leaves time for other work, and ends early. */
export type AdvancePace = Pick<AdvanceBounds, "yieldWhenDue" | "isInterrupted" | "onFired">;

/** An event as reported to the caller of an advance. */
export interface FiredEvent {
  readonly at: string;
  readonly kind: string;
  readonly ref: string;
  /** What the turn that scheduled it was about. */
  readonly cause: string;
}

/** The result of an advance: start and end in virtual time, events fired, and the reason it stopped. */
export interface Advance {
  readonly from: Instant;
  readonly to: Instant;
  /** The first thousand; `firedTotal` counts them all. */
  readonly fired: readonly FiredEvent[];
  readonly firedTotal: number;
  readonly stopped: "target" | "events" | "until" | "stalled" | "runaway" | "interrupted";
  /** The effect in flight, when `stopped` is `stalled`. */
  readonly inFlight: readonly Effect[];
}

/** An advance in progress. */
export interface AdvanceProgress {
  readonly from: Instant;
  readonly target: AdvanceTarget;
  /** The number of events that have fired. */
  readonly fired: number;
  readonly waitsFor: (() => string) | undefined;
}

const MAX_LISTED_EVENTS = 1000;

/**
 * Steps through every due instant in order, and continues only when the effects requested at an instant have
 * ended. Events due at one instant fire together, in order of scheduling.
 */
export async function advance<Types extends WorldTypes>(
  world: World<Types>,
  bounds: AdvanceBounds,
): Promise<Advance> {
  const from = world.now;
  const fired: FiredEvent[] = [];
  let firedTotal = 0;
  const unwatch = world.journal.watch(({ now, cause }) => {
    if (cause.type !== "event") return;
    firedTotal += 1;
    bounds.onFired?.(firedTotal);
    if (fired.length >= MAX_LISTED_EVENTS) return;
    fired.push({
      at: formatInstant(now),
      kind: cause.name,
      ref: cause.ref ?? "",
      cause: String(cause.detail?.scheduled_by),
    });
  });

  /** The reason to stop now; undefined to continue. */
  async function reasonToStop(): Promise<Advance["stopped"] | undefined> {
    if (world.inFlight().length > 0 && (await bounds.effectsStalled(world.whenSettled()))) return "stalled";
    if (world.defect) throw world.defect;
    if (bounds.until?.(world.reader)) return "until";
    if (bounds.isInterrupted?.()) return "interrupted";
    return bounds.events !== undefined && firedTotal >= bounds.events ? "events" : undefined;
  }

  async function stepUntilStopped(): Promise<Advance["stopped"]> {
    for (;;) {
      const reason = await reasonToStop();
      if (reason) return reason;
      const next = world.nextEvent();
      if (!next || next.at > bounds.to) return "target";
      if (firedTotal >= bounds.maxEvents) return "runaway";
      world.moveTo(next.at);
      await bounds.yieldWhenDue?.();
    }
  }

  try {
    const stopped = await stepUntilStopped();
    if (stopped === "target" && !bounds.stayAtLastEvent) world.moveTo(bounds.to);
    return { from, to: world.now, fired, firedTotal, stopped, inFlight: world.inFlight() };
  } finally {
    unwatch();
  }
}
