import { crc32 } from "node:zlib";

/**
 * Every position of a file has a number, which depends on the data folder, the name of the file and the offset. Every line ends with
 * digits, and every block with four bytes, which are chosen so that its CRC-32 leads from the number of its first position to the
 * number of the position after it. So one call checks any number of consecutive lines or blocks, and content that was swapped,
 * copied or moved is damaged.
 */
export type Seal = number;

/** For snapshot files: all positions have the same number, so that lines and blocks can be read without their place. */
export const PORTABLE: Seal = -1;
const PORTABLE_NUMBER = 0x2144df1c;

/** The seal of a file of a data folder. */
export function sealOf(folderId: string, file: string): Seal {
  return crc32(`${folderId}/${file}`);
}

function numberAt(seal: Seal, offset: number): number {
  return seal === PORTABLE ? PORTABLE_NUMBER : (seal + offset) >>> 0;
}

/** The checksum is the last member of a JSON object. Its digits are unset until the line is sealed. */
const BEGIN = ',"sum":"';
const LINE_FEED = Buffer.from("\n");
/** Each digit, "0" to "?", holds four bits. Without the dash some sums could not be reached. */
const FIRST_DIGIT = 0x30;
const SHIFTS = [28, 24, undefined, 20, 16, 12, 8, 4, 0];
const DASH = 0x2d;
const UNSEALED_TEXT = `${BEGIN}${"0".repeat(SHIFTS.length)}"}\n`;
/** The end of a line that is not sealed. */
export const UNSEALED_END = Buffer.from(UNSEALED_TEXT);
/** Bytes of the checksum member and the closing brace. */
export const SUM_BYTES = UNSEALED_END.length - 1;
/** Bytes from the first digit to the end of the line. */
const ENDING_BYTES = UNSEALED_END.length - BEGIN.length;
const BLOCK_SUM_BYTES = 4;

/**
 * The digits that lead from a sum of 0 to `PORTABLE_NUMBER` at the end of the line, and how they change with each bit of that sum,
 * lowest bit first. A CRC is linear, so the digits for any sum are these combined. They were computed by elimination from the
 * CRC of each digit alone.
 */
const DIGITS = 0xa9b2e76f;
// biome-ignore format: a table
const DIGITS_OF_BIT = Uint32Array.of(
  0x10000000, 0x20000000, 0x40000000, 0x80000000, 0x761e8889, 0x45b68589, 0x44df2a07, 0xef87e180,
  0x01000000, 0x02000000, 0x04000000, 0x08000000, 0xd724cd50, 0x7d53ce64, 0x98878dd5, 0x1e2882bc,
  0xa3d606a5, 0x0aab8541, 0x114eae11, 0xa813d151, 0xb5316120, 0x1c7c4ac9, 0x027b4a02, 0xda549f2c,
  0x00100000, 0x00200000, 0x00400000, 0x00800000, 0xb99bbea6, 0x739ab564, 0x2408030b, 0xc71df0e4,
);
/** How the digits change with each bit of another number at the end of the line. */
const DIGITS_OF_END_BIT = DIGITS_OF_BIT.map((_, bit) =>
  combined(DIGITS_OF_BIT, 0, rewound(1 << bit, ENDING_BYTES)),
);
/** The same for the sum of a block. */
const SUM_OF_END_BIT = DIGITS_OF_BIT.map((_, bit) => rewound(1 << bit, BLOCK_SUM_BYTES));

/** The difference of sums that becomes this difference after so many more bytes. */
function rewound(difference: number, bytes: number): number {
  let bits = difference;
  for (let bit = 0; bit < 8 * bytes; bit += 1)
    bits = bits < 0 || bits > 0x7fffffff ? ((bits ^ 0xedb88320) << 1) | 1 : bits << 1;
  return bits >>> 0;
}

/** The value for 0 and the changes for each bit that is set. */
function combined(changes: Uint32Array, value: number, bits: number): number {
  let result = value;
  for (let bit = 0; bit < 32; bit += 1) if ((bits >>> bit) & 1) result ^= changes[bit] as number;
  return result;
}

