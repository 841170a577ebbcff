import type { LocatedPiece } from "./layers.ts";
import {
  appendAll,
  type OpenFiles,
  readExactly,
  type SegmentFiles,
  sizeOf,
  truncateTo,
} from "./open-files.ts";
import { addedPath, segmentPath } from "./paths.ts";
import { packRecords, RECORD_BYTES, type SidecarRecord, type SidecarView, viewSidecar } from "./sidecar.ts";

/** A stretch of a segment that lies in two files of its own, and what of the segment comes before it. */
export interface Piece extends SegmentFiles {
  readonly firstRecord: number;
  readonly firstByte: number;
}

/**
 * The rows of one project that began on one UTC day, as the main thread knows them. Positions and offsets go on
 * from piece to piece, as if all of them were one file.
 */
export interface Segment {
  readonly number: number;
  readonly sessionId: string;
  readonly day: string;
  /** In order; only the last one may be an own one, to which is appended. */
  readonly pieces: Piece[];
  /** Records in the sidecars that count. */
  records: number;
  dataBytes: number;
  /** Rows whose newest version is here. */
  live: number;
  /** Between these, in microseconds of the day, all versions ever written here began. */
  earliest: number;
  latest: number;
}

/** What is needed to append: the open files, and the tenant's part of the own folder. */
export interface Appending {
  readonly path: string;
  readonly files: OpenFiles;
}

/** A segment without rows; `number` is its place among those of its tenant. */
export function createSegment(number: number, sessionId: string, day: string): Segment {
  return {
    number,
    sessionId,
    day,
    pieces: [],
    records: 0,
    dataBytes: 0,
    live: 0,
    earliest: Infinity,
    latest: -Infinity,
  };
}

/** The same segment for a store that goes on from it. */
export function borrowSegment(segment: Segment): Segment {
  return { ...segment, pieces: segment.pieces.map((piece) => ({ ...piece, isBorrowed: true })) };
}

/** What counts of each piece's two files: their beginnings. */
export function sizesOf({ pieces, records, dataBytes }: Segment) {
  return pieces.map(({ path, firstRecord, firstByte }, at) => {
    const next = pieces[at + 1] ?? { firstRecord: records, firstByte: dataBytes };
    return {
      path,
      dataBytes: next.firstByte - firstByte,
      indexBytes: (next.firstRecord - firstRecord) * RECORD_BYTES,
    };
  });
}

const RECORDS_AT_A_TIME = 16_384;

/** Fills the bytes with records, whichever pieces they are in. */
export function fillRecords(files: OpenFiles, { pieces }: Segment, bytes: Buffer, from: number): SidecarView {
  const until = from + bytes.length / RECORD_BYTES;
  for (const [at, piece] of pieces.entries()) {
    const first = Math.max(from, piece.firstRecord);
    const end = Math.min(until, pieces[at + 1]?.firstRecord ?? until);
    if (first >= end) continue;
    const part = bytes.subarray((first - from) * RECORD_BYTES, (end - from) * RECORD_BYTES);
    readExactly(files.of(piece).index, part, (first - piece.firstRecord) * RECORD_BYTES);
  }
  return viewSidecar(bytes);
}

/** So many records from a position on; throws when the sidecar is shorter. */
export function readRecords(files: OpenFiles, segment: Segment, from: number, count: number): SidecarView {
  return fillRecords(files, segment, Buffer.allocUnsafe(count * RECORD_BYTES), from);
}

/** The line of a row, which never goes on in another piece. */
export function readLine(files: OpenFiles, { pieces }: Segment, offset: number, length: number): Buffer {
  const piece = pieces.findLast(({ firstByte }) => firstByte <= offset) as Piece;
  return readExactly(files.of(piece).data, Buffer.allocUnsafe(length), offset - piece.firstByte);
}

/** Calls back for each record in order, a bounded piece at a time, until the callback says true. */
export function someRecord(
  files: OpenFiles,
  segment: Segment,
  found: (view: SidecarView, at: number, position: number) => boolean,
  begin = 0,
): boolean {
  for (let from = begin; from < segment.records; from += RECORDS_AT_A_TIME) {
    const view = readRecords(files, segment, from, Math.min(RECORDS_AT_A_TIME, segment.records - from));
    for (let at = 0; at < view.count; at += 1) if (found(view, at, from + at)) return true;
  }
  return false;
}

/** What a segment begins with in the own folder, or goes on with there: what others have of it stays as it is. */
function ownPiece({ files, path }: Appending, segment: Segment): Piece {
  const { pieces, sessionId, day, records, dataBytes } = segment;
  const last = pieces.at(-1);
  if (last !== undefined && !last.isBorrowed) return last;
  const whole = segmentPath(path, sessionId, day);
  const location = { path: last === undefined ? whole : addedPath(whole), isBorrowed: false };
  const piece = { ...location, firstRecord: records, firstByte: dataBytes };
  // A process that ended before its first record may have left data.
  trimTornTail(files, piece);
  pieces.push(piece);
  return piece;
}

