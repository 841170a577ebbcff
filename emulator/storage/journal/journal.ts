import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { areSealed, parseChecked, parseSummed, type Seal, sealBlocks, sealLines } from "../checksum.ts";
import { type JournalSegment, numberOf, ownerOf } from "../pool/names.ts";
import { truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool, PoolNames } from "../pool/pool.ts";
import { damaged, readStored, tooShort } from "../store-error.ts";
import type { JournalLine } from "./line.ts";

/** The number of a journal (u32), the end of its lines (f64) and the checksum. */
const BYTES = 16;
const END = 4;

/** The file with the end of the journal that an owner writes. With it, a journal that was replaced by an earlier version is found. */
export function endFileOf(journal: string): string {
  return `${ownerOf(journal)}/journal-end`;
}

/** Creates the file, in place of an existing one. */
export function beginJournalEnd(pool: PoolNames, journal: string, end: number): void {
  const path = pool.path(endFileOf(journal));
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, bytesOf(pool, journal, end), { mode: 0o600 });
}

/** Writes the end of the lines of a journal, after the lines. */
export function writeJournalEnd(
  pool: Pick<Pool, keyof PoolNames | "files">,
  journal: string,
  end: number,
): void {
  writeAll(pool.files.change(pool.path(endFileOf(journal))), bytesOf(pool, journal, end), 0);
}

function bytesOf({ sealOf }: PoolNames, journal: string, end: number): Buffer {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeUInt32LE(numberOf(journal), 0);
  bytes.writeDoubleLE(end, END);
  sealBlocks(bytes, BYTES, sealOf(endFileOf(journal)), 0);
  return bytes;
}

/** The end of the acknowledged lines of a journal; 0 when the file cannot be used, since it has no data. */
export function readJournalEnd({ path, sealOf }: PoolNames, journal: string): number {
  const name = endFileOf(journal);
  const bytes = contentOf(path(name));
  const isOfJournal =
    bytes.length === BYTES &&
    areSealed(bytes, sealOf(name), 0) &&
    bytes.readUInt32LE(0) === numberOf(journal);
  return isOfJournal ? bytes.readDoubleLE(END) : 0;
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

const LINE_FEED = 0x0a;
/**
 * Fills a journal after its lines. JSON text contains no tab: a file that does not end with a tab has lost its end, and a line
 * that is followed by a tab instead of a line feed was not completely written.
 */
const BLANK = 0x09;
const BLOCK_BYTES = 4 * 1024;
/** From this size on, a journal grows in steps of this size. */
const LARGE_BYTES = 64 * 1024;
const BLANKS = Buffer.alloc(LARGE_BYTES, BLANK);

/** A journal that is being written. Its file is created before the first rows and lines of its turns. */
export interface Journal {
  readonly file: string;
  /** Bytes of its lines. */
  readonly bytes: number;
  /** Creates the file without lines, and replaces an existing one. */
  begin(): void;
  /** Seals and writes whole lines. When it returns, they survive the end of the process; after a kill, either all of them count or none. */
  writeLines(lines: Buffer): void;
}

/** Opens the journal `file`, whose lines have so many bytes. */
export function openJournal(pool: Pick<Pool, keyof PoolNames | "files">, file: string, bytes = 0): Journal {
  const { files } = pool;
  const path = pool.path(file);
  const seal = pool.sealOf(file);
  let end = bytes;
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0) beginJournalEnd(pool, file, end);

  /** Writes blanks before lines, so that the file ends with a blank whenever the process is killed. */
  function makeRoom(descriptor: number, needed: number): void {
    const block = needed < LARGE_BYTES ? BLOCK_BYTES : LARGE_BYTES;
    const enlarged = (Math.floor(needed / block) + 1) * block;
    try {
      for (let at = size; at < enlarged; at += LARGE_BYTES)
        writeAll(descriptor, BLANKS.subarray(0, enlarged - at), at);
    } catch (error) {
      // A part that fits on a full disk would keep the disk full.
      truncateTo(descriptor, size);
      throw error;
    }
    size = enlarged;
  }

  return {
    file,
    get bytes() {
      return end;
    },
    begin() {
      files.release(path);
      makeBlank(path);
      beginJournalEnd(pool, file, 0);
      size = BLOCK_BYTES;
    },
    writeLines(lines) {
      const descriptor = files.change(path);
      if (end + lines.length >= size) makeRoom(descriptor, end + lines.length);
      sealLines(lines, seal, end);
      writeAll(descriptor, lines, end);
      end += lines.length;
      writeJournalEnd(pool, file, end);
    },
  };
}

