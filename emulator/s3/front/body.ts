import type { IncomingMessage } from "node:http";
import type { ChecksumAlgorithm, Checksums } from "../../subjects/object-storage/records.ts";
import { MAX_BODY_BYTES } from "../../subjects/object-storage/uploads.ts";
import {
  CHECKSUM_ALGORITHMS,
  CHECKSUM_BYTES,
  createDigest,
  type Digest,
  isChecksumAlgorithm,
} from "../checksums.ts";
import { framingOf, unframe } from "./chunks.ts";
import { integerOf } from "./integers.ts";
import { refuse } from "./refused.ts";
import { HEX_64, type Signature } from "./signature.ts";

/** Options for a body that is not the object itself. */
export interface ReceiveOptions {
  readonly maxBytes?: number;
  /** The checksum headers are of an object that the body only describes. */
  readonly ofObject?: boolean;
  /** Refuses a request without a length, as the real service does for objects. */
  readonly needsLength?: boolean;
}

const NONE: ReadonlyMap<ChecksumAlgorithm, string> = new Map();
const CHECKSUM_HEADER = "x-amz-checksum-";

/** Reads a body in chunks, and verifies its length and checksums. Returns its MD5 in hex. */
export async function receive(
  request: IncomingMessage,
  signature: Signature,
  take: (chunk: Buffer) => Promise<void> | void,
  { maxBytes = MAX_BODY_BYTES, ofObject = false, needsLength = false }: ReceiveOptions = {},
) {
  const { headers } = request;
  const framing = framingOf(signature.payload);
  const expectedSize = lengthOf(request, framing !== undefined, needsLength);
  if (expectedSize > maxBytes) throw tooLarge(expectedSize, maxBytes);
  let claimedChecksums = ofObject ? NONE : checksumsIn((name) => headers[name]?.toString());
  const announced = announcedTrailer(headers);
  const digests = digestsOf([...claimedChecksums.keys(), ...(announced ? [announced] : [])]);
  const md5 = createDigest("md5");
  const sha256 = HEX_64.test(signature.payload) ? createDigest("sha256") : undefined;
  const takers: readonly Digest[] = [md5, ...(sha256 ? [sha256] : []), ...digests.values()];
  // The request has to stay open when the reading stops early, or the refusal could not be sent.
  const source: AsyncIterableIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  const chunks = framing
    ? unframe(source, framing, signature, (trailers) => {
        if (announced)
          claimedChecksums = new Map([...claimedChecksums, ...checksumsIn((name) => trailers.get(name))]);
      })
    : source;
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > expectedSize)
        throw refuse("IncompleteBody", "The body is longer than the announced length.");
      for (const taker of takers) taker.update(chunk);
      await take(chunk);
    }
  } finally {
    // While it reads, the rest of a refused body cannot be discarded.
    await source.return?.();
  }
  if (size !== expectedSize) throw refuse("IncompleteBody");
  checkPayload(signature, sha256);
  if (announced && !claimedChecksums.has(announced)) throw refuse("MalformedTrailerError");
  const digest = md5.digest();
  checkMd5(headers["content-md5"]?.toString(), digest);
  return { size, md5: digest.toString("hex"), checksums: verifyChecksums(claimedChecksums, digests) };
}

/** Reads a small body, for example an XML document, into memory. */
export async function receiveText(
  request: IncomingMessage,
  signature: Signature,
  options: ReceiveOptions,
): Promise<string> {
  const chunks: Buffer[] = [];
  await receive(request, signature, (chunk) => void chunks.push(chunk), options);
  return Buffer.concat(chunks).toString("utf8");
}

function lengthOf({ headers }: IncomingMessage, framed: boolean, isNeeded: boolean): number {
  const decoded = headers["x-amz-decoded-content-length"];
  const text = framed ? decoded : headers["content-length"];
  if (text === undefined) {
    if (isNeeded || framed || headers["transfer-encoding"] !== undefined)
      throw refuse("MissingContentLength");
    return 0;
  }
  const length = integerOf(String(text));
  if (Number.isNaN(length)) throw refuse("InvalidArgument", "The content length is not a number.");
  return length;
}

function tooLarge(size: number, max: number): Error {
  return refuse("EntityTooLarge", undefined, { ProposedSize: String(size), MaxSizeAllowed: String(max) });
}

function checksumsIn(valueOf: (name: string) => string | undefined): ReadonlyMap<ChecksumAlgorithm, string> {
  const checksums = new Map<ChecksumAlgorithm, string>();
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const value = valueOf(`${CHECKSUM_HEADER}${algorithm}`);
    if (value === undefined) continue;
    if (Buffer.from(value, "base64").length !== CHECKSUM_BYTES[algorithm]) {
      throw refuse("InvalidRequest", `Value for ${CHECKSUM_HEADER}${algorithm} header is invalid.`);
    }
    checksums.set(algorithm, value);
  }
  return checksums;
}

/** The checksum of a body, which may have one. */
function digestsOf(algorithms: readonly ChecksumAlgorithm[]): ReadonlyMap<ChecksumAlgorithm, Digest> {
  const digests = new Map(algorithms.map((algorithm) => [algorithm, createDigest(algorithm)]));
  if (digests.size <= 1) return digests;
  const message = "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.";
  throw refuse("InvalidRequest", message);
}

function announcedTrailer(headers: IncomingMessage["headers"]): ChecksumAlgorithm | undefined {
  const name = headers["x-amz-trailer"]?.toString()?.trim().toLowerCase();
  if (name === undefined) return undefined;
  const algorithm = name.slice(CHECKSUM_HEADER.length);
  if (name.startsWith(CHECKSUM_HEADER) && isChecksumAlgorithm(algorithm)) return algorithm;
  throw refuse("InvalidRequest", "The value specified in the x-amz-trailer header is not supported");
}

function checkPayload({ payload }: Signature, sha256: Digest | undefined): void {
  if (!sha256 || sha256.digest().toString("hex") === payload) return;
  throw refuse("XAmzContentSHA256Mismatch", undefined, { ClientComputedContentSHA256: payload });
}

function checkMd5(claimedMd5: string | undefined, digest: Buffer): void {
  if (claimedMd5 === undefined) return;
  const bytes = Buffer.from(claimedMd5, "base64");
  if (bytes.length !== 16) throw refuse("InvalidDigest", undefined, { "Content-MD5": claimedMd5 });
  if (!bytes.equals(digest)) {
    throw refuse("BadDigest", "The Content-MD5 you specified did not match what we received.");
  }
}

function verifyChecksums(
  claimedChecksums: ReadonlyMap<ChecksumAlgorithm, string>,
  digests: ReadonlyMap<ChecksumAlgorithm, Digest>,
): Checksums {
  const checksums: Partial<Record<ChecksumAlgorithm, string>> = {};
  for (const [algorithm, value] of claimedChecksums) {
    const computed = (digests.get(algorithm) ?? createDigest(algorithm)).digest().toString("base64");
    if (computed !== value) {
      const message = `The ${algorithm.toUpperCase()} you specified did not match the calculated checksum.`;
      throw refuse("BadDigest", message);
    }
    checksums[algorithm] = value;
  }
  return checksums;
}
