import { computed, signal } from "@preact/signals";
import type { AdvanceResult } from "../../client/views.ts";
import { instantMs } from "../../kernel/instant.ts";
import { explained } from "../model/actions.ts";
import { client } from "../model/client.ts";
import { now } from "../model/clock.ts";
import { addressWith, go, route } from "../model/router.ts";
import { historyNow } from "./history.ts";

/** What a dry run says will happen. */
export interface Future {
  readonly fired: AdvanceResult["fired"];
  readonly total: number;
  /** What the dry run took for granted. */
  readonly assumed: readonly string[];
  /** Why it is missing. */
  readonly problem: string | null;
}

const EVENTS_AHEAD = 200;
const DEADLINE = ".deadline";

/** The turn that is selected in the list and on the axis. */
export const selected = computed(() => Number(route.value.query.get("turn")) || null);

/** Selects a turn; the address says so. */
export function select(turn: number | null): void {
  go(addressWith({ turn }), true);
}

/** The range that the axis shows; null fits all of it. */
export const shown = signal<{ readonly from: number; readonly to: number } | null>(null);

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
    return { fired: [], total: 0, assumed: [], problem: explained(error) };
  }
}

const MIN_SPAN_MS = 60_000;
const MARGIN = 0.04;
/** Schedules never end: distant events must not shrink the history on the axis. */
const MIN_AHEAD_MS = 60_000;
const FUTURE_PER_PAST = 1.5;

/** The range from the first turn to the last predicted event, with some margin on both sides. */
export function wholeStretch(future: Future | undefined): { readonly from: number; readonly to: number } {
  const from = Math.min(historyNow().begin || now.value, now.value);
  const last = future?.fired.at(-1);
  const ahead = now.value + Math.max(MIN_AHEAD_MS, (now.value - from) * FUTURE_PER_PAST);
  const to = Math.max(now.value, last ? Math.min(ahead, instantMs(last.at)) : 0);
  const room = Math.max(MIN_SPAN_MS / 2, (to - from) * MARGIN);
  return { from: from - room, to: to + 3 * room };
}

const ZOOM = 1.6;

/** Zooms around an instant: above 1 shows more of time. */
export function zoom(
  stretch: { readonly from: number; readonly to: number },
  around: number,
  by: number,
): void {
  const factor = by > 0 ? ZOOM : 1 / ZOOM;
  const length = Math.max(20, (stretch.to - stretch.from) * factor);
  const part = (around - stretch.from) / (stretch.to - stretch.from);
  const from = around - part * length;
  shown.value = { from, to: from + length };
}
