import { createLineWriter, type LineWriter } from "../line-writer.ts";
import { RECORD_BYTES, roomForRecords, type SidecarRecord, writeRecord } from "./sidecar.ts";

/** Lines and records of a segment that wait in memory for the next append. */
export interface WaitingRows {
  readonly lines: LineWriter;
  readonly records: RecordWriter;
}

/** Packs records one behind the other. */
interface RecordWriter {
  add(record: SidecarRecord): void;
  /** Those that were added since the last `clear`; valid until more are added. */
  readonly bytes: Buffer;
  clear(): void;
}

const RECORDS = 16;
/** Room for more is given back. */
const MAX_RECORDS = 4_096;
const MAX_UNUSED = 4;

/** Their rows were appended: memory that has been used costs less than new memory. */
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

/** Room for the rows of a segment. */
export function takeRoom(): WaitingRows {
  return unused.pop() ?? { lines: createLineWriter(), records: createRecordWriter() };
}

/** Takes back the room of rows that wait no more. */
export function giveRoomBack(rows: WaitingRows): void {
  rows.lines.clear();
  rows.records.clear();
  if (unused.length < MAX_UNUSED) unused.push(rows);
}
