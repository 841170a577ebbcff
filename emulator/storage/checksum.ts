import { crc32 } from "node:zlib";

/**
 * Whatever is checked ends with four bytes, or with eight digits of text, that are chosen so that the CRC-32 of all of it, begun
 * with this number, is this number: so one call checks any number of blocks, or of lines, that follow on each other.
 */
const SEALED = 0x2144df1c;
/** The same of a line without its line feed: that leads from here to the number above. */
const SEALED_OBJECT = 0xff41d918;
const BLOCK_SUM_BYTES = 4;

/** What stands behind a JSON object as its last member. */
const BEGIN = Buffer.from(',"sum":"');
const END = Buffer.from('"}');
/** Four bits in each digit, "0" to "?"; without the dash some sums could not be reached. */
const FIRST_DIGIT = 0x30;
const SHIFTS = [28, 24, undefined, 20, 16, 12, 8, 4, 0];
const DASH = 0x2d;
const ENDING_BYTES = SHIFTS.length + END.length;
/** Bytes of that member, and of the brace that closes the object. */
export const SUM_BYTES = BEGIN.length + ENDING_BYTES;
const CLOSING = 1;

/** The text of a JSON object that has a member, with its checksum as the last one. */
export function withSum(json: string): string {
  const begun = json.slice(0, -CLOSING) + BEGIN;
  const ending = Buffer.alloc(ENDING_BYTES);
  writeEnding(ending, 0, crc32(begun, SEALED));
  return begun + ending;
}

/** Behind this JSON text, which lacks only its closing brace: its checksum and the brace. Answers where they end. */
export function writeSum(bytes: Buffer, start: number, stop: number): number {
  const at = put(bytes, stop, BEGIN);
  return writeEnding(bytes, at, crc32(bytes.subarray(start, at), SEALED));
}

/** What seals an object whose text up to there has this sum. */
function writeEnding(bytes: Buffer, at: number, sum: number): number {
  const digits = digitsAfter(sum);
  let next = at;
  for (const shift of SHIFTS)
    bytes[next++] = shift === undefined ? DASH : FIRST_DIGIT | ((digits >>> shift) & 0xf);
  return put(bytes, next, END);
}

/** In a loop: so few bytes take less time than a call that copies them. */
function put(bytes: Buffer, at: number, text: Buffer): number {
  for (let n = 0; n < text.length; n += 1) bytes[at + n] = text[n] as number;
  return at + text.length;
}

/**
 * The digits that seal an object whose text up to them has a sum of 0, and how they change with each bit of that sum, the lowest one
 * first: a CRC is linear, so those of any sum are these taken together. Found by elimination from the CRC of each digit alone.
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

/** The JSON object between two bytes, its `sum` included; undefined when it is not as `withSum` made it. */
export function parseSummed(bytes: Buffer, start = 0, stop = bytes.length): object | undefined {
  if (crc32(bytes.subarray(start, stop), SEALED) !== SEALED_OBJECT) return undefined;
  return parseChecked(bytes, start, stop);
}

/** The same of what was checked together with more. */
export function parseChecked(bytes: Buffer, start: number, stop: number): object {
  return JSON.parse(bytes.toString("utf8", start, stop)) as object;
}

/** Ends a block of so many bytes with its checksum. */
export function sealBlock(bytes: Buffer, at: number, length: number): void {
  const end = at + length - BLOCK_SUM_BYTES;
  bytes.writeUInt32LE(crc32(bytes.subarray(at, end), SEALED), end);
}

/** Whether each of these blocks or lines, one behind the other, is as `sealBlock` or `withSum` and a line feed ended it. */
export function areSealed(blocks: Buffer): boolean {
  return crc32(blocks, SEALED) === SEALED;
}

/** The CRC-32 of bytes that come in pieces: that of the pieces before is handed in. */
export function sumOn(piece: Uint8Array, before = 0): number {
  return crc32(piece, before);
}
