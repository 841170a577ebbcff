import { effect, signal } from "@preact/signals";
import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply } from "../../client/send.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { present } from "./client.ts";
import { isHidden } from "./visibility.ts";
import { worldUrl } from "./world-address.ts";

/** A turn of the journal, with the fields that the specification does not define. */
export interface Turn extends JournalEntry {
  readonly unknown_fields?: readonly string[];
  readonly sent_beyond?: readonly string[];
  readonly answered_beyond?: readonly string[];
}

/** The state of the journal's stream. */
export type Connection = "connecting" | "live" | "gone" | "ended";

/** All turns of the journal, oldest first. Changes in place; `revision` changes with it. */
export const turns: Turn[] = [];
/** Whether the page is a film: one file with the turns of a failure, without an emulator. */
export const isFilm = signal(false);
/** Increases when turns arrive. Views then read their data again. */
export const revision = signal(0);
export const connection = signal<Connection>("connecting");
/** The reason why the world has ended; null while it runs. */
export const endReason = signal<string | null>(null);

/** Shows the turns of a film. */
export function showFilm(recorded: readonly Turn[]): void {
  isFilm.value = true;
  turns.push(...recorded);
  revision.value += 1;
}

/** The turns. A component that calls this is rendered again when more arrive. */
export function turnsNow(): readonly Turn[] {
  revision.value;
  return turns;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
const ANNOUNCE_AFTER_MS = 100;

let isAnnounced = false;

let waitMs = FIRST_WAIT_MS;
let stopWaiting = () => {};

/** Reads the journal of the world until the page is closed. Reconnects after a lost connection. */
export async function followJournal(): Promise<void> {
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
  const { now, turn, ended_by } = await present.status();
  const last = turns.at(-1);
  // A world that was reset or rewound is at an earlier time or turn than the listed turns.
  if (last && (last.now > now || last.turn > turn)) clearTurns();
  endReason.value = ended_by;
  const since = turns.at(-1)?.turn ?? 0;
  const leaving = new AbortController();
  const { signal } = leaving;
  const stopWatching = effect(() => {
    if (isHidden.value) leaving.abort();
  });
  const reply = await fetch(`${worldUrl}${CONTROL_PATH}/journal?follow=1&since=${since}`, { signal });
  if (!reply.ok || !reply.body) throw new Error(`${reply.status}`);
  if (ended_by === null) {
    connection.value = "live";
    waitMs = FIRST_WAIT_MS;
  }
  try {
    for await (const entries of linesOf<Turn>(reply.body)) appendTurns(entries);
  } catch {
    // The connection was lost, or the page hidden.
  } finally {
    stopWatching();
  }
}

/** Turn numbers restart if the world was reset or loaded meanwhile. */
function appendTurns(entries: readonly Turn[]): void {
  const [first] = entries;
  if (!first) return;
  if (first.turn <= (turns.at(-1)?.turn ?? 0)) turns.length = 0;
  for (const entry of entries) turns.push(entry);
  announce();
}

/** Announces turns that arrive together only once. */
function announce(): void {
  if (isAnnounced) return;
  isAnnounced = true;
  setTimeout(() => {
    isAnnounced = false;
    revision.value += 1;
  }, ANNOUNCE_AFTER_MS);
}

/** Drops the turns of a removed world; the next stream starts with the first turn of the new one. */
export function clearTurns(): void {
  turns.length = 0;
  revision.value += 1;
}

/** The values of a stream of JSON lines, in batches as they arrive. */
async function* linesOf<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly T[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as T);
  }
}
