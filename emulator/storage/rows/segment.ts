import type { TailLength } from "../journal/line.ts";
import type { LineWriter } from "../line-writer.ts";
import type { NamedSegment, RowFile } from "../pool/names.ts";
import { readExactly, truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { checkedLine } from "./lines.ts";
import { checkRecords, RECORD_BYTES, type SidecarRecord, type SidecarView, viewSidecar } from "./sidecar.ts";
import { giveRoomBack, takeRoom, type WaitingRows } from "./waiting-rows.ts";

export const DATA = ".ndjson";
export const INDEX = ".index";

/** A file of a segment, and what of the segment comes before it. */
interface LoadedFile extends Pick<RowFile, "file" | "below" | "tail"> {
  readonly firstRecord: number;
  readonly firstByte: number;
}

/**
 * The rows of one project that began on one UTC day. Positions and offsets go on from file to file, as if all of
 * them were one file; what was written since the last `appendWaiting` comes last, in memory.
 */
export interface Segment {
  readonly number: number;
  readonly region: string;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly day: string;
  /** In order; only the last one may be an own tail, to which is appended. */
  readonly rowFiles: LoadedFile[];
  records: number;
  dataBytes: number;
  /** Of those, what lies in files. */
  filedRecords: number;
  filedBytes: number;
  /** What does not, if there is any. */
  waiting: WaitingRows | undefined;
  /** Rows whose newest version is here. */
  live: number;
  /** Between these, in microseconds of the day, all versions ever written here began. */
  earliest: number;
  latest: number;
}

type SegmentName = Omit<NamedSegment, "rowFiles">;

/** A segment without rows; `number` is its place among those of its tenant. */
export function createSegment(number: number, { region, tenantId, sessionId, day }: SegmentName): Segment {
  return {
    number,
    region,
    tenantId,
    sessionId,
    day,
    rowFiles: [],
    records: 0,
    dataBytes: 0,
    filedRecords: 0,
    filedBytes: 0,
    waiting: undefined,
    live: 0,
    earliest: Number.POSITIVE_INFINITY,
    latest: Number.NEGATIVE_INFINITY,
  };
}

/** The same segment for the store that owns its tail. Nothing may wait. */
export function copySegment(segment: Segment): Segment {
  return { ...segment, rowFiles: [...segment.rowFiles], waiting: undefined };
}

/** The same segment for others, who see of its tail what is numbered below the mark. Nothing may wait. */
export function sealedSegment(segment: Segment, mark: number): Segment {
  const rowFiles = segment.rowFiles.map((rowFile) => sealedRowFile(rowFile, mark));
  return { ...segment, rowFiles, waiting: undefined };
}

/** A file as others name it, who see of a tail what is numbered below the mark. */
export function sealedRowFile<P extends Pick<RowFile, "below" | "tail">>(
  { tail: _, ...rowFile }: P,
  mark: number,
): Omit<P, "tail"> {
  return { ...rowFile, below: rowFile.below ?? mark };
}

/** The segment as a journal names it. */
export function nameSegment(segment: Segment): NamedSegment {
  const { region, tenantId, sessionId, day } = segment;
  const rowFiles = extentsOf(segment).map(({ firstByte: _, ...rowFile }) => rowFile);
  return { region, tenantId, sessionId, day, rowFiles };
}

/** How long the tail of a segment is now. */
export function lengthOfTail(segment: Segment): TailLength {
  const { tail = 0, records, bytes } = extentsOf(segment).at(-1) ?? { records: 0, bytes: 0 };
  return [tail, records, bytes];
}

/** How much of each file counts. */
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

/** Fills the bytes with records, wherever they are. */
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
      readExactly(fileOf(pool, rowFile, INDEX), part, inFile * RECORD_BYTES);
      checkRecords(part, pool.path(rowFile.file + INDEX), inFile);
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

/** The file of a file. An own tail may have grown by another descriptor, which does no harm. */
function fileOf({ files, path }: Pool, { file, below }: LoadedFile, ending: string): number {
  return below === null ? files.appended(path(file + ending)) : files.read(path(file + ending));
}

/** So many records from a position on; throws when the sidecar is shorter. */
export function readRecords(pool: Pool, segment: Segment, from: number, count: number): SidecarView {
  return fillRecords(pool, segment, Buffer.allocUnsafe(count * RECORD_BYTES), from);
}

/** The line of a row, which never goes on in another file. */
export function readLine(pool: Pool, segment: Segment, offset: number, length: number): Buffer {
  if (offset >= segment.filedBytes) {
    const start = offset - segment.filedBytes;
    if (!segment.waiting) throw new Error(`no line of ${segment.day} begins at byte ${offset}`);
    return Buffer.from(segment.waiting.lines.bytes.subarray(start, start + length));
  }
  const rowFile = segment.rowFiles.findLast(({ firstByte }) => firstByte <= offset) as LoadedFile;
  const byte = offset - rowFile.firstByte;
  const line = readExactly(fileOf(pool, rowFile, DATA), Buffer.allocUnsafe(length), byte);
  return checkedLine(line, pool.path(rowFile.file + DATA), byte);
}

/** Calls back for each record from a position on, a bounded number at a time, until the callback says true. */
export function someRecord(
  pool: Pool,
  segment: Segment,
  found: (view: SidecarView, at: number, position: number) => boolean,
  first = 0,
): boolean {
  for (let from = first; from < segment.records; from += RECORDS_AT_A_TIME) {
    const view = readRecords(pool, segment, from, Math.min(RECORDS_AT_A_TIME, segment.records - from));
    for (let at = 0; at < view.count; at += 1) if (found(view, at, from + at)) return true;
  }
  return false;
}

/** Where lines are written that `addRecord` adds. */
export function linesOf(segment: Segment): LineWriter {
  segment.waiting ??= takeRoom();
  return segment.waiting.lines;
}

/** Adds the line that was written last, so many bytes long, and its record in memory: no file is touched before `appendWaiting`. */
export function addRecord(segment: Segment, bytes: number, record: SidecarRecord): void {
  segment.waiting?.records.add(record);
  segment.dataBytes += bytes;
  segment.records += 1;
}

/** Whether the last file is an own tail. */
export function hasTail({ rowFiles }: Segment): boolean {
  return rowFiles.at(-1)?.below === null;
}

/** How much the next `appendWaiting` appends, both files taken together. */
export function waitingBytes({ records, dataBytes, filedRecords, filedBytes }: Segment): number {
  return dataBytes - filedBytes + (records - filedRecords) * RECORD_BYTES;
}

/** Appends what waits to the own tail. */
export function appendWaiting(pool: Pool, segment: Segment): void {
  const { rowFiles, filedRecords, filedBytes, waiting } = segment;
  if (!waiting) return;
  const tail = rowFiles.at(-1) as LoadedFile;
  const path = pool.path(tail.file);
  appendOrCut(pool.files.append(path + DATA), waiting.lines.bytes, filedBytes - tail.firstByte);
  const recordBytes = (filedRecords - tail.firstRecord) * RECORD_BYTES;
  appendOrCut(pool.files.append(path + INDEX), waiting.records.bytes, recordBytes);
  segment.waiting = undefined;
  giveRoomBack(waiting);
  segment.filedRecords = segment.records;
  segment.filedBytes = segment.dataBytes;
}

/** What a full disk took of it would keep that disk full. */
function appendOrCut(file: number, bytes: Uint8Array, size: number): void {
  try {
    writeAll(file, bytes);
  } catch (error) {
    truncateTo(file, size);
    throw error;
  }
}

/** The tail of a segment in the folder of its owner. */
export function tailName(owner: number, { region, tenantId, sessionId, day }: SegmentName): string {
  return `${owner}/rows/${region}/${tenantId}/${sessionId}/${day}`;
}
