import { createHash } from "node:crypto";
import type { OpenedBody } from "../../../storage/objects/opened-body.ts";
import { copyBody } from "../../../storage/objects/opened-body.ts";
import { missingObject, permissionError } from "../../../subjects/object-storage/authorisation.ts";
import { conditionError, storeObject } from "../../../subjects/object-storage/objects.ts";
import { objectId, objects, type StoredObject } from "../../../subjects/object-storage/records.ts";
import { findUpload, storePart } from "../../../subjects/object-storage/uploads.ts";
import { type Call, headerOf, type Reply } from "../call.ts";
import { checkReadConditions, writeConditionOf } from "../conditions.ts";
import { objectHeadersOf, quoted } from "../object-headers.ts";
import { type ByteRange, copyRangeOf } from "../ranges.ts";
import { orRefuse, refuse } from "../refused.ts";
import { receiveAndStore } from "../store-body.ts";
import { decode } from "../target.ts";
import { writeXml } from "../xml.ts";
import { isoOf } from "./buckets.ts";
import { partNumberOf, uploadIdOf } from "./uploads.ts";

interface Source {
  readonly object: StoredObject;
  readonly body: OpenedBody;
}

/** `CopyObject`: the source is opened before the target is written, so both may be one. */
export async function copyObject(call: Call): Promise<Reply> {
  const { store, claim } = call;
  const condition = writeConditionOf(call);
  orRefuse(conditionError(store.world.reader, claim, condition));
  const replace = replacesMetadata(call);
  const replaced = replace ? objectHeadersOf(call) : undefined;
  const { object: source, body } = await openSource(call);
  if (!replace && source.bucket === claim.bucket && source.key === claim.key) {
    store.files.close(body);
    const message =
      "This copy request is illegal because it is trying to copy an object to itself without changing the " +
      "object's metadata, storage class, website redirect location or encryption attributes.";
    throw refuse("InvalidRequest", message);
  }
  const { content_type, headers, metadata } = replaced ?? source;
  const whole = source.checksum_type === "FULL_OBJECT";
  const copied = await receiveAndStore(
    call,
    claim,
    async (stage) => {
      const md5 = createHash("md5");
      await copyBody(stage, body, { start: 0, length: body.size }, (piece) => void md5.update(piece));
      return { size: body.size, etag: md5.digest("hex") };
    },
    (turn, facts, file) => {
      const made = {
        content_type,
        headers,
        metadata,
        ...facts,
        ...file,
        // A checksum of parts says nothing about a copy, which has none.
        checksums: whole ? source.checksums : {},
        checksum_type: "FULL_OBJECT",
      } as const;
      return storeObject(turn, claim, made, condition);
    },
  );
  const { etag, last_modified } = copied;
  const content = { LastModified: isoOf(last_modified), ETag: quoted(etag) };
  return { status: 200, xml: writeXml("CopyObjectResult", content) };
}

/** `UploadPartCopy`, of the whole source or of a range of its bytes. */
export async function uploadPartCopy(call: Call): Promise<Reply> {
  const { store, claim } = call;
  const uploadId = uploadIdOf(call);
  const partNumber = partNumberOf(call);
  orRefuse(findUpload(store.world.reader, claim, uploadId));
  const { body } = await openSource(call);
  const stretch = stretchAsked(call, body);
  const { etag, now } = await receiveAndStore(
    call,
    { uploadId, partNumber },
    async (stage) => {
      const md5 = createHash("md5");
      await copyBody(stage, body, stretch, (piece) => void md5.update(piece));
      return md5.digest("hex");
    },
    (turn, md5, file) => {
      const made = { ...file, size: stretch.length, etag: md5, checksums: {} };
      const kept = storePart(turn, claim, uploadId, partNumber, made);
      return kept ?? { etag: md5, now: turn.now };
    },
  );
  const content = { LastModified: isoOf(now), ETag: quoted(etag) };
  return { status: 200, xml: writeXml("CopyPartResult", content) };
}

/** What `x-amz-copy-source-range` names, or all; the body is closed if that is not there. */
function stretchAsked(call: Call, body: OpenedBody): ByteRange {
  const asked = headerOf(call, "x-amz-copy-source-range");
  if (asked === undefined) return { start: 0, length: body.size };
  const range = copyRangeOf(asked, body.size);
  if (typeof range === "object") return range;
  call.store.files.close(body);
  if (range === "unsatisfiable") {
    throw refuse("InvalidRange", undefined, { RangeRequested: asked, ActualObjectSize: String(body.size) });
  }
  const message =
    "The x-amz-copy-source-range value must be bytes=first-last, two offsets counted from zero.";
  throw refuse("InvalidArgument", message, {
    ArgumentName: "x-amz-copy-source-range",
    ArgumentValue: asked.slice(0, 100),
  });
}

function replacesMetadata(call: Call): boolean {
  const directive = headerOf(call, "x-amz-metadata-directive") ?? "COPY";
  if (directive === "COPY" || directive === "REPLACE") return directive === "REPLACE";
  throw refuse("InvalidArgument", "Unknown metadata directive.", {
    ArgumentName: "x-amz-metadata-directive",
  });
}

/** Finds the source, which takes the get permission, and opens it at once. */
async function openSource(call: Call): Promise<Source> {
  const { store, claim } = call;
  const { reader } = store.world;
  const { bucket, key } = sourceNamed(headerOf(call, "x-amz-copy-source") ?? "");
  const reading = { ...claim, op: "GetObject", bucket, key } as const;
  orRefuse(permissionError(reader, reading, "get"));
  const object = orRefuse(reader.get(objects, objectId(bucket, key)) ?? missingObject(reader, reading));
  if (checkReadConditions(call, object, "x-amz-copy-source-") !== "pass") throw refuse("PreconditionFailed");
  return { object, body: await store.files.open(object) };
}

function sourceNamed(header: string): { readonly bucket: string; readonly key: string } {
  const [given = "", version] = header.split("?versionId=");
  // Many programs encode the slash between bucket and key as well.
  const path = decode(given).replace(/^\//, "");
  const slash = path.indexOf("/");
  if (slash < 1 || slash === path.length - 1 || (version !== undefined && version !== "null")) {
    const detail = { ArgumentName: "x-amz-copy-source", ArgumentValue: header.slice(0, 200) };
    throw refuse("InvalidArgument", "Copy Source must mention the source bucket and key", detail);
  }
  return { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
}
