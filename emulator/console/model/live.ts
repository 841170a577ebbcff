import { signal } from "@preact/signals";
import { CONTROL_PATH } from "../../client/control-client.ts";
import { ErrorReply } from "../../client/send.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { present } from "./client.ts";
import { linesOf } from "./lines.ts";
import { worldUrl } from "./place.ts";

/** A turn as the journal lists it, with what the specification does not define of it. */
export interface Turn extends JournalEntry {
  readonly unknown_fields?: readonly string[];
  readonly sent_beyond?: readonly string[];
  readonly answered_beyond?: readonly string[];
}

/** Why nothing new arrives. */
export type Connection = "connecting" | "live" | "gone" | "ended";

/** Every turn that the journal still has, oldest first; the list grows in place, and `revision` with it. */
export const turns: Turn[] = [];
/** Raised whenever turns have arrived: what depends on the world is read again. */
export const revision = signal(0);
export const connection = signal<Connection>("connecting");
/** What has ended the world, in words; null while it lives. */
export const endedBy = signal<string | null>(null);

/** The turns, for components that are rendered again when more arrive. */
export function turnsNow(): readonly Turn[] {
  revision.value;
  return turns;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
const ANNOUNCE_AFTER_MS = 50;

let isAnnounced = false;

let waitMs = FIRST_WAIT_MS;
let stopWaiting = () => {};

/** Follows the journal of the world until the page is closed; a lost connection is opened again. */
export async function followJournal(): Promise<void> {
  for (;;) {
    try {
      await readStream();
      connection.value = endedBy.value === null ? "connecting" : "ended";
    } catch (error) {
      connection.value = error instanceof ErrorReply ? "ended" : "gone";
      if (error instanceof ErrorReply) endedBy.value = error.description;
    }
    await new Promise<void>((resolve) => {
      stopWaiting = resolve;
      setTimeout(resolve, waitMs);
    });
    waitMs = Math.min(2 * waitMs, MAX_WAIT_MS);
  }
}

/** Opens the connection again at once. */
export function reconnect(): void {
  waitMs = FIRST_WAIT_MS;
  stopWaiting();
}

/** A stream ends with its world (reset, load, defect) or with its server; the next one finds out which. */
async function readStream(): Promise<void> {
  const { now, ended_by } = await present.status();
  const last = turns.at(-1);
  // A world that was reset is behind the turns that are shown.
  if (last && last.now > now) forget();
  endedBy.value = ended_by;
  const since = turns.at(-1)?.turn ?? 0;
  const reply = await fetch(`${worldUrl}${CONTROL_PATH}/journal?follow=1&since=${since}`);
  if (!reply.ok || !reply.body) throw new Error(`${reply.status}`);
  if (ended_by === null) {
    connection.value = "live";
    waitMs = FIRST_WAIT_MS;
  }
  try {
    for await (const entries of linesOf<Turn>(reply.body)) take(entries);
  } catch {
    // It broke off.
  }
}

/** Turn numbers restart if the world was reset or loaded meanwhile. */
function take(entries: readonly Turn[]): void {
  const [first] = entries;
  if (!first) return;
  if (first.turn <= (turns.at(-1)?.turn ?? 0)) turns.length = 0;
  for (const entry of entries) turns.push(entry);
  announce();
}

/** Many turns that arrive at once are announced once. */
function announce(): void {
  if (isAnnounced) return;
  isAnnounced = true;
  setTimeout(() => {
    isAnnounced = false;
    revision.value += 1;
  }, ANNOUNCE_AFTER_MS);
}

/** Drops the turns of a removed world; the next stream starts with the first turn of the new one. */
export function forget(): void {
  turns.length = 0;
  revision.value += 1;
}
