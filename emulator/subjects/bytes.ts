import { isAscii } from "node:buffer";

const DECODER = new TextDecoder("utf-8", { fatal: true });

/** The same bytes with the methods of a `Buffer`, as bodies that a server received have them already. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The text of UTF-8, without a byte order mark. Throws a `TypeError`. For short texts a decoder costs more than the text. */
export function decodeUtf8(bytes: Uint8Array): string {
  return isAscii(bytes) ? asBuffer(bytes).toString("latin1") : DECODER.decode(bytes);
}

/** Whether these bytes stand at a place. */
export function matchesAt(bytes: Uint8Array, pattern: Uint8Array, at: number): boolean {
  if (at + pattern.length > bytes.length) return false;
  for (let index = 0; index < pattern.length; index += 1)
    if (bytes[at + index] !== pattern[index]) return false;
  return true;
}
