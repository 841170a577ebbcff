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

/** Behind this JSON text, which lacks only its closing brace: its checksum and the brace. Answers where they end. */
export function writeSum(bytes: Buffer, start: number, stop: number): number {
  const sum = crc32(bytes.subarray(start, stop));
  const digits = stop + BEGIN.copy(bytes, stop);
  for (let n = 0; n < DIGITS; n += 1) bytes[digits + n] = HEX[digit(sum, n)] ?? 0;
  return digits + DIGITS + END.copy(bytes, digits + DIGITS);
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