/** The digits that lead from the sum of a text to the number of a position. */
function digitsOf(sum: number, end: number): number {
  return combined(DIGITS_OF_END_BIT, combined(DIGITS_OF_BIT, DIGITS, sum), end ^ PORTABLE_NUMBER);
}

function writeDigits(bytes: Buffer, at: number, digits: number): void {
  let next = at;
  for (const shift of SHIFTS)
    bytes[next++] = shift === undefined ? DASH : FIRST_DIGIT | ((digits >>> shift) & 0xf);
}

/** Adds its checksum to the text of a JSON object, which must have at least one member and is the whole content of a file. */
export function withSum(json: string, seal: Seal): string {
  const text = json.slice(0, -1) + BEGIN;
  const ending = Buffer.from(UNSEALED_END.subarray(BEGIN.length));
  const end = Buffer.byteLength(text) + ENDING_BYTES;
  writeDigits(ending, 0, digitsOf(crc32(text, numberAt(seal, 0)), numberAt(seal, end)));
  return text + ending.toString("latin1", 0, ending.length - LINE_FEED.length);
}

/** Consecutive lines of a file, each with the JSON of an object, from this offset on. */
export function sealedLines(objects: readonly object[], seal: Seal, offset: number): Buffer {
  const lines = unsealedLines(objects.map((object) => JSON.stringify(object)));
  sealLines(lines, seal, offset);
  return lines;
}

/** Lines with the texts of JSON objects, whose checksums `sealLines` writes. */
export function unsealedLines(texts: readonly string[]): Buffer {
  return Buffer.from(texts.map((text) => text.slice(0, -1) + UNSEALED_TEXT).join(""));
}

/** Writes the checksums of consecutive lines for this offset of a file. */
export function sealLines(lines: Buffer, seal: Seal, offset: number): void {
  for (let start = 0; start < lines.length; ) {
    const stop = lines.indexOf(LINE_FEED, start) + LINE_FEED.length;
    const at = stop - ENDING_BYTES;
    const sum = crc32(lines.subarray(start, at), numberAt(seal, offset + start));
    writeDigits(lines, at, digitsOf(sum, numberAt(seal, offset + stop)));
    start = stop;
  }
}

/** Writes the checksums into the last bytes of consecutive blocks for this offset of a file. */
export function sealBlocks(blocks: Buffer, blockBytes: number, seal: Seal, offset: number): void {
  for (let start = 0; start < blocks.length; start += blockBytes) {
    const stop = start + blockBytes;
    const at = stop - BLOCK_SUM_BYTES;
    const sum = crc32(blocks.subarray(start, at), numberAt(seal, offset + start));
    const change = numberAt(seal, offset + stop) ^ PORTABLE_NUMBER;
    blocks.writeUInt32LE(combined(SUM_OF_END_BIT, sum, change) >>> 0, at);
  }
}

/** Whether the checksums of consecutive blocks or lines match at this offset of a file. */
export function areSealed(bytes: Buffer, seal: Seal, offset: number): boolean {
  return crc32(bytes, numberAt(seal, offset)) === numberAt(seal, offset + bytes.length);
}

/**
 * Parses a line of a file, without its line feed, including its `sum`. Returns undefined when the checksum does not match.
 */
export function parseSummed(
  file: Buffer,
  seal: Seal,
  start = 0,
  stop: number = file.length,
): object | undefined {
  const sum = crc32(LINE_FEED, crc32(file.subarray(start, stop), numberAt(seal, start)));
  return sum === numberAt(seal, stop + LINE_FEED.length) ? parseChecked(file, start, stop) : undefined;
}

/** Parses an object whose checksum was checked together with others. */
export function parseChecked(bytes: Buffer, start: number, stop: number): object {
  return JSON.parse(bytes.toString("utf8", start, stop)) as object;
}