/** Creates the file in one step, because a file without a blank is damaged. */
function makeBlank(path: string): void {
  const temporary = `${path}.new`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(temporary, BLANKS.subarray(0, BLOCK_BYTES), { mode: 0o600 });
  renameSync(temporary, path);
}

/** Called for a journal that is still written, with the end of its lines and the end of a torn write after them. */
export type JournalEnd = (end: number, torn: number, path: string) => void;

/** The lines of a journal segment. A torn last write was never acknowledged and is skipped. */
export function* readJournalSegment(
  pool: PoolNames,
  { file, bytes, isBegun }: JournalSegment,
  onEnd?: JournalEnd,
): Iterable<JournalLine> {
  if (bytes === null && !isBegun) return;
  const path = pool.path(file);
  // It is read before the lines, which another thread may be writing.
  const knownEnd = bytes ?? readJournalEnd(pool, file);
  const content = existsSync(path) ? readStored(path, () => readFileSync(path)) : Buffer.alloc(0);
  const seal = pool.sealOf(file);
  const end = yield* linesIn(content, bytes ?? endOfContent(content, seal, path), seal, path);
  if (end < knownEnd)
    throw content.length < knownEnd ? tooShort(path, knownEnd) : damaged(path, `byte ${end}`);
  if (bytes === null) onEnd?.(end, Math.max(end, endOfText(content)), path);
}

/**
 * Yields the lines and returns where the last one ends. All lines are checked at once and, if that fails, one by one. They are
 * parsed one at a time, because as objects they would take many times the memory of their text.
 */
function* linesIn(content: Buffer, end: number, seal: Seal, path: string): Generator<JournalLine, number> {
  const isWhole = areSealed(content.subarray(0, end), seal, 0);
  let start = 0;
  for (let line = 1; start < end; line += 1) {
    const stop = endOfLines(content, start, 1);
    if (stop > end) break;
    const journalLine = (
      isWhole ? parseChecked(content, start, stop - 1) : parseSummed(content, seal, start, stop - 1)
    ) as JournalLine | undefined;
    if (!journalLine) throw damaged(path, `line ${line}`);
    if (journalLine.lines && endOfLines(content, start, journalLine.lines) > end) break;
    yield journalLine;
    start = stop;
  }
  return start;
}

/** Where the last whole line ends. */
function endOfContent(content: Buffer, seal: Seal, path: string): number {
  if (content.at(-1) !== BLANK) throw tooShort(path, content.length + 1);
  const end = content.lastIndexOf(LINE_FEED) + 1;
  // A whole line whose line feed was overwritten.
  if (parseSummed(content, seal, end, endOfText(content) - 1)) throw damaged(path, `byte ${end}`);
  return end;
}

function endOfText(content: Buffer): number {
  let end = content.length;
  while (content[end - 1] === BLANK) end -= 1;
  return end;
}

/** Where the given number of lines ends; infinite when there are fewer. */
function endOfLines(content: Buffer, start: number, lines: number): number {
  let end = start;
  for (let n = 0; n < lines; n += 1) end = content.indexOf(LINE_FEED, end) + 1 || Number.POSITIVE_INFINITY;
  return end;
}

/** Overwrites a torn write with blanks, from its end backwards, so that a remaining part never looks like lines. */
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
