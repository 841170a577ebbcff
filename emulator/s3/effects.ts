import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { promisify } from "node:util";
import type { ObjectFiles, OpenedBody } from "../storage/objects/object-files.ts";
import type { Stage } from "../storage/objects/stage.ts";
import { type S3Failure, s3Failure } from "../subjects/object-storage/errors.ts";
import type { ChecksumAlgorithm, MultipartUpload, UploadedPart } from "../subjects/object-storage/records.ts";
import { createDigest } from "./checksums.ts";

const PIECE_BYTES = 1024 * 1024;
const read = promisify(fs.read);

/** What came of putting bodies together. */
export interface Assembled {
  readonly size: number;
  readonly etag: string;
  readonly checksums: Partial<Record<ChecksumAlgorithm, string>>;
}

/** Copies a stretch of an opened body, piece by piece; closes it in the end. */
export async function copyBody(
  stage: Stage,
  { fd }: OpenedBody,
  { start, length }: { readonly start: number; readonly length: number },
  onPiece: (piece: Buffer) => void,
): Promise<void> {
  try {
    for (let offset = 0; offset < length; ) {
      const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, length - offset));
      const { bytesRead } = await read(fd, buffer, 0, buffer.length, start + offset);
      if (bytesRead === 0) throw new Error("A body on disk is shorter than it was.");
      const piece = buffer.subarray(0, bytesRead);
      onPiece(piece);
      await stage.write(piece);
      offset += bytesRead;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads an opened body into memory; closes it. */
export async function readBody({ fd, size }: OpenedBody): Promise<Buffer> {
  try {
    const buffer = Buffer.allocUnsafe(size);
    for (let offset = 0; offset < size; ) {
      const { bytesRead } = await read(fd, buffer, offset, size - offset, offset);
      if (bytesRead === 0) return buffer.subarray(0, offset);
      offset += bytesRead;
    }
    return buffer;
  } finally {
    fs.closeSync(fd);
  }
}

/** Puts the parts of an upload together, in order. */
export async function assemble(
  files: ObjectFiles,
  stage: Stage,
  upload: MultipartUpload,
  parts: readonly UploadedPart[],
): Promise<S3Failure | Assembled> {
  const { checksum_algorithm: algorithm, checksum_type } = upload;
  const whole = algorithm && checksum_type === "FULL_OBJECT" ? createDigest(algorithm) : undefined;
  let size = 0;
  for (const part of parts) {
    const body = files.open(part.file);
    // Gone, because the upload was aborted or completed meanwhile.
    if (!body) return s3Failure("NoSuchUpload", undefined, { UploadId: upload.upload_id });
    await copyBody(stage, body, { start: 0, length: body.size }, (piece) => whole?.update(piece));
    size += body.size;
  }
  const md5s = Buffer.concat(parts.map((part) => Buffer.from(part.etag, "hex")));
  const etag = `${createHash("md5").update(md5s).digest("hex")}-${parts.length}`;
  const checksum = whole ? whole.digest().toString("base64") : compositeOf(algorithm, parts);
  return { size, etag, checksums: algorithm && checksum ? { [algorithm]: checksum } : {} };
}

/** The checksum of the parts' checksums, known when each of them came with one. */
function compositeOf(
  algorithm: ChecksumAlgorithm | null,
  parts: readonly UploadedPart[],
): string | undefined {
  if (!algorithm) return undefined;
  const values = parts.map((part) => part.checksums[algorithm]);
  if (values.includes(undefined)) return undefined;
  const digest = createDigest(algorithm);
  for (const value of values) digest.update(Buffer.from(value as string, "base64"));
  return `${digest.digest().toString("base64")}-${parts.length}`;
}
