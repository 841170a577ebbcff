import { CONTROL_PATH } from "../../emulator/client/control-client.ts";
import { followLines } from "../../emulator/client/send.ts";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";

/** The turns of a world after number `since`, and those to come, until the world ends. */
export function followJournal(url: string, since = 0): AsyncGenerator<JournalEntry> {
  return followLines(url, `${CONTROL_PATH}/journal?follow=1&since=${since}`);
}
