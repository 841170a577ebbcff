import { computed, signal } from "@preact/signals";
import type { AdvanceResult } from "../../client/views.ts";
import { instantMs } from "../../kernel/instant.ts";
import { errorText } from "../model/actions.ts";
import { client } from "../model/client.ts";
import { now } from "../model/clock.ts";
import { addressWith, go, route } from "../model/router.ts";
import { historyNow } from "./history.ts";

/** The result of a dry run. */
export interface Future {
  readonly fired: AdvanceResult["fired"];
  readonly total: number;
  /** The assumptions of the dry run. */
  readonly assumed: readonly string[];
  /** Why the dry run failed, if it did. */
  readonly problem: string | null;
}

const EVENTS_AHEAD = 200;
const DEADLINE = ".deadline";

/** The selected turn in the list and on the axis. */
export const selectedTurn = computed(() => Number(route.value.query.get("turn")) || null);

/** Selects a turn and updates the address. */
export function select(turn: number | null): void {
  go(addressWith({ turn }), true);
}

/** The visible range of the axis; null for the whole range. */
export const visibleRange = signal<{ readonly from: number; readonly to: number } | null>(null);

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

/** The range from the first turn to the last predicted event, with some margin on both sides. */
export function wholeRange(future: Future | undefined): { readonly from: number; readonly to: number } {
  const from = Math.min(historyNow().begin || now.value, now.value);
  const last = future?.fired.at(-1);
  const ahead = now.value + Math.max(MIN_AHEAD_MS, (now.value - from) * FUTURE_PER_PAST);
  const to = Math.max(now.value, last ? Math.min(ahead, instantMs(last.at)) : 0);
  const room = Math.max(MIN_SPAN_MS / 2, (to - from) * MARGIN);
  return { from: from - room, to: to + 3 * room };
}

const ZOOM = 1.6;

/** Zooms around an instant: out if `by` is positive, else in. */
export function zoom(
  range: { readonly from: number; readonly to: number },
  around: number,
  by: number,
): void {
  const factor = by > 0 ? ZOOM : 1 / ZOOM;
  const length = Math.max(20, (range.to - range.from) * factor);
  const part = (around - range.from) / (range.to - range.from);
  const from = around - part * length;
  visibleRange.value = { from, to: from + length };
}
