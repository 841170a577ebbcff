import { firstIndex } from "../../kernel/first-index.ts";
import { sealBlocks, sealLines } from "../checksum.ts";
import type { TailLength } from "../journal/line.ts";
import type { NamedSegment, RowFile } from "../pool/names.ts";
import { readExactly, writeOrCut } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { checkedLine } from "./lines.ts";
import {
  checkRecords,
  giveRoomBack,
  RECORD_BYTES,
  type SidecarRecord,
  type SidecarView,
  takeRoom,
  viewSidecar,
  type WaitingRows,
} from "./sidecar.ts";

export const DATA = ".ndjson";
export const INDEX = ".index";

/** A file of a segment, and the records and bytes of the segment before it. */
interface LoadedFile extends Pick<RowFile, "file" | "below" | "tail"> {
  readonly firstRecord: number;
  readonly firstByte: number;
}

/**
 * The rows of one project that began on one UTC day. Positions and offsets continue from file to file, as if all of
 * them were one file. Rows since the last `appendWaiting` are at the end, in memory.
 */
export interface Segment extends SegmentName {
  readonly number: number;
  /** In order. Only the last one may be an own tail, to which rows are appended. */
  readonly rowFiles: LoadedFile[];
  records: number;
  dataBytes: number;
  /** The part of these in files. */
  filedRecords: number;
  filedBytes: number;
  /** The part in memory, if any. */
  waiting: WaitingRows | undefined;
  /** The number of rows whose newest version is here. */
  live: number;
}

type SegmentName = Omit<NamedSegment, "rowFiles">;

/** A segment without rows. `number` is its index among those of its tenant. */
export function createSegment(number: number, { region, tenantId, sessionId, day }: SegmentName): Segment {
  const counts = { records: 0, dataBytes: 0, filedRecords: 0, filedBytes: 0, live: 0 };
  return { number, region, tenantId, sessionId, day, rowFiles: [], ...counts, waiting: undefined };
}

/** The same segment for the store that owns its tail. No row may be pending. */
export function copySegment(segment: Segment): Segment {
  return { ...segment, rowFiles: [...segment.rowFiles], waiting: undefined };
}

/** The same segment for other worlds, which read its rows below the mark. No row may be pending. */
export function sealedSegment(segment: Segment, mark: number): Segment {
  const rowFiles = segment.rowFiles.map((rowFile) => sealedRowFile(rowFile, mark));
  return { ...segment, rowFiles, waiting: undefined };
}

/** The same for the names of files. */
export function sealedNames(segment: NamedSegment, mark: number): NamedSegment {
  return { ...segment, rowFiles: segment.rowFiles.map((rowFile) => sealedRowFile(rowFile, mark)) };
}

function sealedRowFile<P extends Pick<RowFile, "below" | "tail">>(
  { tail: _, ...rowFile }: P,
  mark: number,
): Omit<P, "tail"> {
  return { ...rowFile, below: Math.min(rowFile.below ?? mark, mark) };
}

/** The segment with its file names, for a journal line. */
export function nameSegment(segment: Segment): NamedSegment {
  const { region, tenantId, sessionId, day } = segment;
  const rowFiles = extentsOf(segment).map(({ firstByte: _, ...rowFile }) => rowFile);
  return { region, tenantId, sessionId, day, rowFiles };
}

/** The current length of the tail of a segment. */
export function lengthOfTail(segment: Segment): TailLength {
  const { tail = 0, records, bytes } = extentsOf(segment).at(-1) ?? { records: 0, bytes: 0 };
  return [tail, records, bytes];
}

/** The part of a row file that counts. */
export type Extent = ReturnType<typeof extentsOf>[number];

/** The files of a segment with the records and bytes that count. */
export function extentsOf({
  rowFiles,
  filedRecords,
  filedBytes,
}: Pick<Segment, "rowFiles" | "filedRecords" | "filedBytes">) {
  return rowFiles.map(({ firstRecord, ...rowFile }, at) => {
    const next = rowFiles[at + 1] ?? { firstRecord: filedRecords, firstByte: filedBytes };
    const bytes = next.firstByte - rowFile.firstByte;
    return { ...rowFile, records: next.firstRecord - firstRecord, bytes };
  });
}

