import { computed, effect, signal } from "@preact/signals";
import type { Status } from "../../client/views.ts";
import { instantMs } from "../../kernel/instant.ts";
import { asOf, present } from "./client.ts";
import { revision, turnsNow } from "./live.ts";

/** What was last read, and when by the clock of this machine (ms). */
const read = signal<{ readonly status: Status; readonly at: number } | null>(null);

/** How the clock of the world moves; null before it was read. */
export const clock = computed(() => read.value?.status.clock ?? null);
/** Whether the emulator refuses what would add to a world. */
export const isDiskFull = computed(() => read.value?.status.disk_full === true);
/** Virtual time to show (ms): a flowing clock advances between two replies. */
export const now = signal(0);

const TICK_MS = 250;

/** Reads the clock again whenever turns have arrived. */
export function followClock(): void {
  effect(() => {
    revision.value;
    void readClock();
  });
  setInterval(showNow, TICK_MS);
}

/** Reads it at once; a server that is gone is reported by the journal. */
export async function readClock(): Promise<void> {
  try {
    const status = await present.status();
    read.value = { status, at: performance.now() };
    showNow();
  } catch {
    // The band above the views says why.
  }
}

/** Between two replies, a flowing clock is computed from its rate without a request. */
function showNow(): void {
  const last = read.value;
  if (!last) return;
  const { status, at } = last;
  const { mode, rate } = status.clock;
  const gone = mode === "flowing" ? (performance.now() - at) * rate : 0;
  now.value = Math.floor(instantMs(status.now) + gone);
}

/** The instant that is shown (ms): that of the turn that the world is shown as of, or now. */
export function shownInstant(): number {
  if (asOf.value === null) return now.value;
  const turn = turnsNow().find((each) => each.turn === asOf.value);
  return turn ? instantMs(turn.now) : now.value;
}
