import { isS3Failure } from "../../../subjects/object-storage/errors.ts";
import { findFinished, saveFinished } from "../../../subjects/object-storage/finished-uploads.ts";
import { conditionError } from "../../../subjects/object-storage/objects.ts";
import type {
  ChecksumAlgorithm,
  FinishedUpload,
  MultipartUpload,
  StoredBody,
} from "../../../subjects/object-storage/records.ts";
import {
  abortUpload,
  findParts,
  findUpload,
  finishUpload,
  MAX_PART_NUMBER,
  type RequestedPart,
  startUpload,
  storePart,
} from "../../../subjects/object-storage/uploads.ts";
import { CHECKSUM_ALGORITHMS, isChecksumAlgorithm } from "../../checksums.ts";
import { assemble, multipartEtag } from "../../multipart.ts";
import { receive, receiveText } from "../body.ts";
import { type Call, commit, headerOf, type Reply } from "../call.ts";
import { writeConditionOf } from "../conditions.ts";
import { integerArgument, integerOf } from "../integers.ts";
import { checksumElements, checksumHeaders, objectHeadersOf, quoted, unquoted } from "../object-headers.ts";
import { orRefuse, refuse } from "../refused.ts";
import { receiveAndStore } from "../store-body.ts";
import { childrenOf, childText, readXml, writeXml } from "../xml.ts";

/** Enough for ten thousand indented parts with their checksums: the parser takes half a second for it. */
const MAX_COMPLETE_BYTES = 2.5 * 1024 * 1024;

/** The upload id of the query; empty if there is none. */
export function uploadIdOf({ target }: Call): string {
  return target.query.get("uploadId") ?? "";
}

/** The part number of the query. Throws `S3Refused` (`InvalidArgument`) if it is not valid. */
export function partNumberOf({ target }: Call): number {
  const message = `Part number must be an integer between 1 and ${MAX_PART_NUMBER}, inclusive`;
  return integerArgument("partNumber", target.query.get("partNumber") ?? "", [1, MAX_PART_NUMBER], message);
}

/** `CreateMultipartUpload`, with the headers and metadata of the object. */
export function createMultipartUpload(call: Call): Reply {
  const { claim } = call;
  const plan = { ...objectHeadersOf(call), ...checksumPlan(call) };
  const { upload_id, checksum_algorithm, checksum_type } = commit(call, (turn) =>
    startUpload(turn, claim, plan),
  );
  const content = { Bucket: claim.bucket, Key: claim.key, UploadId: upload_id };
  const headers: Record<string, string> = checksum_algorithm
    ? {
        "x-amz-checksum-algorithm": checksum_algorithm.toUpperCase(),
        "x-amz-checksum-type": checksum_type,
      }
    : {};
  return { status: 200, headers, xml: writeXml("InitiateMultipartUploadResult", content) };
}

/** The only type of an algorithm: digests of parts cannot be joined, and crc64nvme is always joined. */
const CHECKSUM_TYPES: Readonly<Partial<Record<ChecksumAlgorithm, MultipartUpload["checksum_type"]>>> = {
  sha1: "COMPOSITE",
  sha256: "COMPOSITE",
  crc64nvme: "FULL_OBJECT",
};

function checksumPlan(call: Call): Pick<MultipartUpload, "checksum_algorithm" | "checksum_type"> {
  const algorithm = headerOf(call, "x-amz-checksum-algorithm")?.toLowerCase();
  const type = headerOf(call, "x-amz-checksum-type")?.toUpperCase();
  if (type !== undefined && type !== "COMPOSITE" && type !== "FULL_OBJECT")
    throw refuse("InvalidRequest", "Value for x-amz-checksum-type header is invalid.");
  if (algorithm === undefined) {
    if (type === undefined) return { checksum_algorithm: null, checksum_type: "FULL_OBJECT" };
    const message =
      "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.";
    throw refuse("InvalidRequest", message);
  }
  if (!isChecksumAlgorithm(algorithm))
    throw refuse("InvalidRequest", "Checksum algorithm provided is unsupported.");
  const onlyType = CHECKSUM_TYPES[algorithm];
  if (onlyType && type && type !== onlyType) {
    const message = `The ${type} checksum type cannot be used with the ${algorithm} checksum algorithm.`;
    throw refuse("InvalidRequest", message);
  }
  return { checksum_algorithm: algorithm, checksum_type: type ?? onlyType ?? "COMPOSITE" };
}

/** `UploadPart`; replaces an earlier part of the same number. */
export async function uploadPart(call: Call): Promise<Reply> {
  const { store, claim, request, signature } = call;
  const uploadId = uploadIdOf(call);
  const partNumber = partNumberOf(call);
  orRefuse(findUpload(store.world.reader, claim, uploadId));
  const body = await receiveAndStore(
    call,
    (stage) => receive(request, signature, (chunk) => stage.write(chunk), { needsLength: true }),
    (turn, { size, md5, checksums }, file) => {
      const part = { ...file, size, etag: md5, checksums };
      const failure = storePart(turn, claim, uploadId, partNumber, part);
      return failure ?? part;
    },
  );
  const { "x-amz-checksum-type": _, ...checksums } = checksumHeaders(body, "FULL_OBJECT");
  return { status: 200, headers: { etag: quoted(body.etag), ...checksums } };
}