const RECORDS_AT_A_TIME = 16_384;

/** Fills the buffer with records from files and from memory. */
export function fillRecords(pool: Pool, segment: Segment, bytes: Buffer, from: number): SidecarView {
  const { rowFiles, filedRecords } = segment;
  const until = from + bytes.length / RECORD_BYTES;
  const filedUntil = Math.min(until, filedRecords);
  for (let at = rowFiles.length - 1; at >= 0; at -= 1) {
    const rowFile = rowFiles[at] as LoadedFile;
    const first = Math.max(from, rowFile.firstRecord);
    const end = Math.min(filedUntil, rowFiles[at + 1]?.firstRecord ?? filedUntil);
    if (first < end) {
      const part = bytes.subarray((first - from) * RECORD_BYTES, (end - from) * RECORD_BYTES);
      const inFile = first - rowFile.firstRecord;
      const file = rowFile.file + INDEX;
      const path = pool.path(file);
      readExactly(openRowFile(pool, rowFile, path), part, inFile * RECORD_BYTES, path);
      checkRecords(part, path, pool.sealOf(file), inFile);
    }
    if (rowFile.firstRecord <= from) break;
  }
  if (until > filedRecords) {
    const first = Math.max(from, filedRecords);
    const [begin, end] = [first - filedRecords, until - filedRecords];
    const at = (first - from) * RECORD_BYTES;
    segment.waiting?.records.bytes.copy(bytes, at, begin * RECORD_BYTES, end * RECORD_BYTES);
  }
  return viewSidecar(bytes);
}

/** Opens the data or the index of a row file. */
function openRowFile({ files }: Pool, { below }: LoadedFile, path: string): number {
  return below === null ? files.appended(path) : files.read(path);
}

/** Reads records from a position on. Throws when the sidecar is shorter. */
export function readRecords(pool: Pool, segment: Segment, from: number, count: number): SidecarView {
  return fillRecords(pool, segment, Buffer.allocUnsafe(count * RECORD_BYTES), from);
}

/** Reads the line of a row, which is always in one file. */
export function readLine(pool: Pool, segment: Segment, offset: number, length: number): Buffer {
  return createLineReader(pool, segment)(offset, length);
}

/** To read so many bytes costs little more than to read one line. */
const READ_AHEAD_BYTES = 32 * 1024;

/** Reads the lines of rows in turn. If the row after it (`next`) is near, lines on that side are read as well. */
export function createLineReader(pool: Pool, segment: Segment) {
  let block: ReturnType<typeof readBlock> | undefined;
  return (offset: number, length: number, next = Number.POSITIVE_INFINITY): Buffer => {
    const { filedBytes, waiting } = segment;
    if (offset >= filedBytes) {
      const start = offset - filedBytes;
      if (!waiting) throw new Error(`No line of ${segment.day} begins at byte ${offset}.`);
      return Buffer.from(waiting.lines.bytes.subarray(start, start + length));
    }
    if (!block || offset < block.begin || offset + length > block.begin + block.bytes.length)
      block = readBlock(pool, segment, { offset, length, next });
    const { begin, bytes, path, seal, firstByte } = block;
    const line = bytes.subarray(offset - begin, offset - begin + length);
    return checkedLine(line, path, seal, offset - firstByte);
  };
}

