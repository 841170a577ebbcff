import { CONTROL_PATH } from "../../emulator/client/control-client.ts";
import { followLines } from "../../emulator/client/send.ts";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";
import { printError } from "../terminal.ts";

/** The turns of a world after number `since`, and those to come, until the world ends. */
export async function* followJournal(url: string, since = 0): AsyncGenerator<JournalEntry> {
  yield* followLines<JournalEntry>(url, `${CONTROL_PATH}/journal?follow=1&since=${since}`);
  printError("this journal has ended: its world was reset, loaded or removed, or the emulator has stopped");
}
