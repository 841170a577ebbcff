import { gzipSync } from "node:zlib";
import type { CompressionCodec } from "hyparquet";
import type { Compression } from "../../subjects/bulk-exports/encoder.ts";

/**
 * The Snappy block format (google/snappy, format_description.txt). The encoder of hyparquet-writer takes more than
 * twice as long, and would take half of the time of an export.
 */
const MAX_OFFSET = 65_535;
const HASH_BITS = 14;
const HASH_FACTOR = 0x1e35a7bd;
const MIN_MATCH = 4;
// No match is searched near the end, so that four bytes can always be loaded at once.
const MARGIN = 15;
const MAX_COPY = 64;
const MAX_SHORT_LITERAL = 60;
const MAX_LOOPED_BYTES = 32;

const table = new Uint32Array(1 << HASH_BITS);

interface Stream {
  readonly input: Uint8Array;
  readonly view: DataView;
  readonly output: Uint8Array;
  /** The position of the next output byte. */
  at: number;
}

function putLength(stream: Stream, length: number): void {
  for (let rest = length; ; rest >>>= 7) {
    stream.output[stream.at++] = rest > 0x7f ? (rest & 0x7f) | 0x80 : rest;
    if (rest <= 0x7f) return;
  }
}

function putLiteralTag(output: Uint8Array, at: number, rest: number): number {
  let next = at;
  if (rest < MAX_SHORT_LITERAL) {
    output[next++] = rest << 2;
    return next;
  }
  const bytes = rest < 0x100 ? 1 : rest < 0x1_0000 ? 2 : rest < 0x100_0000 ? 3 : 4;
  output[next++] = (MAX_SHORT_LITERAL - 1 + bytes) << 2;
  for (let byte = 0; byte < bytes; byte += 1) output[next++] = (rest >>> (8 * byte)) & 0xff;
  return next;
}

function putLiteral({ input, output }: Stream, at: number, from: number, to: number): number {
  const rest = to - from - 1;
  let next = putLiteralTag(output, at, rest);
  if (rest < MAX_LOOPED_BYTES) {
    for (let byte = from; byte < to; byte += 1) output[next++] = input[byte] as number;
    return next;
  }
  output.set(input.subarray(from, to), next);
  return next + rest + 1;
}

function putCopy(output: Uint8Array, at: number, offset: number, length: number): number {
  let next = at;
  let rest = length;
  // The remainder must not be shorter than the shortest copy.
  while (rest > MAX_COPY) {
    const chunk = rest >= MAX_COPY + MIN_MATCH ? MAX_COPY : MAX_COPY - MIN_MATCH;
    output[next++] = ((chunk - 1) << 2) | 2;
    output[next++] = offset & 0xff;
    output[next++] = offset >>> 8;
    rest -= chunk;
  }
  if (rest < 12 && offset < 2048) {
    output[next++] = ((offset >>> 8) << 5) | ((rest - MIN_MATCH) << 2) | 1;
    output[next++] = offset & 0xff;
    return next;
  }
  output[next++] = ((rest - 1) << 2) | 2;
  output[next++] = offset & 0xff;
  output[next++] = offset >>> 8;
  return next;
}

/** The end of a match with earlier bytes. */
function endOfMatch(input: Uint8Array, view: DataView, candidate: number, from: number, end: number): number {
  let behind = candidate;
  let at = from;
  while (at + 4 <= end && view.getInt32(at, true) === view.getInt32(behind, true)) {
    at += 4;
    behind += 4;
  }
  while (at < end && input[at] === input[behind]) {
    at += 1;
    behind += 1;
  }
  return at;
}

/** Writes the input as literals and copies of earlier bytes. */
function compress(stream: Stream): void {
  const { input, view, output } = stream;
  const end = input.length;
  const limit = end - MARGIN;
  // A short input uses a part of the table: clearing all of it would take longer than everything else.
  const bits = Math.min(HASH_BITS, 32 - Math.clz32(end));
  const shift = 32 - bits;
  let { at } = stream;
  let literal = 0;
  let position = 1;
  let misses = 32;
  table.fill(0, 0, 1 << bits);
  while (position <= limit) {
    const word = view.getInt32(position, true);
    const slot = Math.imul(word, HASH_FACTOR) >>> shift;
    const candidate = table[slot] as number;
    table[slot] = position;
    if (position - candidate > MAX_OFFSET || view.getInt32(candidate, true) !== word) {
      // The steps grow while nothing matches.
      position += misses >>> 5;
      misses += 1;
      continue;
    }
    if (literal < position) at = putLiteral(stream, at, literal, position);
    const past = endOfMatch(input, view, candidate + MIN_MATCH, position + MIN_MATCH, end);
    at = putCopy(output, at, position - candidate, past - position);
    if (past <= limit) table[Math.imul(view.getInt32(past - 1, true), HASH_FACTOR) >>> shift] = past - 1;
    position = past;
    literal = past;
    misses = 32;
  }
  stream.at = literal < end ? putLiteral(stream, at, literal, end) : at;
}

/** Compresses to the raw Snappy format without frames, which Parquet uses. */
export function snappy(input: Uint8Array): Uint8Array {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  // The maximum output size of the format.
  const output = new Uint8Array(32 + input.length + Math.ceil(input.length / 6));
  const stream: Stream = { input, view, output, at: 0 };
  putLength(stream, input.length);
  compress(stream);
  return output.subarray(0, stream.at);
}

interface Codec {
  readonly codec: CompressionCodec;
  readonly compress?: (bytes: Uint8Array) => Uint8Array;
}

const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 3;
const GZIP_SYSTEM_OFFSET = 9;
const GZIP_SYSTEM_UNKNOWN = 255;

/** zlib writes the operating system into the header. The bytes of a file must not depend on it. */
function gzip(bytes: Uint8Array): Uint8Array {
  const compressed = gzipSync(bytes, { level: GZIP_LEVEL });
  compressed[GZIP_SYSTEM_OFFSET] = GZIP_SYSTEM_UNKNOWN;
  return compressed;
}

/** Loads a codec. It gives the same bytes on every machine with the same version of Node. */
export async function loadCodec(compression: Compression): Promise<Codec> {
  if (compression === "none") return { codec: "UNCOMPRESSED" };
  if (compression === "snappy") return { codec: "SNAPPY", compress: snappy };
  if (compression === "gzip") return { codec: "GZIP", compress: gzip };
  // node:zlib has zstd only since Node 22.15, and the same code on all versions gives the same bytes.
  const { Zstd } = await import("@hpcc-js/wasm-zstd");
  const zstd = await Zstd.load();
  return { codec: "ZSTD", compress: (bytes) => zstd.compress(bytes, ZSTD_LEVEL) };
}
