import { computed, signal } from "@preact/signals";
import type { AdvanceResult } from "../../client/views.ts";
import type { Lanes } from "../../control/turns/lanes.ts";
import { instantMs } from "../../kernel/instant.ts";
import { errorText } from "../model/actions.ts";
import { client } from "../model/client.ts";
import { now } from "../model/clock.ts";
import { addressWith, go, route } from "../model/router.ts";
import type { Future } from "./history.ts";
import { type Fold, foldsOf, panned, positionOf, type Range, type Scale, xOf, zoomed } from "./scale.ts";
import type { AxisWorld } from "./world-lanes.tsx";

const EVENTS_AHEAD = 200;
const DEADLINE = ".deadline";

/** The selected turn in the list and on the axis. */
export const selectedTurn = computed(() => Number(route.value.query.get("turn")) || null);

/** Selects a turn and updates the address. */
export function select(turn: number | null): void {
  go(addressWith({ turn }), true);
}

/** The visible range of the axis; null for the whole range. */
export const visibleRange = signal<Range | null>(null);

/** The range whose lanes are read; null for the whole range. */
export const lanesRange = signal<Range | null>(null);

/** Whether idle time is folded. */
export const isFolding = signal(true);

/** The next events, from a dry run on a copy of the world. */
export async function lookAhead(): Promise<Future> {
  try {
    const reply = await client.call<AdvanceResult & { readonly assumed: readonly string[] }>(
      "POST",
      "/clock/advance?dry_run=1",
      { next: EVENTS_AHEAD },
    );
    const fired = reply.fired.filter(({ kind }) => !kind.endsWith(DEADLINE));
    return { fired, total: reply.fired_total, assumed: reply.assumed, problem: null };
  } catch (error) {
    return { fired: [], total: 0, assumed: [], problem: errorText(error) };
  }
}

const MIN_SPAN_MS = 60_000;
const MARGIN = 0.04;
/** Schedules never end: distant events must not shrink the history on the axis. */
const MIN_AHEAD_MS = 60_000;
const FUTURE_PER_PAST = 1.5;

/** The whole axis, from the first turn to the last predicted event with some margin on both sides, and its folds. */
export function wholeAxis({ lanes, future, at: now }: AxisWorld): {
  readonly range: Range;
  readonly folds: readonly Fold[];
} {
  const busyTimes = busyTimesOf(lanes);
  // The turns may arrive before the clock.
  const present = Math.max(now, ...busyTimes.map(({ to }) => to));
  const from = Math.min(present, ...busyTimes.map((time) => time.from));
  const ahead = (future?.fired ?? []).map(({ at }) => instantMs(at));
  const limit = present + Math.max(MIN_AHEAD_MS, (present - from) * FUTURE_PER_PAST);
  const to = Math.max(present, Math.min(limit, Math.max(0, ...ahead)));
  const instants = [present, ...ahead.filter((at) => at > present && at < to), to];
  const points = instants.map((at) => ({ from: at, to: at }));
  const folds = isFolding.value ? foldsOf([...busyTimes, ...points]) : [];
  // Next to folded time, a margin of a minimum length could be longer than all the rest.
  const least = folds.length > 0 ? 0 : MIN_SPAN_MS / 2;
  const room = Math.max(least, (positionOf(folds, to) - positionOf(folds, from)) * MARGIN);
  return { range: { from: from - room, to: to + 3 * room }, folds };
}

/** The times between the gaps. */
function busyTimesOf({ first, last, gaps }: Lanes): readonly Range[] {
  if (first === null || last === null) return [];
  const begins = [first, ...gaps.map(({ to }) => to)];
  const ends = [...gaps.map(({ from }) => from), last];
  return begins.map((begin, index) => ({ from: begin, to: ends[index] ?? last }));
}

const ZOOM = 1.6;

/** Zooms around the playhead if it is visible, else around the middle: out if `by` is positive, else in. */
export function zoom(scale: Scale, whole: Range, by: number): void {
  const x = xOf(scale, now.value);
  const around = x >= 0 && x <= scale.width ? x : scale.width / 2;
  visibleRange.value = zoomed(scale, whole, around, by > 0 ? ZOOM : 1 / ZOOM);
}

/** Shows an instant in the middle of the axis, at the same scale. */
export function centre(scale: Scale, whole: Range, at: number): void {
  visibleRange.value = panned(scale, whole, scale.width / 2 - xOf(scale, at));
}
