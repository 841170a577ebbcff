import { createLineWriter, type LineWriter } from "../line-writer.ts";
import { RECORD_BYTES, roomForRecords, type SidecarRecord, writeRecord } from "./sidecar.ts";

/** Lines and records of a segment that are pending in memory. */
export interface WaitingRows {
  readonly lines: LineWriter;
  readonly records: RecordWriter;
}

/** Packs consecutive records. */
interface RecordWriter {
  add(record: SidecarRecord): void;
  /** The records added since the last `clear`. Valid until more are added. */
  readonly bytes: Buffer;
  clear(): void;
}

const RECORDS = 16;
/** A larger buffer is released by `clear`. */
const MAX_RECORDS = 4_096;
const MAX_UNUSED = 4;

/** Buffers of appended rows, for reuse: new memory costs more. */
const unused: WaitingRows[] = [];

function createRecordWriter(): RecordWriter {
  let room = roomForRecords(RECORDS);
  let count = 0;

  function grow(): void {
    const larger = roomForRecords(2 * count);
    room.bytes.copy(larger.bytes);
    room = larger;
  }

  return {
    add(record) {
      if (count * RECORD_BYTES === room.bytes.length) grow();
      writeRecord(room, count, record);
      count += 1;
    },
    get bytes() {
      return room.bytes.subarray(0, count * RECORD_BYTES);
    },
    clear() {
      if (count > MAX_RECORDS) room = roomForRecords(RECORDS);
      count = 0;
    },
  };
}

/** Takes a buffer for the rows of a segment. */
export function takeRoom(): WaitingRows {
  return unused.pop() ?? { lines: createLineWriter(), records: createRecordWriter() };
}

/** Returns the buffer of rows that are no longer pending. */
export function giveRoomBack(rows: WaitingRows): void {
  rows.lines.clear();
  rows.records.clear();
  if (unused.length < MAX_UNUSED) unused.push(rows);
}
