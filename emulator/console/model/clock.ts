import { computed, signal } from "@preact/signals";
import type { Status } from "../../client/views.ts";
import { instantMs } from "../../kernel/instant.ts";
import { asOf, present } from "./client.ts";

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

/** Lets a flowing clock advance between two replies. */
export function followClock(): void {
  setInterval(updateNow, TICK_MS);
}

/** Reads the clock now. The stream of the status reports a server that does not reply. */
export async function readClock(): Promise<void> {
  const status = await present.status().catch(() => null);
  if (status) showStatus(status);
}

/** Shows the clock of a status. */
export function showStatus(status: Status): void {
  lastStatus.value = { status, at: performance.now() };
  updateNow();
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

/** The instant of the turn in `asOf`, once it is read. */
export const pastInstant = signal<number | null>(null);

/** The visible time (ms): that of the turn in `asOf`, or now. */
export function visibleInstant(): number {
  return (asOf.value === null ? null : pastInstant.value) ?? now.value;
}
