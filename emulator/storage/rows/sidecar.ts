import { areSealed, type Seal } from "../checksum.ts";
import { createLineWriter, type LineWriter } from "../line-writer.ts";
import { damaged } from "../store-error.ts";

/**
 * A sidecar (`.index`) has one record of fixed size for each version of a row in a segment:
 * id (16 bytes), start in microseconds of the day (f64), offset (f64) and length (u32) of the line,
 * the position of the previous version in this segment plus one (u32, 0 for none), the
 * store-wide sequence number (f64), a word of the trace's id (u32), which finds the rows of a trace,
 * and the checksum (u32). A record of length 0 is a tombstone: the row's newest version is in another segment. Its
 * offset is the end of the data, so that every record gives the length of the data.
 */
export const RECORD_BYTES = 56;
export const ID_BYTES = 16;

const START = 16;
const OFFSET = 24;
const LENGTH = 32;
const PREVIOUS = 36;
const SEQUENCE = 40;
const TRACE = 48;
/** The positions of each two bytes of a uuid in its text. */
const GROUPS = [0, 4, 9, 14, 19, 24, 28, 32];

/** One version of a row, to be packed. */
export interface SidecarRecord {
  readonly id: string;
  readonly start: number;
  readonly offset: number;
  readonly length: number;
  /** Position of the version it replaces in the same segment; -1 for none. */
  readonly previous: number;
  readonly sequence: number;
  /** `traceWord` of its trace; unused in a tombstone. */
  readonly trace: number;
}

/** A view of consecutive records in memory. */
export type SidecarView = ReturnType<typeof viewSidecar>;

/** Reads values directly from the bytes. */
export function viewSidecar(bytes: Buffer) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = (position: number): number => view.getFloat64(position * RECORD_BYTES + START, true);
  return {
    count: Math.floor(bytes.length / RECORD_BYTES),
    bytes,
    start,
    offset: (position: number): number => view.getFloat64(position * RECORD_BYTES + OFFSET, true),
    length: (position: number): number => view.getUint32(position * RECORD_BYTES + LENGTH, true),
    previous: (position: number): number => view.getUint32(position * RECORD_BYTES + PREVIOUS, true) - 1,
    sequence: (position: number): number => view.getFloat64(position * RECORD_BYTES + SEQUENCE, true),
    trace: (position: number): number => view.getUint32(position * RECORD_BYTES + TRACE, true),
    id: (position: number): string => {
      const hex = bytes.toString("hex", position * RECORD_BYTES, position * RECORD_BYTES + ID_BYTES);
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
        "-",
      );
    },
    /** Compares two records by start, then id. */
    compare(a: number, b: number): number {
      let difference = start(a) - start(b);
      for (let word = 0; difference === 0 && word < ID_BYTES; word += 4)
        difference = view.getUint32(a * RECORD_BYTES + word) - view.getUint32(b * RECORD_BYTES + word);
      return difference;
    },
  };
}

/** A hash of a trace id. Traces with the same word have to be compared by their ids. */
export function traceWord(traceId: string): number {
  let word = 0;
  for (let at = 0; at < traceId.length; at += 1) word = Math.imul(word ^ traceId.charCodeAt(at), 0x01000193);
  return word >>> 0;
}

/** The first, second, third or fourth four bytes of a lower-case uuid, as a number. */
export function wordOfId(id: string, word: number): number {
  return ((groupOfId(id, 2 * word) << 16) | groupOfId(id, 2 * word + 1)) >>> 0;
}

function groupOfId(id: string, group: number): number {
  const begin = GROUPS[group] ?? 0;
  let bits = 0;
  for (let digit = begin; digit < begin + 4; digit += 1) {
    const code = id.charCodeAt(digit);
    bits = (bits << 4) | (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return bits;
}

/** Checks records that were read from a file, `first` being the number of the first of them. */
export function checkRecords(bytes: Buffer, path: string, seal: Seal, first: number): void {
  const begin = first * RECORD_BYTES;
  if (areSealed(bytes, seal, begin)) return;
  let at = 0;
  while (areSealed(bytes.subarray(at, at + RECORD_BYTES), seal, begin + at)) at += RECORD_BYTES;
  throw damaged(path, `byte ${begin + at}`);
}

/** 1 for each of the first `count` versions that a later one of them replaces. */
export function supersededOf(view: SidecarView, count: number): Uint8Array {
  const superseded = new Uint8Array(count);
  for (let position = 0; position < count; position += 1) {
    const previous = view.previous(position);
    if (previous >= 0) superseded[previous] = 1;
  }
  return superseded;
}

/** Lines and records of a segment that are pending in memory. */
export interface WaitingRows {
  readonly lines: LineWriter;
  readonly records: RecordWriter;
}

const RECORDS = 16;
/** A larger buffer is released by `clear`. */
const MAX_RECORDS = 4_096;
const MAX_UNUSED = 4;

/** Buffers of appended rows, for reuse: new memory costs more. */
const unused: WaitingRows[] = [];

type RecordWriter = ReturnType<typeof createRecordWriter>;

/** Packs consecutive records. Their checksums are written with `sealBlocks`. */
export function createRecordWriter() {
  let room = new DataView(new ArrayBuffer(RECORDS * RECORD_BYTES));
  let end = 0;

  const writtenBytes = (): Buffer => Buffer.from(room.buffer, 0, end);

  function grow(): void {
    const larger = new DataView(new ArrayBuffer(2 * end));
    writtenBytes().copy(Buffer.from(larger.buffer));
    room = larger;
  }

  return {
    add({ id, start, offset, length, previous, sequence, trace }: SidecarRecord): void {
      if (end === room.byteLength) grow();
      for (let word = 0; word < ID_BYTES / 4; word += 1) room.setUint32(end + 4 * word, wordOfId(id, word));
      room.setFloat64(end + START, start, true);
      room.setFloat64(end + OFFSET, offset, true);
      room.setUint32(end + LENGTH, length, true);
      room.setUint32(end + PREVIOUS, previous + 1, true);
      room.setFloat64(end + SEQUENCE, sequence, true);
      room.setUint32(end + TRACE, trace, true);
      end += RECORD_BYTES;
    },
    /** The records added since the last `clear`. Valid until more are added. */
    get bytes(): Buffer {
      return writtenBytes();
    },
    clear(): void {
      if (end > MAX_RECORDS * RECORD_BYTES) room = new DataView(new ArrayBuffer(RECORDS * RECORD_BYTES));
      end = 0;
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
