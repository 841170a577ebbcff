import { existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import { parseSummed } from "../checksum.ts";
import { logPath } from "../pool/heads-log.ts";
import { numberOf, ownerOf, type Stretch } from "../pool/names.ts";
import { appendAll, truncateTo } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged, type StoreError, tooShort } from "../store-error.ts";
import type { JournalLine } from "./line.ts";

const LINE_FEED = 0x0a;

/** A journal that is appended to; its file is made before the first rows or lines of its turns are. */
export interface Journal {
  readonly file: string;
  readonly bytes: number;
  /** Makes the file, so that a next start knows that something may have been written without a line. */
  begin(): void;
  /** Whole lines. Once it returns, they survive the end of the process; a part of them is never left behind. */
  append(lines: string): void;
}

/** Goes on with the journal of a name, whose torn end has been cut off already. */
export function openJournal({ path, files, lengths }: Pool, file: string): Journal {
  let bytes = statSync(path(file), { throwIfNoEntry: false })?.size ?? 0;
  return {
    file,
    get bytes() {
      return bytes;
    },
    begin: () => void files.append(path(file)),
    append(lines) {
      const descriptor = files.append(path(file));
      const all = Buffer.from(lines);
      try {
        appendAll(descriptor, all);
      } catch (error) {
        truncateTo(descriptor, bytes);
        throw error;
      }
      bytes += all.length;
      lengths.set(ownerOf(file), { number: numberOf(file), bytes });
    },
  };
}

/** How long a journal that is appended to was at least. Throws when a later one of its owner is known. */
export function lengthOf({ lengths, root }: Pool, file: string): number {
  const { number, bytes } = lengths.of(ownerOf(file)) ?? { number: 0, bytes: 0 };
  // The list of worlds has lost the line that named the later one.
  if (number > numberOf(file)) throw damaged(logPath(root));
  return number < numberOf(file) ? 0 : bytes;
}

/** What is known of the end of a journal that is still appended to. */
export interface JournalEnd {
  /** So many bytes it had at least: what is missing of them is damage. */
  readonly least: number;
  /** Drops what is torn from the file, so that the next line does not continue it. */
  readonly mayCut: boolean;
}

/** The lines of a journal as far as it counts. A last write that is not whole was never acknowledged, and is passed over. */
export function* readStretch(
  pool: Pick<Pool, "path">,
  { file, bytes }: Stretch,
  { least: known, mayCut }: JournalEnd = { least: 0, mayCut: false },
): Iterable<JournalLine> {
  const path = pool.path(file);
  const least = bytes ?? known;
  const all = bytesOf(path);
  const end = bytes ?? all.length;
  let start = 0;
  // One line at a time: as objects, all of them would take many times the room of their text.
  for (let line = 1; start < end; line += 1) {
    const stop = endOfLines(all, start, 1);
    if (stop > end) break;
    const parsed = parseSummed(all, start, stop - 1) as JournalLine | undefined;
    if (!parsed) throw damaged(path, `line ${line}`);
    if (bytes === null && endOfLines(all, start, parsed.lines ?? 1) > end) break;
    yield parsed;
    start = stop;
  }
  if (start < least) throw endIsLost(path, all, start, least);
  if (mayCut && start < end) truncateSync(path, start);
}

function bytesOf(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
}

function endIsLost(path: string, all: Buffer, start: number, least: number): StoreError {
  return all.length < least ? tooShort(path, least) : damaged(path, `byte ${start}`);
}

/** Where so many lines end; infinite when there are fewer. */
function endOfLines(all: Buffer, start: number, lines: number): number {
  let end = start;
  for (let n = 0; n < lines; n += 1) end = all.indexOf(LINE_FEED, end) + 1 || Number.POSITIVE_INFINITY;
  return end;
}
