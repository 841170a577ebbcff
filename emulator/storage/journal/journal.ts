import { readFileSync, statSync, truncateSync } from "node:fs";
import type { Stretch } from "../pool/names.ts";
import { appendAll, truncateTo } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { StoreError } from "../store-error.ts";
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
export function openJournal({ path, files }: Pool, file: string): Journal {
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
    },
  };
}

/**
 * The lines of a journal as far as it counts. A last line without its end was never acknowledged: it is passed over,
 * and with `mayCut` dropped from the file, so that the next line does not continue it.
 */
export function* readStretch(
  pool: Pick<Pool, "path">,
  { file, bytes }: Stretch,
  mayCut: boolean,
): Iterable<JournalLine> {
  const path = pool.path(file);
  const all = readIfThere(path, bytes === null);
  const counted = bytes === null ? all : all.subarray(0, bytes);
  const end = counted.lastIndexOf(LINE_FEED) + 1;
  if (bytes !== null && end !== bytes)
    throw new StoreError(`${path} ends before byte ${bytes}; restore the file.`);
  if (mayCut && bytes === null && end < all.length) truncateSync(path, end);
  // One line at a time: as objects, all of them would take many times the room of their text.
  for (let [start, line] = [0, 1]; start < end; line += 1) {
    const stop = counted.indexOf(LINE_FEED, start);
    yield parseLine(counted.toString("utf8", start, stop), `${path}, line ${line}`);
    start = stop + 1;
  }
}

function readIfThere(path: string, mayBeMissing: boolean): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (!mayBeMissing || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

function parseLine(text: string, place: string): JournalLine {
  try {
    return JSON.parse(text) as JournalLine;
  } catch {
    throw new StoreError(`${place}, is damaged; restore the file or remove the data folder.`);
  }
}
