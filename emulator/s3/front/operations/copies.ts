import { closeSync } from "node:fs";
import { copyBody, type OpenedBody } from "../../../storage/objects/opened-body.ts";
import type { BodySink } from "../../../storage/objects/stage.ts";
import { missingObject, permissionError } from "../../../subjects/object-storage/authorisation.ts";
import { conditionError, storeObject } from "../../../subjects/object-storage/objects.ts";
import {
  type ChecksumAlgorithm,
  objectId,
  objects,
  type StoredObject,
} from "../../../subjects/object-storage/records.ts";
import { findUpload, storePart } from "../../../subjects/object-storage/uploads.ts";
import { createDigest } from "../../checksums.ts";
import { type Call, headerOf, type Reply } from "../call.ts";
import { checkReadConditions, writeConditionOf } from "../conditions.ts";
import {
  checksumElements,
  objectHeadersOf,
  quoted,
  refuseArchived,
  storageClassOf,
} from "../object-headers.ts";
import { type ByteRange, copyRangeOf } from "../ranges.ts";
import { orRefuse, refuse, refuseArgument } from "../refused.ts";
import { receiveAndStore } from "../store-body.ts";
import { decode } from "../target.ts";
import { writeXml } from "../xml.ts";
import { isoOf } from "./buckets.ts";
import { partNumberOf, uploadIdOf } from "./uploads.ts";

interface Source {
  readonly object: StoredObject;
  readonly body: OpenedBody;
}

/** `CopyObject`: opens the source before it writes the target, so both may be the same object. */
export async function copyObject(call: Call): Promise<Reply> {
  const { store, claim } = call;
  const condition = writeConditionOf(call);
  orRefuse(conditionError(store.world.reader, claim, condition));
  const replace = replacesMetadata(call);
  // As in S3, the class of the source is not copied.
  const storageClass = storageClassOf(call);
  const replacement = replace ? objectHeadersOf(call) : undefined;
  const { object: source, body } = await openSource(call);
  const changesClass = headerOf(call, "x-amz-storage-class") !== undefined;
  if (!replace && !changesClass && source.bucket === claim.bucket && source.key === claim.key) {
    closeSync(body.fd);
    const message =
      "This copy request is illegal because it is trying to copy an object to itself without changing the " +
      "object's metadata, storage class, website redirect location or encryption attributes.";
    throw refuse("InvalidRequest", message);
  }
  const { content_type, headers, metadata } = replacement ?? source;
  const isWhole = source.checksum_type === "FULL_OBJECT";
  const copy = await receiveAndStore(
    call,
    async (stage) => ({
      size: body.size,
      ...(await copyWithChecksums(stage, body, { start: 0, length: body.size })),
    }),
    (turn, facts, file) => {
      const newObject = {
        content_type,
        headers,
        metadata,
        ...storageClass,
        ...facts,
        ...file,
        // A copy has no parts, so a checksum of parts does not apply to it.
        checksums: isWhole ? source.checksums : {},
        checksum_type: "FULL_OBJECT",
      } as const;
      return storeObject(turn, claim, newObject, condition);
    },
  );
  const { etag, last_modified } = copy;
  const content = { LastModified: isoOf(last_modified), ETag: quoted(etag) };
  return { status: 200, xml: writeXml("CopyObjectResult", content) };
}

/** `UploadPartCopy`, of the whole source or of a range of its bytes. */
export async function uploadPartCopy(call: Call): Promise<Reply> {
  const { store, claim } = call;
  const uploadId = uploadIdOf(call);
  const partNumber = partNumberOf(call);
  const { checksum_algorithm } = orRefuse(findUpload(store.world.reader, claim, uploadId));
  const { body } = await openSource(call);
  const range = requestedRange(call, body);
  const { etag, checksums, now } = await receiveAndStore(
    call,
    (stage) => copyWithChecksums(stage, body, range, checksum_algorithm),
    (turn, sums, file) => {
      const part = { ...file, size: range.length, ...sums };
      const failure = storePart(turn, claim, uploadId, partNumber, part);
      return failure ?? { ...sums, now: turn.now };
    },
  );
  const content = { LastModified: isoOf(now), ETag: quoted(etag), ...checksumElements(checksums) };
  return { status: 200, xml: writeXml("CopyPartResult", content) };
}

/** Copies a range of a body; resolves with its MD5 in hex, and its checksum if there is an algorithm. */
async function copyWithChecksums(
  stage: BodySink,
  body: OpenedBody,
  range: ByteRange,
  algorithm: ChecksumAlgorithm | null = null,
): Promise<Pick<StoredObject, "etag" | "checksums">> {
  const md5 = createDigest("md5");
  const digest = algorithm && createDigest(algorithm);
  await copyBody(stage, body, range, (chunk) => {
    md5.update(chunk);
    digest?.update(chunk);
  });
  const checksums = digest ? { [algorithm as string]: digest.digest().toString("base64") } : {};
  return { etag: md5.digest().toString("hex"), checksums };
}

/** The bytes that `x-amz-copy-source-range` names, or all. Closes the body before it refuses the header. */
function requestedRange(call: Call, body: OpenedBody): ByteRange {
  const header = headerOf(call, "x-amz-copy-source-range");
  if (header === undefined) return { start: 0, length: body.size };
  const range = copyRangeOf(header, body.size);
  if (typeof range === "object") return range;
  closeSync(body.fd);
  if (range === "unsatisfiable") {
    throw refuse("InvalidRange", undefined, { RangeRequested: header, ActualObjectSize: String(body.size) });
  }
  const message =
    "The x-amz-copy-source-range value must be bytes=first-last, two offsets that start at zero.";
  throw refuseArgument("x-amz-copy-source-range", header, message);
}

function replacesMetadata(call: Call): boolean {
  const directive = headerOf(call, "x-amz-metadata-directive") ?? "COPY";
  if (directive === "COPY" || directive === "REPLACE") return directive === "REPLACE";
  throw refuse("InvalidArgument", "Unknown metadata directive.", {
    ArgumentName: "x-amz-metadata-directive",
  });
}

/** Opens the source, which requires the get permission. */
async function openSource(call: Call): Promise<Source> {
  const { store, claim } = call;
  const { reader } = store.world;
  const { bucket, key } = parseSource(headerOf(call, "x-amz-copy-source") ?? "");
  const sourceClaim = { ...claim, op: "GetObject", bucket, key } as const;
  orRefuse(permissionError(reader, sourceClaim, "get"));
  const object = orRefuse(reader.get(objects, objectId(bucket, key)) ?? missingObject(reader, sourceClaim));
  if (checkReadConditions(call, object, "x-amz-copy-source-") !== "pass") throw refuse("PreconditionFailed");
  refuseArchived(object);
  return { object, body: await store.files.open(object) };
}

function parseSource(header: string): { readonly bucket: string; readonly key: string } {
  const [encodedPath = "", version] = header.split("?versionId=");
  // Many clients also encode the slash between bucket and key.
  const path = decode(encodedPath.replaceAll("+", " ")).replace(/^\//, "");
  const slash = path.indexOf("/");
  if (slash < 1 || slash === path.length - 1 || (version !== undefined && version !== "null")) {
    const detail = { ArgumentName: "x-amz-copy-source", ArgumentValue: header.slice(0, 200) };
    throw refuse("InvalidArgument", "Copy Source must mention the source bucket and key", detail);
  }
  return { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}
