import type { Partition, PartitionWindow } from "../../subjects/traces/port.ts";
import { areSealed } from "../checksum.ts";
import { readExactly } from "../pool/open-files.ts";
import { checkedLine, cursorAt, type StoredRow, splitLine } from "./lines.ts";
import { type PartitionSource, type Plan, type PlannedFile, rememberPosition } from "./plan.ts";
import { createPlans, type Plans } from "./plans.ts";

const MAX_BATCH_ROWS = 10_000;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
const MAX_READ_BYTES = 8 * 1024 * 1024;
/** Up to this many bytes of other rows are read, because a separate read would cost more. */
const MAX_GAP_BYTES = 32 * 1024;

/** The file of an offset, and where the next file begins. */
function fileAt({ files }: Plan, offset: number): PlannedFile & { readonly nextFileByte: number } {
  const at = files.findLastIndex(({ firstByte }) => firstByte <= offset);
  return {
    ...(files[at] as PlannedFile),
    nextFileByte: files[at + 1]?.firstByte ?? Number.POSITIVE_INFINITY,
  };
}

/** The rows from `from` on whose lines are close together in one file and are read in one call; `nextRow` is the index after them. */
function readRangeOf(plan: Plan, rows: readonly number[], from: number) {
  const offsetOf = (at: number): number => plan.offsets[rows[at] ?? 0] ?? 0;
  const endOf = (at: number): number => offsetOf(at) + (plan.lengths[rows[at] ?? 0] ?? 0);
  const begin = offsetOf(from);
  const { nextFileByte, ...file } = fileAt(plan, begin);
  let end = endOf(from);
  let nextRow = from + 1;
  for (; nextRow < rows.length; nextRow += 1) {
    if (offsetOf(nextRow) >= nextFileByte || offsetOf(nextRow) - end > MAX_GAP_BYTES) break;
    if (endOf(nextRow) - begin > MAX_READ_BYTES) break;
    end = endOf(nextRow);
  }
  return { file, begin, end, nextRow };
}

type Room = ReturnType<typeof createRoom>;

/** A buffer for the lines of all batches: new memory for each batch would cost as much as reading it. */
function createRoom() {
  let room = Buffer.alloc(0);
  let usedBytes = 0;
  return {
    empty(): void {
      usedBytes = 0;
    },
    take(bytes: number): Buffer {
      if (usedBytes + bytes > room.length) {
        room = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * room.length));
        usedBytes = 0;
      }
      usedBytes += bytes;
      return room.subarray(usedBytes - bytes, usedBytes);
    },
  };
}

/** Reads the lines `from` … `to` of the plan. Lines that are close together are read in one call. */
function readLines(plan: Plan, from: number, to: number, room: Room): Buffer[] {
  const { offsets, lengths } = plan;
  const offsetOf = (row: number): number => offsets[row] ?? 0;
  const rows = Array.from({ length: to - from }, (_, at) => from + at);
  if (rows.some((row) => row > from && offsetOf(row) < offsetOf(row - 1))) {
    rows.sort((a, b) => offsetOf(a) - offsetOf(b));
  }
  const lines = new Array<Buffer>(to - from);
  room.empty();
  for (let at = 0; at < rows.length; ) {
    const { file, begin, end, nextRow } = readRangeOf(plan, rows, at);
    const byteOf = (offset: number): number => offset - file.firstByte;
    const bytes = readExactly(file.file, room.take(end - begin), byteOf(begin), file.path);
    // The bytes between them are lines as well. If one is damaged, each requested line is checked.
    const isWhole = areSealed(bytes, file.seal, byteOf(begin));
    for (; at < nextRow; at += 1) {
      const row = rows[at] ?? 0;
      const start = offsetOf(row) - begin;
      const line = bytes.subarray(start, start + (lengths[row] ?? 0));
      lines[row - from] = isWhole ? line : checkedLine(line, file.path, file.seal, byteOf(offsetOf(row)));
    }
  }
  return lines;
}

/** The end of a batch that begins at `from`. The first row has its own bound. */
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

type RowSource = ReturnType<typeof openSource>;

/** The rows of a window after a cursor, a bounded batch at a time. */
function openSource(plan: Plan, begin: number, beginCursor: string | null) {
  let position = begin;
  let cursor = beginCursor;
  const room = createRoom();
  return {
    /**
     * The next rows, at most one batch, within both bounds. With `atLeastOne`, the first row may exceed `maxBytes`.
     * Their bytes are valid until the next call.
     */
    take(maxRows: number, maxBytes: number, atLeastOne: boolean): readonly StoredRow[] {
      const to = endOfBatch(plan, position, maxRows, atLeastOne ? Infinity : maxBytes, maxBytes);
      const rows = readLines(plan, position, to, room).map(splitLine);
      position = to;
      const last = rows.at(-1);
      if (last) cursor = cursorAt(last);
      if (cursor !== null) rememberPosition(plan, cursor, position);
      return rows;
    },
    /** The cursor of the last row that was taken. */
    cursor: (): string | null => cursor,
    /** The number of remaining rows. */
    remaining: (): number => plan.offsets.length - position,
  };
}

/** Reads partitions from the names of files alone, so any thread can use it while the world continues to write. */
export type PartitionReader = ReturnType<typeof createPartitionReader>;

/** Creates a reader of partitions. Plans may be shared with other readers. */
export function createPartitionReader(
  sourceOf: (partition: Partition) => PartitionSource,
  plans: Plans = createPlans(),
) {
  return {
    open(window: PartitionWindow, cursor: string | null): RowSource {
      const { plan, begin } = plans.planFor(sourceOf(window), window, cursor);
      return openSource(plan, begin, cursor);
    },
    close: (): void => plans.close(),
  };
}
