import { setTimeout as pause } from "node:timers/promises";
import { CONTROL_PATH } from "../../emulator/client/control-client.ts";
import { followLines } from "../../emulator/client/send.ts";
import type { Status } from "../../emulator/client/views.ts";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";
import type { RunningWorld } from "../running.ts";
import { printError } from "../terminal.ts";

/** Between two connections: limits the requests to a world that ends again and again. */
const RECONNECT_MS = 200;

/**
 * The turns of a world after number `since`, including new ones. After a reset or a load it calls `onNewJournal` and
 * continues with the new journal. It ends with the world or its emulator.
 */
export async function* followJournal(
  { url, client }: Pick<RunningWorld, "url" | "client">,
  since = 0,
  onNewJournal: () => void = () => {},
): AsyncGenerator<JournalEntry> {
  let isConnected = false;
  for (let last = since; ; await pause(RECONNECT_MS)) {
    const lines = followLines<JournalEntry>(url, `${CONTROL_PATH}/journal?follow=1&since=${last}`);
    let isCut = false;
    try {
      for await (const entry of lines) {
        last = entry.turn;
        yield entry;
      }
    } catch (error) {
      // `fetch` throws a TypeError when the connection is interrupted.
      if (!isConnected && !(error instanceof TypeError)) throw error;
      isCut = true;
    }
    isConnected = true;
    const end = await endOf(client);
    if (end !== undefined) return printError(`this journal has ended: ${end}`);
    // A connection that was cut was too slow: its journal is the same.
    if (isCut) continue;
    printError("the world was reset or loaded; its new journal:");
    onNewJournal();
    last = 0;
  }
}

/** Why a journal ended. Undefined while its world exists. */
async function endOf({ status }: RunningWorld["client"]): Promise<string | undefined> {
  const statusOrReason = await status().catch(reasonOf);
  if (typeof statusOrReason === "string") return statusOrReason;
  return statusOrReason.ended_by === null ? undefined : `the world has failed (${statusOrReason.ended_by})`;
}

function reasonOf(error: Error & { readonly status?: number }): string | Status {
  if (error.name === "NoReply") return "the emulator has stopped";
  return error.status === 404 ? "its world was removed" : error.message;
}
