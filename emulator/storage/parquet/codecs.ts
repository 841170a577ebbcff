import { gunzipSync, gzipSync } from "node:zlib";
import type { CompressionCodec, Compressors as Decompressors } from "hyparquet";
import type { Compression } from "../../subjects/bulk-exports/encoder.ts";
import { snappy } from "./snappy.ts";

type Compress = (bytes: Uint8Array) => Uint8Array;

interface Codec {
  readonly codec: CompressionCodec;
  /** Undefined without compression. */
  readonly compress: Compress | undefined;
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

// node:zlib has zstd only since Node 22.15, and the same code on all versions gives the same bytes.
async function loadZstd() {
  const { Zstd } = await import("@hpcc-js/wasm-zstd");
  return Zstd.load();
}

/** Loads a codec. It gives the same bytes on every machine with the same version of Node. */
export async function loadCodec(compression: Compression): Promise<Codec> {
  if (compression === "none") return { codec: "UNCOMPRESSED", compress: undefined };
  if (compression === "snappy") return { codec: "SNAPPY", compress: snappy };
  if (compression === "gzip") return { codec: "GZIP", compress: gzip };
  const zstd = await loadZstd();
  return { codec: "ZSTD", compress: (bytes) => zstd.compress(bytes, ZSTD_LEVEL) };
}

/** `fzstd` decompresses ten times as fast as the library that compresses. */
export async function loadDecompressors(): Promise<Decompressors> {
  const { decompress } = await import("fzstd");
  return { GZIP: (bytes) => gunzipSync(bytes), ZSTD: (bytes) => decompress(bytes) };
}