/** Reads lines of a segment that are in one file, which begins at `firstByte` of the segment. */
function readBlock(
  pool: Pool,
  segment: Segment,
  { offset, length, next }: { readonly offset: number; readonly length: number; readonly next: number },
) {
  const at = segment.rowFiles.findLastIndex(({ firstByte }) => firstByte <= offset);
  const rowFile = segment.rowFiles[at] as LoadedFile;
  const { firstByte } = rowFile;
  let [begin, end] = [offset, offset + length];
  const isNear = Math.abs(next - offset) < READ_AHEAD_BYTES;
  if (isNear && next < offset) begin = Math.max(firstByte, Math.min(begin, end - READ_AHEAD_BYTES));
  else if (isNear) {
    const endOfFile = segment.rowFiles[at + 1]?.firstByte ?? segment.filedBytes;
    // A row without a next one has any offset for it.
    end = Math.max(end, Math.min(endOfFile, begin + READ_AHEAD_BYTES));
  }
  const file = rowFile.file + DATA;
  const path = pool.path(file);
  const opened = openRowFile(pool, rowFile, path);
  const bytes = readExactly(opened, Buffer.allocUnsafe(end - begin), begin - firstByte, path);
  return { begin, bytes, path, seal: pool.sealOf(file), firstByte };
}

/** Calls back for each record from a position on, until the callback returns true. Reads a bounded number of records at a time. */
export function someRecord(
  pool: Pool,
  segment: Segment,
  matches: (view: SidecarView, at: number, position: number) => boolean,
  first = 0,
): boolean {
  for (let from = first; from < segment.records; from += RECORDS_AT_A_TIME) {
    const view = readRecords(pool, segment, from, Math.min(RECORDS_AT_A_TIME, segment.records - from));
    for (let at = 0; at < view.count; at += 1) if (matches(view, at, from + at)) return true;
  }
  return false;
}

/** The offset where the line of a record ends. */
export function endOfLine(pool: Pool, segment: Segment, position: number): number {
  const record = readRecords(pool, segment, position, 1);
  return record.offset(0) + record.length(0);
}

/** The number of records of a segment below a mark. Most marks are after all records. */
export function countBelow(pool: Pool, segment: Segment, mark: number): number {
  const isAbove = (at: number): boolean => readRecords(pool, segment, at, 1).sequence(0) >= mark;
  const count = segment.records;
  return count === 0 || !isAbove(count - 1) ? count : firstIndex(count, isAbove);
}

/** The rows in memory, to which the next line is added. */
export function waitingOf(segment: Segment): WaitingRows {
  segment.waiting ??= takeRoom();
  return segment.waiting;
}

/** Adds a record in memory, and so many bytes of its line. `appendWaiting` writes them to files. */
export function addRecord(segment: Segment, bytes: number, record: SidecarRecord): void {
  waitingOf(segment).records.add(record);
  segment.dataBytes += bytes;
  segment.records += 1;
}

/** Whether the last file is an own tail. */
export function hasTail({ rowFiles }: Segment): boolean {
  return rowFiles.at(-1)?.below === null;
}

/** The bytes that the next `appendWaiting` appends to both files. */
export function waitingBytes({ records, dataBytes, filedRecords, filedBytes }: Segment): number {
  return dataBytes - filedBytes + (records - filedRecords) * RECORD_BYTES;
}

/** Appends pending rows to the own tail. */
export function appendWaiting(pool: Pool, segment: Segment): void {
  const { rowFiles, filedRecords, filedBytes, waiting } = segment;
  if (!waiting) return;
  const tail = rowFiles.at(-1) as LoadedFile;
  const path = pool.path(tail.file);
  const [lines, records] = [waiting.lines.bytes, waiting.records.bytes];
  const lineBytes = filedBytes - tail.firstByte;
  sealLines(lines, pool.sealOf(tail.file + DATA), lineBytes);
  writeOrCut(pool.files.append(path + DATA), lines, lineBytes);
  const recordBytes = (filedRecords - tail.firstRecord) * RECORD_BYTES;
  sealBlocks(records, RECORD_BYTES, pool.sealOf(tail.file + INDEX), recordBytes);
  writeOrCut(pool.files.append(path + INDEX), records, recordBytes);
  segment.waiting = undefined;
  giveRoomBack(waiting);
  segment.filedRecords = segment.records;
  segment.filedBytes = segment.dataBytes;
}

/** The tail of a segment in the folder of its owner. */
export function tailName(owner: number, { region, tenantId, sessionId, day }: SegmentName): string {
  return `${owner}/rows/${region}/${tenantId}/${sessionId}/${day}`;
}
