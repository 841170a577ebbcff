import { crc32 } from "node:zlib";

/** What stands behind a JSON object as its last member: CRC-32 of all before it, in hexadecimal digits. */
const BEGIN = Buffer.from(',"sum":"');
const END = Buffer.from('"}');
const DIGITS = 8;
const HEX = Buffer.from("0123456789abcdef");
/** Bytes of that member, and of the brace that closes the object. */
export const SUM_BYTES = BEGIN.length + DIGITS + END.length;
const CLOSING = 1;
const LINE_FEED = 0x0a;

const BLOCK_SUM_BYTES = 4;
/** The CRC-32 of any bytes that their own CRC-32 follows: so one call checks any number of blocks in a row. */
const RESIDUE = 0x2144df1c;

/** The text of a JSON object that has a member, with its checksum as the last one. */
export function withSum(json: string): string {
  const begun = json.slice(0, -CLOSING);
  return `${begun},"sum":"${crc32(begun).toString(16).padStart(DIGITS, "0")}"}`;
}

/** Writes lines of JSON objects, each with its checksum, as bytes: text is encoded once. */
export interface LineWriter {
  /** Adds to the line; answers how many bytes the text has. */
  write(text: string | Uint8Array): number;
  /** Ends the line, which has all of its object but the closing brace; answers its bytes. */
  end(): number;
  /** The lines that were ended since the last call. */
  take(): Buffer;
}

const ROOM_BYTES = 64 * 1024;
/** More room than this is given back. */
const ROOM_BYTES_MAX = 4 * 1024 * 1024;
/** What UTF-8 takes at most for a unit of a text. */
const UNIT_BYTES_MAX = 3;
const ENDING_BYTES = SUM_BYTES + 1;

export function createLineWriter(): LineWriter {
  let room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  let begin = 0;
  let at = 0;

  function reserve(bytes: number): void {
    if (at + bytes <= room.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (at + bytes));
    room.copy(larger, 0, 0, at);
    room = larger;
  }

  return {
    write(text) {
      reserve(text.length * UNIT_BYTES_MAX);
      const bytes = typeof text === "string" ? room.write(text, at) : text.length;
      if (typeof text !== "string") room.set(text, at);
      at += bytes;
      return bytes;
    },
    end() {
      reserve(ENDING_BYTES);
      const sum = crc32(room.subarray(begin, at));
      at += BEGIN.copy(room, at);
      for (let n = 0; n < DIGITS; n += 1) room[at + n] = HEX[digit(sum, n)] ?? 0;
      at += DIGITS;
      at += END.copy(room, at);
      room[at] = LINE_FEED;
      at += 1;
      const bytes = at - begin;
      begin = at;
      return bytes;
    },
    take() {
      const lines = Buffer.from(room.subarray(0, at));
      if (room.length > ROOM_BYTES_MAX) room = Buffer.allocUnsafeSlow(ROOM_BYTES);
      begin = 0;
      at = 0;
      return lines;
    },
  };
}

/** The nth hexadecimal digit of a sum. */
function digit(sum: number, n: number): number {
  return (sum >>> (4 * (DIGITS - 1 - n))) & 0xf;
}

/** Whether the text of a JSON object between two bytes is as `withSum` made it. */
function hasSum(bytes: Buffer, start: number, stop: number): boolean {
  const at = stop - SUM_BYTES;
  if (at <= start) return false;
  const sum = crc32(bytes.subarray(start, at));
  for (let n = 0; n < BEGIN.length; n += 1) if (bytes[at + n] !== BEGIN[n]) return false;
  const digits = at + BEGIN.length;
  for (let n = 0; n < DIGITS; n += 1) if (bytes[digits + n] !== HEX[digit(sum, n)]) return false;
  return bytes[stop - 2] === END[0] && bytes[stop - 1] === END[1];
}

/** Whether the line between two bytes is such a text and ends with a line feed. */
export function isSummedLine(bytes: Buffer, start: number, stop: number): boolean {
  return bytes[stop - 1] === LINE_FEED && hasSum(bytes, start, stop - 1);
}

/** The JSON object between two bytes, its `sum` included; undefined when it is not as `withSum` made it. */
export function parseSummed(bytes: Buffer, start = 0, stop = bytes.length): object | undefined {
  return hasSum(bytes, start, stop) ? (JSON.parse(bytes.toString("utf8", start, stop)) as object) : undefined;
}

/** Ends a block of so many bytes with its checksum. */
export function sealBlock(bytes: Buffer, at: number, length: number): void {
  const end = at + length - BLOCK_SUM_BYTES;
  bytes.writeUInt32LE(crc32(bytes.subarray(at, end), RESIDUE), end);
}

/** Whether each of these blocks, one behind the other, is as `sealBlock` ended it. */
export function areSealed(blocks: Buffer): boolean {
  return crc32(blocks, RESIDUE) === RESIDUE;
}

/** The CRC-32 of bytes that come in pieces: that of the pieces before is handed in. */
export function sumOn(piece: Uint8Array, before = 0): number {
  return crc32(piece, before);
}
