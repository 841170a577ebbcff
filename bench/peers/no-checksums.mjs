// Stands in for `emulator/storage/checksum.ts` in the build beside which the cost of its checks is measured: the same files, without
// checksums, and nothing is looked at when they are read.
const LINE_FEED = 0x0a;
const ROOM_BYTES = 64 * 1024;
const ROOM_BYTES_MAX = 4 * 1024 * 1024;
const UNIT_BYTES_MAX = 3;
const ENDING = Buffer.from("}\n");

/** The brace that closes an object. */
export const SUM_BYTES = 1;

export const withSum = (json) => json;

export function createLineWriter() {
  let room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  let begin = 0;
  let at = 0;

  function reserve(bytes) {
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
      reserve(ENDING.length);
      at += ENDING.copy(room, at);
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

export const isSummedLine = (bytes, _start, stop) => bytes[stop - 1] === LINE_FEED;

export function parseSummed(bytes, start = 0, stop = bytes.length) {
  return stop > start ? JSON.parse(bytes.toString("utf8", start, stop)) : undefined;
}

export function sealBlock() {}

export const areSealed = () => true;

export const sumOn = () => 0;
