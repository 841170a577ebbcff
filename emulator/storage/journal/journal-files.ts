import { closeSync, openSync, readdirSync, readFileSync, rmSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Commit } from "../../kernel/commit.ts";
import { StoreError } from "./snapshot.ts";

const LINE_FEED = 0x0a;
const NAME = /^journal-(\d{6,})\.ndjson$/;

/** Numbers of the journal files in a folder, ascending. */
export function journalNumbers(folder: string): readonly number[] {
  return readdirSync(folder)
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** Removes the journal files that a snapshot contains. */
export function removeJournals(folder: string, upTo: number): void {
  for (const number of journalNumbers(folder)) if (number <= upTo) rmSync(journalFile(folder, number));
}

/**
 * The commits of a journal file. A last line without its end was never acknowledged: it is dropped,
 * from the file too, so that the next line does not continue it.
 */
function* readJournal(folder: string, number: number): Iterable<Commit> {
  const file = journalFile(folder, number);
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  if (end < bytes.length) truncateSync(file, end);
  // One commit at a time: as objects, all of them would take many times the room of their text.
  for (let [start, line] = [0, 1]; start < end; line += 1) {
    const stop = bytes.indexOf(LINE_FEED, start);
    yield parseCommit(bytes.toString("utf8", start, stop), `${file}, line ${line}`);
    start = stop + 1;
  }
}

function parseCommit(text: string, place: string): Commit {
  try {
    return JSON.parse(text) as Commit;
  } catch {
    throw new StoreError(`${place}, is damaged; restore the file or remove the data folder.`);
  }
}

/** Those of several journal files, one after the other. */
export function* readJournals(folder: string, numbers: readonly number[]): Iterable<Commit> {
  for (const number of numbers) yield* readJournal(folder, number);
}

/** A commit as a line of a journal file, its line feed included. */
export function lineOf(commit: Commit): string {
  return `${JSON.stringify(commit)}\n`;
}

/** A journal file that is appended to. */
export interface JournalFile {
  readonly number: number;
  readonly bytes: number;
  /** Lines of `lineOf`. */
  append(lines: string): void;
  close(): void;
}

/** Opens a new journal file. A line that `append` has returned from survives the end of the process. */
export function openJournal(folder: string, number: number): JournalFile {
  const descriptor = openSync(journalFile(folder, number), "a");
  let bytes = 0;
  return {
    number,
    get bytes() {
      return bytes;
    },
    append(lines) {
      const all = Buffer.from(lines);
      // A disk that is nearly full takes a part, and says so by its length alone.
      for (let written = 0; written < all.length; )
        written += writeSync(descriptor, all, written, all.length - written);
      bytes += all.length;
    },
    close: () => closeSync(descriptor),
  };
}

export function journalFile(folder: string, number: number): string {
  return join(folder, `journal-${String(number).padStart(6, "0")}.ndjson`);
}
