import { gunzipSync, gzipSync } from "node:zlib";
import type { CompressionCodec, Compressors as Decompressors } from "hyparquet";
import type { Compression } from "../../subjects/bulk-exports/encoder.ts";
import { snappy } from "./snappy.ts";

type Compress = (bytes: Uint8Array) => Uint8Array;

interface Codec {
  readonly codec: CompressionCodec;
  /** Undefined where bytes stay as they are. */
  readonly compress: Compress | undefined;
}

const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 3;
const GZIP_SYSTEM_BYTE = 9;
const GZIP_SYSTEM_UNKNOWN = 255;

/** zlib writes into the header on which system it ran; the bytes of a file shall not depend on that. */
function gzip(bytes: Uint8Array): Uint8Array {
  const compressed = gzipSync(bytes, { level: GZIP_LEVEL });
  compressed[GZIP_SYSTEM_BYTE] = GZIP_SYSTEM_UNKNOWN;
  return compressed;
}

// The zstd of node:zlib exists from Node 22.15 on only; the same code everywhere gives the same bytes.
async function loadZstd() {
  const { Zstd } = await import("@hpcc-js/wasm-zstd");
  return Zstd.load();
}

/** Each codec gives the same bytes on every machine with the same version of Node. */
export async function loadCodec(compression: Compression): Promise<Codec> {
  if (compression === "none") return { codec: "UNCOMPRESSED", compress: undefined };
  if (compression === "snappy") return { codec: "SNAPPY", compress: snappy };
  if (compression === "gzip") return { codec: "GZIP", compress: gzip };
  const zstd = await loadZstd();
  return { codec: "ZSTD", compress: (bytes) => zstd.compress(bytes, ZSTD_LEVEL) };
}

/** The compressing library copies what it unpacks number by number; another reads ten times as fast. */
export async function loadDecompressors(): Promise<Decompressors> {
  const { decompress } = await import("fzstd");
  return { GZIP: (bytes) => gunzipSync(bytes), ZSTD: (bytes) => decompress(bytes) };
}
