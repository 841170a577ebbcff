import { SUM_BYTES, writeSum } from "./checksum.ts";

/** Writes lines of JSON objects, each with its checksum, as bytes: text is encoded once. */
export interface LineWriter {
  /** Begins a line; one that was begun and not ended is dropped. */
  begin(): void;
  /** Adds to the line; answers how many bytes the text has. */
  write(text: string | Uint8Array): number;
  /** Ends the line, which has all of its object but the closing brace; answers its bytes. */
  end(): number;
  /** The lines that were ended since the last `clear`; valid until more is written. */
  readonly bytes: Buffer;
  clear(): void;
}

const LINE_FEED = 0x0a;
const ROOM_BYTES = 4 * 1024;
/** More room than this is given back. */
const MAX_ROOM_BYTES = 4 * 1024 * 1024;
/** What UTF-8 takes at most for a unit of a text. */
const MAX_UNIT_BYTES = 3;
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

  function put(text: string | Uint8Array): number {
    if (typeof text === "string") {
      reserve(text.length * MAX_UNIT_BYTES);
      return room.write(text, at);
    }
    reserve(text.length);
    room.set(text, at);
    return text.length;
  }

  return {
    begin() {
      at = begin;
    },
    write(text) {
      const bytes = put(text);
      at += bytes;
      return bytes;
    },
    end() {
      reserve(ENDING_BYTES);
      at = writeSum(room, begin, at);
      room[at] = LINE_FEED;
      at += 1;
      const bytes = at - begin;
      begin = at;
      return bytes;
    },
    get bytes() {
      return room.subarray(0, begin);
    },
    clear() {
      if (room.length > MAX_ROOM_BYTES) room = Buffer.allocUnsafeSlow(ROOM_BYTES);
      begin = 0;
      at = 0;
    },
  };
}
