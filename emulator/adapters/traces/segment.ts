import { appendAll, type FilePlace, type OpenFiles, readExactly, sizeOf, truncateTo } from "./open-files.ts";
import { packRecords, RECORD_BYTES, type SidecarRecord, type SidecarView, viewSidecar } from "./sidecar.ts";

/** The rows of one project that began on one UTC day, as the main thread knows them. */
export interface Segment {
  readonly number: number;
  readonly sessionId: string;
  readonly day: string;
  /** Without the ending of either file. */
  path: string;
  /** True while its files are those of another store: they are copied before anything is appended. */
  isBorrowed: boolean;
  /** Records in the sidecar that count. */
  records: number;
  dataBytes: number;
  /** Rows whose newest version is here. */
  live: number;
  /** Between these, in microseconds of the day, all versions ever written here began. */
  earliest: number;
  latest: number;
}

export function createSegment(
  number: number,
  { path, isBorrowed }: FilePlace,
  sessionId: string,
  day: string,
): Segment {
  return {
    number,
    path,
    isBorrowed,
    sessionId,
    day,
    records: 0,
    dataBytes: 0,
    live: 0,
    earliest: Infinity,
    latest: -Infinity,
  };
}

const RECORDS_AT_A_TIME = 16_384;

export function readRecords(files: OpenFiles, segment: Segment, from: number, count: number): SidecarView {
  const bytes = Buffer.allocUnsafe(count * RECORD_BYTES);
  return viewSidecar(readExactly(files.of(segment).index, bytes, from * RECORD_BYTES));
}

/** Calls back for each record in order, a bounded piece at a time, until the callback says true. */
export function someRecord(
  files: OpenFiles,
  segment: Segment,
  found: (view: SidecarView, at: number, position: number) => boolean,
): boolean {
  for (let from = 0; from < segment.records; from += RECORDS_AT_A_TIME) {
    const view = readRecords(files, segment, from, Math.min(RECORDS_AT_A_TIME, segment.records - from));
    for (let at = 0; at < view.count; at += 1) if (found(view, at, from + at)) return true;
  }
  return false;
}

export function appendRows(
  files: OpenFiles,
  segment: Segment,
  lines: string,
  records: readonly SidecarRecord[],
): void {
  const { data } = files.of(segment);
  // The data goes first: a record in the sidecar must never speak of bytes that are not there.
  const bytes = Buffer.from(lines, "utf8");
  appendAll(data, bytes);
  appendRecords(files, segment, records);
  segment.dataBytes += bytes.length;
}

export function appendRecords(files: OpenFiles, segment: Segment, records: readonly SidecarRecord[]): void {
  appendAll(files.of(segment).index, packRecords(records));
  segment.records += records.length;
}

/** How many records at the front of the sidecar follow one another and have their data, and where that ends. */
export function wholeRecords(index: number, dataBytes: number): { count: number; end: number } {
  let count = Math.floor(sizeOf(index) / RECORD_BYTES);
  for (; count > 0; count -= 1) {
    const first = Math.max(0, count - 2);
    const bytes = Buffer.allocUnsafe((count - first) * RECORD_BYTES);
    const view = viewSidecar(readExactly(index, bytes, first * RECORD_BYTES));
    const last = view.count - 1;
    const begin = last === 0 ? 0 : view.offset(0) + view.length(0);
    const end = view.offset(last) + view.length(last);
    // Only the first record of a store may have number 0; others with it are zeros a crash left behind.
    const isNumbered = last === 0 || view.sequence(last) > 0;
    if (isNumbered && end <= dataBytes && view.offset(last) === begin) return { count, end };
  }
  return { count, end: 0 };
}

/** Drops what a process that was ended in the middle of a write has left at the end of the two files. */
export function settleSegment(files: OpenFiles, segment: Segment): void {
  const { data, index } = files.of(segment);
  const { count, end } = wholeRecords(index, sizeOf(data));
  truncateTo(index, count * RECORD_BYTES);
  truncateTo(data, end);
  segment.records = count;
  segment.dataBytes = end;
}

/** Counts of a borrowed segment what was written before the mark; whatever else is there is left alone. */
export function limitSegment(files: OpenFiles, segment: Segment, mark: number): void {
  const { data, index } = files.of(segment);
  const { count } = wholeRecords(index, sizeOf(data));
  const record = (at: number): SidecarView => readRecords(files, segment, at, 1);
  let low = 0;
  let high = count;
  // A mark is most often behind all that is there.
  if (count > 0 && record(count - 1).sequence(0) < mark) low = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (record(middle).sequence(0) < mark) low = middle + 1;
    else high = middle;
  }
  segment.records = low;
  if (low === 0) return;
  const last = record(low - 1);
  segment.dataBytes = last.offset(0) + last.length(0);
}
