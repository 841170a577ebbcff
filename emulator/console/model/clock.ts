import { computed, effect, signal } from "@preact/signals";
import type { Status } from "../../client/views.ts";
import { instantMs } from "../../kernel/instant.ts";
import { asOf, present } from "./client.ts";
import { revision, turnsNow } from "./live.ts";
import { restAfter } from "./resource.ts";
import { isHidden } from "./visibility.ts";

/** The last status, and its arrival time by the clock of this machine (ms). */
const lastStatus = signal<{ readonly status: Status; readonly at: number } | null>(null);

/** The last status; null before the first reply. */
export const status = computed(() => lastStatus.value?.status ?? null);
/** The clock of the world; null before the first reply. */
export const clock = computed(() => status.value?.clock ?? null);
/** Whether the emulator refuses writes that add data. */
export const isDiskFull = computed(() => status.value?.disk_full === true);
/** Virtual time to show (ms): a flowing clock advances between two replies. */
export const now = signal(0);

const TICK_MS = 250;

let [tookMs, endMs] = [0, 0];

/** Reads the clock again when turns have arrived, with a rest in between. */
export function followClock(): void {
  let timer = 0;
  effect(() => {
    revision.value;
    clearTimeout(timer);
    if (!isHidden.value) timer = window.setTimeout(readClock, restAfter(tookMs, endMs));
  });
  setInterval(updateNow, TICK_MS);
}

/** Reads the clock now. The journal reports a server that does not reply. */
export async function readClock(): Promise<void> {
  try {
    const began = performance.now();
    const status = await present.status();
    endMs = performance.now();
    tookMs = endMs - began;
    lastStatus.value = { status, at: performance.now() };
    updateNow();
  } catch {
    // The band above the views shows the reason.
  }
}

/** Computes a flowing clock from its rate between two replies. */
function updateNow(): void {
  const last = lastStatus.value;
  if (!last) return;
  const { status, at } = last;
  const { mode, rate } = status.clock;
  const elapsedMs = mode === "flowing" ? (performance.now() - at) * rate : 0;
  now.value = Math.floor(instantMs(status.now) + elapsedMs);
}

/** The visible time (ms): that of the turn in `asOf`, or now. */
export function visibleInstant(): number {
  if (asOf.value === null) return now.value;
  const turn = turnsNow().find((each) => each.turn === asOf.value);
  return turn ? instantMs(turn.now) : now.value;
}
