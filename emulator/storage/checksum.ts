import { crc32 } from "node:zlib";

/**
 * Every block ends with four bytes, and every line with eight digits, that are chosen so that the CRC-32 of the whole, with this
 * number as the start value, is this number again. So one call checks any number of consecutive blocks or lines.
 */
const SEALED = 0x2144df1c;
/** The CRC-32 of a line without its line feed. The line feed leads from here to the number above. */
const SEALED_OBJECT = 0xff41d918;
const BLOCK_SUM_BYTES = 4;

/** The checksum is the last member of a JSON object. */
const BEGIN = Buffer.from(',"sum":"');
const END = Buffer.from('"}');
/** Each digit, "0" to "?", holds four bits. Without the dash some sums could not be reached. */
const FIRST_DIGIT = 0x30;
const SHIFTS = [28, 24, undefined, 20, 16, 12, 8, 4, 0];
const DASH = 0x2d;
const ENDING_BYTES = SHIFTS.length + END.length;
/** Bytes of the checksum member and the closing brace. */
export const SUM_BYTES = BEGIN.length + ENDING_BYTES;
const CLOSING = 1;

/** Adds its checksum to the text of a JSON object, which must have at least one member. */
export function withSum(json: string): string {
  const text = json.slice(0, -CLOSING) + BEGIN;
  const ending = Buffer.alloc(ENDING_BYTES);
  writeEnding(ending, 0, crc32(text, SEALED));
  return text + ending;
}

/** Writes the checksum and the closing brace after a JSON text that has neither. Returns the end position. */
export function writeSum(bytes: Buffer, start: number, stop: number): number {
  const at = copyText(bytes, stop, BEGIN);
  return writeEnding(bytes, at, crc32(bytes.subarray(start, at), SEALED));
}

/** Writes the digits and the brace that end an object whose text so far has this sum. */
function writeEnding(bytes: Buffer, at: number, sum: number): number {
  const digits = digitsAfter(sum);
  let next = at;
  for (const shift of SHIFTS)
    bytes[next++] = shift === undefined ? DASH : FIRST_DIGIT | ((digits >>> shift) & 0xf);
  return copyText(bytes, next, END);
}

/** For so few bytes a loop is faster than a call that copies them. */
function copyText(bytes: Buffer, at: number, text: Buffer): number {
  for (let n = 0; n < text.length; n += 1) bytes[at + n] = text[n] as number;
  return at + text.length;
}

/**
 * The digits that end an object whose text so far has a sum of 0, and how they change with each bit of that sum, lowest bit first.
 * A CRC is linear, so the digits for any sum are these combined. They were computed by elimination from the CRC of each digit alone.
 */
const DIGITS = 0xa9b2e76f;
// biome-ignore format: a table
const DIGITS_OF_BIT = Uint32Array.of(
  0x10000000, 0x20000000, 0x40000000, 0x80000000, 0x761e8889, 0x45b68589, 0x44df2a07, 0xef87e180,
  0x01000000, 0x02000000, 0x04000000, 0x08000000, 0xd724cd50, 0x7d53ce64, 0x98878dd5, 0x1e2882bc,
  0xa3d606a5, 0x0aab8541, 0x114eae11, 0xa813d151, 0xb5316120, 0x1c7c4ac9, 0x027b4a02, 0xda549f2c,
  0x00100000, 0x00200000, 0x00400000, 0x00800000, 0xb99bbea6, 0x739ab564, 0x2408030b, 0xc71df0e4,
);

function digitsAfter(sum: number): number {
  let digits = DIGITS;
  for (let bit = 0; bit < 32; bit += 1) if ((sum >>> bit) & 1) digits ^= DIGITS_OF_BIT[bit] as number;
  return digits;
}

/** Parses the JSON object between two bytes, including its `sum`. Returns undefined when the checksum does not match. */
export function parseSummed(bytes: Buffer, start = 0, stop = bytes.length): object | undefined {
  if (crc32(bytes.subarray(start, stop), SEALED) !== SEALED_OBJECT) return undefined;
  return parseChecked(bytes, start, stop);
}

/** Parses an object whose checksum was checked together with others. */
export function parseChecked(bytes: Buffer, start: number, stop: number): object {
  return JSON.parse(bytes.toString("utf8", start, stop)) as object;
}

/** Writes the checksum into the last bytes of a block. */
export function sealBlock(bytes: Buffer, at: number, length: number): void {
  const end = at + length - BLOCK_SUM_BYTES;
  bytes.writeUInt32LE(crc32(bytes.subarray(at, end), SEALED), end);
}

/** Whether the checksums of all these consecutive blocks (`sealBlock`) or lines (`withSum` and a line feed) match. */
export function areSealed(blocks: Buffer): boolean {
  return crc32(blocks, SEALED) === SEALED;
}

/** Continues the CRC-32 of bytes that are received in chunks. */
export function sumOn(chunk: Uint8Array, before = 0): number {
  return crc32(chunk, before);
}
