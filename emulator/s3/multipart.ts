import { createHash } from "node:crypto";
import type { Bodies } from "../storage/objects/bodies.ts";
import { copyBody } from "../storage/objects/opened-body.ts";
import type { BodySink } from "../storage/objects/stage.ts";
import type {
  ChecksumAlgorithm,
  MultipartUpload,
  StoredBody,
  UploadedPart,
} from "../subjects/object-storage/records.ts";
import { createDigest } from "./checksums.ts";

/** Concatenates the parts of an upload in order. Rejects with a `StoreError` for a damaged or missing part. */
export async function assemble(
  files: Pick<Bodies, "open">,
  stage: BodySink,
  upload: MultipartUpload,
  parts: readonly UploadedPart[],
): Promise<Pick<StoredBody, "size" | "etag" | "checksums">> {
  const { checksum_algorithm: algorithm, checksum_type } = upload;
  const whole = algorithm && checksum_type === "FULL_OBJECT" ? createDigest(algorithm) : undefined;
  let size = 0;
  for (const part of parts) {
    const body = await files.open(part);
    await copyBody(stage, body, { start: 0, length: body.size }, (chunk) => whole?.update(chunk));
    size += body.size;
  }
  const etag = multipartEtag(parts);
  const checksum = whole ? whole.digest().toString("base64") : compositeOf(algorithm, parts);
  return { size, etag, checksums: algorithm && checksum ? { [algorithm]: checksum } : {} };
}

/** The entity tag of an object that was assembled from parts. */
export function multipartEtag(parts: readonly { readonly etag: string }[]): string {
  const md5s = Buffer.concat(parts.map((part) => Buffer.from(part.etag, "hex")));
  return `${createHash("md5").update(md5s).digest("hex")}-${parts.length}`;
}

/** The checksum of the parts' checksums; undefined unless every part has one. */
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
