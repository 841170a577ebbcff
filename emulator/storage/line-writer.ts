import { UNSEALED_END } from "./checksum.ts";

const ROOM_BYTES = 4 * 1024;
/** A larger buffer is released by `clear`. */
const MAX_ROOM_BYTES = 4 * 1024 * 1024;
/** The most bytes of one UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

export type LineWriter = ReturnType<typeof createLineWriter>;

/** Writes lines of JSON objects into a buffer, so that text is encoded only once. `sealLines` writes their checksums. */
export function createLineWriter() {
  let room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  let begin = 0;
  let at = 0;

  function reserve(bytes: number): void {
    if (at + bytes <= room.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (at + bytes));
    room.copy(larger, 0, 0, at);
    room = larger;
  }

  function copyIn(text: string | Uint8Array): number {
    if (typeof text === "string") {
      reserve(text.length * MAX_UNIT_BYTES);
      return room.write(text, at);
    }
    reserve(text.length);
    room.set(text, at);
    return text.length;
  }

  return {
    /** Begins a line. A line that was not ended is dropped. */
    begin(): void {
      at = begin;
    },
    /** Adds to the line. Returns the bytes of the text. */
    write(text: string | Uint8Array): number {
      const bytes = copyIn(text);
      at += bytes;
      return bytes;
    },
    /** Ends the line, which lacks only the closing brace of its object. Returns the bytes of the line. */
    end(): number {
      at += copyIn(UNSEALED_END);
      const bytes = at - begin;
      begin = at;
      return bytes;
    },
    /** The lines ended since the last `clear`. Valid until more is written. */
    get bytes(): Buffer {
      return room.subarray(0, begin);
    },
    clear(): void {
      if (room.length > MAX_ROOM_BYTES) room = Buffer.allocUnsafeSlow(ROOM_BYTES);
      begin = 0;
      at = 0;
    },
  };
}
