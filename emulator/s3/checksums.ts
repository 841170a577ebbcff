import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ChecksumAlgorithm } from "../subjects/object-storage/records.ts";

/** A checksum that is being computed. */
export interface Digest {
  update(bytes: Uint8Array): void;
  digest(): Buffer;
}

/** Starts a checksum of one of the algorithms of S3. */
export function createDigest(algorithm: ChecksumAlgorithm | "md5"): Digest {
  if (algorithm === "crc32") return createCrc32();
  if (algorithm === "crc32c") return createCrc(CRC32C, 4);
  if (algorithm === "crc64nvme") return createCrc(CRC64NVME, 8);
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
}

/** The lengths of checksums in bytes, to distinguish a malformed value from a wrong one. */
export const CHECKSUM_BYTES: Readonly<Record<ChecksumAlgorithm, number>> = {
  crc32: 4,
  crc32c: 4,
  crc64nvme: 8,
  sha1: 20,
  sha256: 32,
};

/** The names in headers, after `x-amz-checksum-`. */
export const CHECKSUM_ALGORITHMS = Object.keys(CHECKSUM_BYTES) as readonly ChecksumAlgorithm[];

export function isChecksumAlgorithm(name: string): name is ChecksumAlgorithm {
  return Object.hasOwn(CHECKSUM_BYTES, name);
}

function createCrc32(): Digest {
  let value = 0;
  return {
    update(bytes) {
      value = crc32(bytes, value);
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes;
    },
  };
}

/** Reflected polynomials, as pairs of 32-bit halves: 64-bit integers would take ten times as long. */
interface Polynomial {
  readonly high: number;
  readonly low: number;
  tables?: { readonly high: Uint32Array; readonly low: Uint32Array };
}

const CRC32C: Polynomial = { high: 0, low: 0x82f63b78 };
const CRC64NVME: Polynomial = { high: 0x9a6c9329, low: 0xac4bc9b5 };

function tablesOf(polynomial: Polynomial): { readonly high: Uint32Array; readonly low: Uint32Array } {
  if (polynomial.tables) return polynomial.tables;
  const tables = { high: new Uint32Array(256), low: new Uint32Array(256) };
  for (let byte = 0; byte < 256; byte += 1) {
    let high = 0;
    let low = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      const isOdd = low & 1;
      low = (low >>> 1) | ((high & 1) << 31);
      high >>>= 1;
      if (isOdd) {
        high ^= polynomial.high;
        low ^= polynomial.low;
      }
    }
    tables.high[byte] = high;
    tables.low[byte] = low;
  }
  polynomial.tables = tables;
  return tables;
}

function createCrc(polynomial: Polynomial, length: 4 | 8): Digest {
  const tables = tablesOf(polynomial);
  let high = length === 8 ? -1 : 0;
  let low = -1;
  return {
    update(bytes) {
      for (let index = 0; index < bytes.length; index += 1) {
        const at = (low ^ (bytes[index] as number)) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ (tables.low[at] as number);
        high = (high >>> 8) ^ (tables.high[at] as number);
      }
    },
    digest() {
      const bytes = Buffer.alloc(8);
      bytes.writeUInt32BE(~high >>> 0, 0);
      bytes.writeUInt32BE(~low >>> 0, 4);
      return bytes.subarray(8 - length);
    },
  };
}
