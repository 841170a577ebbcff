import type { Partition, PartitionWindow } from "../../subjects/traces/port.ts";
import { areSealed } from "../checksum.ts";
import { readExactly } from "../pool/open-files.ts";
import { checkedLine, cursorAt, type StoredRow, splitLine } from "./lines.ts";
import { type Plan, type PlannedFile, rememberPosition } from "./plan.ts";
import { createPlans, type PartitionSource, type Plans } from "./plans.ts";

/** The rows of a window after a cursor, a bounded batch at a time. */
interface RowSource {
  /**
   * The next rows, a batch at most: no more than so many, and only as many as have no more than so many
   * bytes together; but one at least, when `atLeastOne` is set and one is left. Their bytes are there until the next call.
   */
  take(maxRows: number, maxBytes: number, atLeastOne: boolean): readonly StoredRow[];
  /** Names the last row that was taken. */
  cursor(): string | null;
  /** How many rows are left. */
  left(): number;
}

/** Reads partitions with nothing but the names of files: any thread may have one, while their world goes on writing. */
export interface PartitionReader {
  open(window: PartitionWindow, cursor: string | null): RowSource;
  close(): void;
}

const MAX_BATCH_ROWS = 10_000;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const MAX_READ_BYTES = 8 * 1024 * 1024;
// Bytes of other rows that are read over rather than beginning another read.
const MAX_GAP_BYTES = 32 * 1024;

/** The file that an offset is in, and where the next one begins; one without data has the same beginning. */
function fileAt({ files }: Plan, offset: number): PlannedFile & { readonly pastByte: number } {
  const at = files.findLastIndex(({ firstByte }) => firstByte <= offset);
  return { ...(files[at] as PlannedFile), pastByte: files[at + 1]?.firstByte ?? Number.POSITIVE_INFINITY };
}

/** Rows whose lines come with one read. */
interface ReadRange {
  readonly file: PlannedFile;
  readonly begin: number;
  readonly end: number;
  /** How many of the rows that were asked for have been taken. */
  readonly past: number;
}

/** The rows from `from` on, in the order of their lines, whose lines lie close together in one file. */
function readRangeOf(plan: Plan, rows: readonly number[], from: number): ReadRange {
  const offsetOf = (at: number): number => plan.offsets[rows[at] ?? 0] ?? 0;
  const endOf = (at: number): number => offsetOf(at) + (plan.lengths[rows[at] ?? 0] ?? 0);
  const begin = offsetOf(from);
  const { pastByte, ...file } = fileAt(plan, begin);
  let end = endOf(from);
  let past = from + 1;
  for (; past < rows.length; past += 1) {
    if (offsetOf(past) >= pastByte || offsetOf(past) - end > MAX_GAP_BYTES) break;
    if (endOf(past) - begin > MAX_READ_BYTES) break;
    end = endOf(past);
  }
  return { file, begin, end, past };
}

/** Where lines are read to, batch after batch: new memory for each of them would cost as much as to read it. */
function createRoom() {
  let room = Buffer.alloc(0);
  let used = 0;
  return {
    /** What was taken before is given back. */
    empty(): void {
      used = 0;
    },
    take(bytes: number): Buffer {
      if (used + bytes > room.length) {
        room = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * room.length));
        used = 0;
      }
      used += bytes;
      return room.subarray(used - bytes, used);
    },
  };
}

type Room = ReturnType<typeof createRoom>;

/** Reads the lines at `from` … `to` of the plan; lines that lie close together come with one read. */
function readLines(plan: Plan, from: number, to: number, room: Room): Buffer[] {
  const { offsets, lengths } = plan;
  const offsetOf = (row: number): number => offsets[row] ?? 0;
  const rows = Array.from({ length: to - from }, (_, at) => from + at);
  if (rows.some((row) => row > from && offsetOf(row) < offsetOf(row - 1))) {
    rows.sort((left, right) => offsetOf(left) - offsetOf(right));
  }
  const lines = new Array<Buffer>(to - from);
  room.empty();
  for (let at = 0; at < rows.length; ) {
    const { file, begin, end, past } = readRangeOf(plan, rows, at);
    const bytes = readExactly(file.file, room.take(end - begin), begin - file.firstByte);
    // What lies between them is lines as well. If one is damaged, each that is wanted is looked at.
    const isWhole = areSealed(bytes);
    for (; at < past; at += 1) {
      const row = rows[at] ?? 0;
      const start = offsetOf(row) - begin;
      const line = bytes.subarray(start, start + (lengths[row] ?? 0));
      lines[row - from] = isWhole ? line : checkedLine(line, file.path, offsetOf(row) - file.firstByte);
    }
  }
  return lines;
}

/** Up to where a batch goes that begins at `from`: the first row may have other bounds than the rest. */
function endOfBatch(
  plan: Plan,
  from: number,
  maxRows: number,
  maxFirstBytes: number,
  maxBytes: number,
): number {
  const end = Math.min(plan.offsets.length, from + Math.min(maxRows, MAX_BATCH_ROWS));
  let bytes = 0;
  for (let to = from; to < end; to += 1) {
    bytes += plan.lengths[to] ?? 0;
    if (bytes > (to === from ? maxFirstBytes : Math.min(maxBytes, MAX_BATCH_BYTES))) return to;
  }
  return end;
}

function openSource(plan: Plan, begin: number, beginCursor: string | null): RowSource {
  let position = begin;
  let cursor = beginCursor;
  const room = createRoom();
  return {
    take(maxRows, maxBytes, atLeastOne) {
      const to = endOfBatch(plan, position, maxRows, atLeastOne ? Infinity : maxBytes, maxBytes);
      const rows = readLines(plan, position, to, room).map(splitLine);
      position = to;
      const last = rows.at(-1);
      if (last) cursor = cursorAt(last);
      if (cursor !== null) rememberPosition(plan, cursor, position);
      return rows;
    },
    cursor: () => cursor,
    left: () => plan.offsets.length - position,
  };
}

/** Reads partitions from where they are said to lie; plans may be shared with other readers. */
export function createPartitionReader(
  sourceOf: (partition: Partition) => PartitionSource,
  plans: Plans = createPlans(),
): PartitionReader {
  return {
    open(window, cursor) {
      const { plan, begin } = plans.of(sourceOf(window), window, cursor);
      return openSource(plan, begin, cursor);
    },
    close: () => plans.close(),
  };
}
