import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { areSealed, parseChecked, parseSummed } from "../checksum.ts";
import type { JournalSegment } from "../pool/names.ts";
import { truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged, tooShort } from "../store-error.ts";
import type { JournalLine } from "./line.ts";

const LINE_FEED = 0x0a;
/**
 * What a journal has behind its lines. JSON text has no tab in it, so a file that does not end with one has lost its end, and a
 * line that one follows without a line feed was never written whole.
 */
const BLANK = 0x09;
const BLOCK_BYTES = 4 * 1024;
/** From this size on a journal grows by as much. */
const LARGE_BYTES = 64 * 1024;
const BLANKS = Buffer.alloc(LARGE_BYTES, BLANK);

/** A journal that is written to; its file is made before the first rows or lines of its turns are. */
export interface Journal {
  readonly file: string;
  /** Of its lines. */
  readonly bytes: number;
  /** Makes the file anew, without lines. */
  begin(): void;
  /** Whole lines. Once it returns, they survive the end of the process; a part of them is never left behind. */
  writeLines(lines: Uint8Array): void;
}

/** The journal of a name, of which so many bytes are lines. */
export function openJournal(pool: Pick<Pool, "path" | "files">, file: string, bytes = 0): Journal {
  const { files } = pool;
  const path = pool.path(file);
  let end = bytes;
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;

  /** Blanks first: wherever the process is killed in a write, the file ends with one. */
  function makeRoom(descriptor: number, needed: number): void {
    const block = needed < LARGE_BYTES ? BLOCK_BYTES : LARGE_BYTES;
    const wanted = (Math.floor(needed / block) + 1) * block;
    try {
      for (let at = size; at < wanted; at += LARGE_BYTES)
        writeAll(descriptor, BLANKS.subarray(0, wanted - at), at);
    } catch (error) {
      // What a full disk took of it would keep that disk full.
      truncateTo(descriptor, size);
      throw error;
    }
    size = wanted;
  }

  return {
    file,
    get bytes() {
      return end;
    },
    begin() {
      files.release(path);
      makeBlank(path);
      size = BLOCK_BYTES;
    },
    writeLines(lines) {
      const descriptor = files.change(path);
      if (end + lines.length >= size) makeRoom(descriptor, end + lines.length);
      writeAll(descriptor, lines, end);
      end += lines.length;
    },
  };
}

/** In one step, since a file without a blank is a damaged one. */
function makeBlank(path: string): void {
  const temporary = `${path}.new`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(temporary, BLANKS.subarray(0, BLOCK_BYTES), { mode: 0o600 });
  renameSync(temporary, path);
}

/** Called with the end of the lines of a journal that is still written to, and the end of what a killed process wrote behind them. */
export type JournalEnd = (end: number, torn: number, path: string) => void;

/** The lines of a journal as far as it counts. A last write that is not whole was never acknowledged, and is passed over. */
export function* readJournalSegment(
  pool: Pick<Pool, "path">,
  { file, bytes, isBegun }: JournalSegment,
  onEnd?: JournalEnd,
): Iterable<JournalLine> {
  if (bytes === null && !isBegun) return;
  const path = pool.path(file);
  const all = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const end = yield* linesIn(all, bytes ?? endOfAll(all, path), path);
  if (bytes === null) onEnd?.(end, Math.max(end, endOfText(all)), path);
  else if (end < bytes) throw all.length < bytes ? tooShort(path, bytes) : damaged(path, `byte ${end}`);
}

/**
 * Answers where the last line ends. All are checked at once, and where that fails one by one; they are parsed one at a time: as
 * objects, all of them would take many times the room of their text.
 */
function* linesIn(all: Buffer, end: number, path: string): Generator<JournalLine, number> {
  const parse = areSealed(all.subarray(0, end)) ? parseChecked : parseSummed;
  let start = 0;
  for (let line = 1; start < end; line += 1) {
    const stop = endOfLines(all, start, 1);
    if (stop > end) break;
    const parsed = parse(all, start, stop - 1) as JournalLine | undefined;
    if (!parsed) throw damaged(path, `line ${line}`);
    if (parsed.lines && endOfLines(all, start, parsed.lines) > end) break;
    yield parsed;
    start = stop;
  }
  return start;
}

/** Where the last whole line ends. */
function endOfAll(all: Buffer, path: string): number {
  if (all.at(-1) !== BLANK) throw tooShort(path, all.length + 1);
  const end = all.lastIndexOf(LINE_FEED) + 1;
  // A whole line, and what its line feed has become.
  if (parseSummed(all, end, endOfText(all) - 1)) throw damaged(path, `byte ${end}`);
  return end;
}

function endOfText(all: Buffer): number {
  let end = all.length;
  while (all[end - 1] === BLANK) end -= 1;
  return end;
}

/** Where so many lines end; infinite when there are fewer. */
function endOfLines(all: Buffer, start: number, lines: number): number {
  let end = start;
  for (let n = 0; n < lines; n += 1) end = all.indexOf(LINE_FEED, end) + 1 || Number.POSITIVE_INFINITY;
  return end;
}

/** Puts blanks in place of what was not written whole; from its end on, so that what is left of it never looks like lines. */
export function dropTorn(end: number, torn: number, path: string): void {
  if (torn === end) return;
  const file = openSync(path, "r+");
  try {
    for (let until = torn; until > end; ) {
      const from = Math.max(end, (Math.ceil(until / BLOCK_BYTES) - 1) * BLOCK_BYTES);
      writeAll(file, BLANKS.subarray(0, until - from), from);
      until = from;
    }
  } finally {
    closeSync(file);
  }
}
