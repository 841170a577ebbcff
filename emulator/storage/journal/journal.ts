import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { areSealed, parseChecked, parseSummed, type Seal, sealBlocks, sealLines } from "../checksum.ts";
import { type JournalSegment, numberOf, ownerOf } from "../pool/names.ts";
import { writeAll, writeOrCut } from "../pool/open-files.ts";
import type { Pool, PoolNames } from "../pool/pool.ts";
import { damaged, readStored, tooShort } from "../store-error.ts";
import type { JournalLine } from "./line.ts";

const LINE_FEED = 0x0a;
/** In the file with the end: the number of a journal (u32), the end of its lines (f64) and the checksum. */
const END_FILE_BYTES = 16;
const END_AT = 4;

type JournalPool = Pick<Pool, keyof PoolNames | "files">;

/** A journal that is being written. Its file is created before the first rows and lines of its turns. */
export type Journal = ReturnType<typeof openJournal>;

/** Opens the journal `file`, whose lines have so many bytes. */
export function openJournal(pool: JournalPool, file: string, bytes = 0) {
  const { files } = pool;
  const path = pool.path(file);
  const seal = pool.sealOf(file);
  let end = bytes;
  if (existsSync(path)) createEndFile(pool, file, end);
  return {
    file,
    /** Bytes of its lines. */
    get bytes(): number {
      return end;
    },
    /** Creates the file without lines, and replaces an existing one. */
    begin(): void {
      createFile(pool, file, "");
      createEndFile(pool, file, 0);
    },
    /** Seals and writes whole lines. When it returns, they survive the end of the process; after a kill, either all of them count or none. */
    writeLines(lines: Buffer): void {
      const descriptor = files.change(path);
      sealLines(lines, seal, end);
      writeOrCut(descriptor, lines, end);
      end += lines.length;
      writeJournalEnd(pool, file, end);
    },
  };
}

/** The file with the end of the journal that an owner writes. With it, a journal that has lost its end is found. */
export function endFileOf(journal: string): string {
  return `${ownerOf(journal)}/journal-end`;
}

function createEndFile(pool: JournalPool, journal: string, end: number): void {
  createFile(pool, endFileOf(journal), endBytes(pool, journal, end));
}

function createFile(pool: JournalPool, file: string, content: string | Buffer): void {
  const path = pool.path(file);
  pool.files.release(path);
  // A folder in its place is damage that a reset ends.
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, content, { mode: 0o600 });
}

/** Writes the end of the lines of a journal, after the lines. */
export function writeJournalEnd(pool: JournalPool, journal: string, end: number): void {
  writeAll(pool.files.change(pool.path(endFileOf(journal))), endBytes(pool, journal, end), 0);
}

function endBytes({ sealOf }: PoolNames, journal: string, end: number): Buffer {
  const bytes = Buffer.alloc(END_FILE_BYTES);
  bytes.writeUInt32LE(numberOf(journal), 0);
  bytes.writeDoubleLE(end, END_AT);
  sealBlocks(bytes, END_FILE_BYTES, sealOf(endFileOf(journal)), 0);
  return bytes;
}

/** The end of the acknowledged lines of a journal; 0 when the file cannot be used, since it has no data. */
function readJournalEnd({ path, sealOf }: PoolNames, journal: string): number {
  const name = endFileOf(journal);
  try {
    const bytes = readFileSync(path(name));
    const isWhole = bytes.length === END_FILE_BYTES && areSealed(bytes, sealOf(name), 0);
    return isWhole && bytes.readUInt32LE(0) === numberOf(journal) ? bytes.readDoubleLE(END_AT) : 0;
  } catch {
    return 0;
  }
}

/** Called for a journal that is still written, with the end of its lines. */
export type JournalEnd = (end: number, path: string) => void;

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
  const content = readStored(path, () => readFileSync(path));
  if (content.length < knownEnd) throw tooShort(path, knownEnd);
  const end = yield* linesIn(content, bytes ?? content.lastIndexOf(LINE_FEED) + 1, pool.sealOf(file), path);
  if (end < knownEnd) throw damaged(path, `byte ${end}`);
  if (bytes === null) onEnd?.(end, path);
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

/** Where the given number of lines ends; infinite when there are fewer. */
function endOfLines(content: Buffer, start: number, lines: number): number {
  let end = start;
  for (let n = 0; n < lines; n += 1) end = content.indexOf(LINE_FEED, end) + 1 || Number.POSITIVE_INFINITY;
  return end;
}
