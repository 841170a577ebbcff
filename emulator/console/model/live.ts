import { effect, signal } from "@preact/signals";
import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply, followLines } from "../../client/send.ts";
import type { Status } from "../../client/views.ts";
import { showStatus, status } from "./clock.ts";
import { isHidden } from "./visibility.ts";
import { worldUrl } from "./world-address.ts";

/** The state of the stream that reports new turns. */
export type Connection = "connecting" | "live" | "gone" | "ended";

/** Increases when turns arrive. Views then read their data again. */
export const revision = signal(0);
export const connection = signal<Connection>("connecting");
/** The reason why the world has ended; null while it runs. */
export const endReason = signal<string | null>(null);

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;

let waitMs = FIRST_WAIT_MS;
let stopWaiting = () => {};

/** Follows the world until the page is closed. Reconnects after a lost connection. */
export async function followWorld(): Promise<void> {
  for (;;) {
    await isVisible();
    try {
      await readStream();
      connection.value = endReason.value === null ? "connecting" : "ended";
    } catch (error) {
      connection.value = error instanceof ErrorReply ? "ended" : "gone";
      if (error instanceof ErrorReply) endReason.value = error.description;
    }
    if (isHidden.peek()) continue;
    await new Promise<void>((resolve) => {
      stopWaiting = resolve;
      setTimeout(resolve, waitMs);
    });
    waitMs = Math.min(2 * waitMs, MAX_WAIT_MS);
  }
}

/** Resolves when somebody sees the page. */
function isVisible(): Promise<void> {
  if (!isHidden.peek()) return Promise.resolve();
  return new Promise((resolve) =>
    document.addEventListener("visibilitychange", () => resolve(), { once: true }),
  );
}

/** Reconnects now. */
export function reconnect(): void {
  waitMs = FIRST_WAIT_MS;
  stopWaiting();
}

/** A stream ends with its world (reset, load, defect) or with its server; the next stream shows which. */
async function readStream(): Promise<void> {
  const leaving = new AbortController();
  const stopWatching = effect(() => {
    if (isHidden.value) leaving.abort();
  });
  try {
    for await (const next of followLines<Status>(worldUrl, FOLLOWED, leaving.signal)) show(next);
  } catch (error) {
    // After the first line, the connection was lost, or the page hidden.
    if (connection.peek() !== "live") throw error;
  } finally {
    stopWatching();
  }
}

const FOLLOWED = `${CONTROL_PATH}/status?follow=1`;

function show(next: Status): void {
  const before = status.peek();
  showStatus(next);
  endReason.value = next.ended_by;
  if (next.ended_by === null) {
    connection.value = "live";
    waitMs = FIRST_WAIT_MS;
  }
  if (before?.turn !== next.turn || before.generation !== next.generation) revision.value += 1;
}
