import type { PartitionWindow } from "../../domain/traces/port.ts";
import type { TracePlace } from "./layers.ts";
import { type StoredRow, splitLine } from "./lines.ts";
import { readExactly } from "./open-files.ts";
import { type Plan, rememberPosition } from "./plan.ts";
import { createPlans, type Plans } from "./plans.ts";

/** The rows of a window after a cursor, a bounded batch at a time. */
interface RowSource {
  /**
   * The next rows, a batch at most: no more than so many, and only as many as have no more than so many
   * bytes together; but one at least, when `atLeastOne` is set and one is left.
   */
  take(rowsMax: number, bytesMax: number, atLeastOne: boolean): readonly StoredRow[];
  /** Names the last row that was taken. */
  cursor(): string | null;
  /** How many rows are left. */
  left(): number;
}

/** Reads partitions with nothing but the place of a store: any thread may have one, while the store goes on writing. */
export interface PartitionReader {
  open(window: PartitionWindow, cursor: string | null): RowSource;
  close(): void;
}

const BATCH_ROWS_MAX = 10_000;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
const READ_BYTES_MAX = 8 * 1024 * 1024;
// Bytes of other rows that are read over rather than beginning another read.
const GAP_BYTES_MAX = 32 * 1024;

/** Reads the lines at `from` … `to` of the plan; lines that lie close together come with one read. */
function readLines(plan: Plan, from: number, to: number): Buffer[] {
  const { offsets, lengths, file } = plan;
  const offsetOf = (at: number): number => offsets[at] ?? 0;
  const endOf = (at: number): number => offsetOf(at) + (lengths[at] ?? 0);
  const inFile = Array.from({ length: to - from }, (_, at) => from + at);
  if (inFile.some((at) => at > from && offsetOf(at) < offsetOf(at - 1))) {
    inFile.sort((left, right) => offsetOf(left) - offsetOf(right));
  }
  const lines = new Array<Buffer>(to - from);
  for (let at = 0; at < inFile.length; ) {
    const begin = offsetOf(inFile[at] ?? 0);
    let past = at + 1;
    let end = endOf(inFile[at] ?? 0);
    for (; past < inFile.length; past += 1) {
      const row = inFile[past] ?? 0;
      if (offsetOf(row) - end > GAP_BYTES_MAX || endOf(row) - begin > READ_BYTES_MAX) break;
      end = endOf(row);
    }
    const bytes = readExactly(file ?? -1, Buffer.allocUnsafeSlow(end - begin), begin);
    for (; at < past; at += 1) {
      const row = inFile[at] ?? 0;
      lines[row - from] = bytes.subarray(offsetOf(row) - begin, endOf(row) - begin);
    }
  }
  return lines;
}

/** Up to where a batch goes that begins at `from`: the first row may have other bounds than the rest. */
function endOfBatch(plan: Plan, from: number, rowsMax: number, firstMax: number, bytesMax: number): number {
  const end = Math.min(plan.offsets.length, from + Math.min(rowsMax, BATCH_ROWS_MAX));
  let bytes = 0;
  for (let to = from; to < end; to += 1) {
    bytes += plan.lengths[to] ?? 0;
    if (bytes > (to === from ? firstMax : Math.min(bytesMax, BATCH_BYTES_MAX))) return to;
  }
  return end;
}

function openSource(plan: Plan, begin: number, beginCursor: string | null): RowSource {
  let position = begin;
  let cursor = beginCursor;
  return {
    take(rowsMax, bytesMax, atLeastOne) {
      const to = endOfBatch(plan, position, rowsMax, atLeastOne ? Infinity : bytesMax, bytesMax);
      const rows = readLines(plan, position, to).map(splitLine);
      position = to;
      const last = rows.at(-1)?.head;
      if (last !== undefined) cursor = `${last.start_time} ${last.id}`;
      if (cursor !== null) rememberPosition(plan, cursor, position);
      return rows;
    },
    cursor: () => cursor,
    left: () => plan.offsets.length - position,
  };
}

/** Reads the partitions of one store; plans may be shared with readers of others. */
export function createPartitionReader(place: TracePlace, plans: Plans = createPlans()): PartitionReader {
  return {
    open(window, cursor) {
      const { plan, begin } = plans.of(place, window, cursor);
      return openSource(plan, begin, cursor);
    },
    close: () => plans.close(),
  };
}