/** Appends lines and their records to the own part of a segment. */
export function appendRows(
  appending: Appending,
  segment: Segment,
  lines: string,
  records: readonly SidecarRecord[],
): void {
  const { data } = appending.files.of(ownPiece(appending, segment));
  // The data goes first: a record in the sidecar must never speak of bytes that are not there.
  const bytes = Buffer.from(lines, "utf8");
  appendAll(data, bytes);
  appendRecords(appending, segment, records);
  segment.dataBytes += bytes.length;
}

/** Appends records that have no lines of their own. */
export function appendRecords(
  appending: Appending,
  segment: Segment,
  records: readonly SidecarRecord[],
): void {
  appendAll(appending.files.of(ownPiece(appending, segment)).index, packRecords(records));
  segment.records += records.length;
}

/** How much of a piece counts: its records, and where in the segment the data of the last of them ends. */
interface ValidExtent {
  readonly count: number;
  readonly end: number;
}

/** The records at the front of a sidecar that follow one another and have their data. */
export function wholeRecords(index: number, dataBytes: number, firstByte: number): ValidExtent {
  let count = Math.floor(sizeOf(index) / RECORD_BYTES);
  for (; count > 0; count -= 1) {
    const first = Math.max(0, count - 2);
    const bytes = Buffer.allocUnsafe((count - first) * RECORD_BYTES);
    const view = viewSidecar(readExactly(index, bytes, first * RECORD_BYTES));
    const last = view.count - 1;
    const begin = last === 0 ? firstByte : view.offset(0) + view.length(0);
    const end = view.offset(last) + view.length(last);
    // Only the first record of a store may have number 0; others with it are zeros a crash left behind.
    const isNumbered = (last === 0 && firstByte === 0) || view.sequence(last) > 0;
    if (isNumbered && end - firstByte <= dataBytes && view.offset(last) === begin) return { count, end };
  }
  return { count, end: firstByte };
}

/** Drops what a process that was ended in the middle of a write has left at the end of the two files. */
function trimTornTail(files: OpenFiles, piece: Piece): ValidExtent {
  const { data, index } = files.of(piece);
  const { count, end } = wholeRecords(index, sizeOf(data), piece.firstByte);
  truncateTo(index, count * RECORD_BYTES);
  truncateTo(data, end - piece.firstByte);
  return { count, end };
}

/** Counts of a borrowed piece what was written before the mark; whatever else is there is left alone. */
function limitPiece(files: OpenFiles, piece: Piece, mark: number): ValidExtent {
  const { data, index } = files.of(piece);
  return recordsBefore(index, sizeOf(data), piece.firstByte, mark);
}

/** The whole records of a sidecar that were written before a mark; they stand in the order of their numbers. */
export function recordsBefore(
  index: number,
  dataBytes: number,
  firstByte: number,
  mark: number,
): ValidExtent {
  const { count, end } = wholeRecords(index, dataBytes, firstByte);
  const bytes = Buffer.allocUnsafe(RECORD_BYTES);
  const record = (at: number): SidecarView => viewSidecar(readExactly(index, bytes, at * RECORD_BYTES));
  // A mark is most often behind all that is there.
  if (count === 0 || record(count - 1).sequence(0) < mark) return { count, end };
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (record(middle).sequence(0) < mark) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return { count: 0, end: firstByte };
  const last = record(low - 1);
  return { count: low, end: last.offset(0) + last.length(0) };
}

/** Puts the pieces behind what the segment has; own ones are settled unless nobody may write to them. */
export function loadPieces(
  files: OpenFiles,
  segment: Segment,
  pieces: readonly LocatedPiece[],
  isOnlyRead = false,
): void {
  for (const { path, mark } of pieces) {
    const isBorrowed = isOnlyRead || mark !== Number.POSITIVE_INFINITY;
    const piece = { path, isBorrowed, firstRecord: segment.records, firstByte: segment.dataBytes };
    refuseGap(files, piece);
    const { count, end } = isBorrowed ? limitPiece(files, piece, mark) : trimTornTail(files, piece);
    if (isBorrowed && count === 0) continue;
    segment.pieces.push(piece);
    segment.records += count;
    segment.dataBytes = end;
  }
}

/** A machine that ended may have lost the end of a file that others go on from. */
function refuseGap(files: OpenFiles, piece: Piece): void {
  const { index } = files.of(piece);
  if (sizeOf(index) < RECORD_BYTES) return;
  const first = viewSidecar(readExactly(index, Buffer.allocUnsafe(RECORD_BYTES), 0));
  const begin = first.offset(0);
  if (begin === piece.firstByte || first.sequence(0) === 0) return;
  throw new Error(
    `${piece.path}.index goes on from byte ${begin} of a day's rows, and byte ${piece.firstByte} is where those ` +
      "end that it goes on from: files were lost or changed. Restore the data folder, or remove this world.",
  );
}