/** `CompleteMultipartUpload`: joins the named parts and creates the object in one step. */
export async function completeMultipartUpload(call: Call): Promise<Reply> {
  const { store, claim, request, signature } = call;
  const { reader } = store.world;
  const uploadId = uploadIdOf(call);
  const condition = writeConditionOf(call);
  const earlier = findFinished(reader, claim, uploadId);
  const upload = earlier ?? orRefuse(findUpload(reader, claim, uploadId));
  const text = await receiveText(request, signature, { maxBytes: MAX_COMPLETE_BYTES, ofObject: true });
  const requestedParts = await partsIn(text);
  if (!("initiated" in upload)) return repeatReply(call, upload, requestedParts);
  orRefuse(conditionError(reader, claim, condition));
  const parts = orRefuse(findParts(reader, upload, requestedParts));
  const object = await receiveAndStore(
    call,
    async (stage) => {
      const assembled = await assemble(store.files, stage, upload, parts).catch((error: unknown) => {
        // The parts are missing if the upload was aborted or completed meanwhile.
        orRefuse(findUpload(reader, claim, uploadId));
        throw error;
      });
      checkAssembled(call, upload, assembled);
      return assembled;
    },
    (turn, assembled, file) => {
      const finished = finishUpload(
        turn,
        claim,
        uploadId,
        requestedParts,
        { ...assembled, ...file },
        condition,
      );
      if (!isS3Failure(finished)) saveFinished(turn, uploadId, finished);
      return finished;
    },
  );
  return completedReply(call, object);
}

/** Repeats the reply for a client that lost it and sends the same list of parts again. */
function repeatReply(call: Call, upload: FinishedUpload, requestedParts: readonly RequestedPart[]): Reply {
  if (multipartEtag(requestedParts) !== upload.etag) throw refuse("InvalidPart");
  return completedReply(call, upload);
}

function completedReply(
  { claim, target }: Call,
  { etag, checksums, checksum_type }: Pick<FinishedUpload, "etag" | "checksums" | "checksum_type">,
): Reply {
  const content = {
    Location: `${target.basePath}/${claim.bucket}/${claim.key}`,
    Bucket: claim.bucket,
    Key: claim.key,
    ETag: quoted(etag),
    ...checksumElements(checksums),
    ...(Object.keys(checksums).length > 0 && { ChecksumType: checksum_type }),
  };
  return { status: 200, xml: writeXml("CompleteMultipartUploadResult", content) };
}

async function partsIn(text: string): Promise<readonly RequestedPart[]> {
  const document = await readXml(text, "CompleteMultipartUpload");
  return childrenOf(document, "Part").map((part) => {
    const part_number = integerOf(childText(part, "PartNumber")?.trim());
    const etag = childText(part, "ETag");
    if (Number.isNaN(part_number) || etag === undefined) throw refuse("MalformedXML");
    const checksums: Partial<Record<ChecksumAlgorithm, string>> = {};
    for (const algorithm of CHECKSUM_ALGORITHMS) {
      const value = childText(part, `Checksum${algorithm.toUpperCase()}`);
      if (value !== undefined) checksums[algorithm] = value;
    }
    return { part_number, etag: unquoted(etag), checksums };
  });
}

/** Refuses an object whose size, checksum or type of checksum differs from the headers of the request. */
function checkAssembled(
  call: Call,
  { checksum_algorithm, checksum_type }: MultipartUpload,
  { size, checksums }: Pick<StoredBody, "size" | "checksums">,
): void {
  const expectedSize = headerOf(call, "x-amz-mp-object-size");
  if (expectedSize !== undefined && integerOf(expectedSize) !== size)
    throw refuse("InvalidRequest", "The provided object size does not match the parts.");
  const expectedType = headerOf(call, "x-amz-checksum-type")?.toUpperCase() ?? checksum_type;
  if (checksum_algorithm && expectedType !== checksum_type) {
    const message = `The upload was created using the ${checksum_type} checksum mode. The complete request must use the same checksum mode.`;
    throw refuse("InvalidRequest", message);
  }
  for (const [algorithm, value] of Object.entries(checksums)) {
    const expected = headerOf(call, `x-amz-checksum-${algorithm}`);
    if (expected !== undefined && expected !== value) {
      throw refuse("BadDigest", `The ${algorithm} you specified did not match the calculated checksum.`);
    }
  }
}

/** `AbortMultipartUpload`; removes its parts. */
export function abortMultipartUpload(call: Call): Reply {
  commit(call, (turn) => abortUpload(turn, call.claim, uploadIdOf(call)));
  return { status: 204 };
}
