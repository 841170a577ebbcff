import { isS3Failure, messageOf } from "../../../subjects/object-storage/errors.ts";
import {
  conditionError,
  type Deletion,
  removeObjects,
  storeObject,
} from "../../../subjects/object-storage/objects.ts";
import type { StoredObject } from "../../../subjects/object-storage/records.ts";
import { receive, receiveText } from "../body.ts";
import { type Call, commit, headerOf, objectOf, type Reply } from "../call.ts";
import { checkReadConditions, deleteConditionOf, writeConditionOf } from "../conditions.ts";
import {
  checksumHeaders,
  objectHeadersOf,
  quoted,
  refuseArchived,
  replyHeadersOf,
  STORED_HEADERS,
  sandboxHeaders,
} from "../object-headers.ts";
import { type ByteRange, rangeOf } from "../ranges.ts";
import { orRefuse, refuse } from "../refused.ts";
import { checkVersion } from "../request-checks.ts";
import { receiveAndStore } from "../store-body.ts";
import { childrenOf, childText, readXml, writeXml } from "../xml.ts";
import { partNumberOf } from "./uploads.ts";

const MAX_DELETE_BYTES = 2 * 1024 * 1024;
const MAX_DELETE_KEYS = 1000;

/** `PutObject`: an incomplete upload or a wrong checksum leaves the old object unchanged. */
export async function putObject(call: Call): Promise<Reply> {
  const { store, claim, request, signature } = call;
  const headers = objectHeadersOf(call);
  const condition = writeConditionOf(call);
  orRefuse(conditionError(store.world.reader, claim, condition));
  const object = await receiveAndStore(
    call,
    (stage) => receive(request, signature, (chunk) => stage.write(chunk), { needsLength: true }),
    (turn, { size, md5, checksums }, body) => {
      const newObject = {
        ...headers,
        ...body,
        size,
        etag: md5,
        checksums,
        checksum_type: "FULL_OBJECT",
      } as const;
      return storeObject(turn, claim, newObject, condition);
    },
  );
  const checksums = checksumHeaders(object, object.checksum_type);
  return { status: 200, headers: { etag: quoted(object.etag), ...checksums } };
}

/** `GetObject` and `HeadObject`; the reply to `HEAD` is sent without its body. */
export async function getObject(call: Call): Promise<Reply> {
  const object = objectOf(call);
  const conditionResult = checkReadConditions(call, object);
  const replyHeaders = { ...replyHeadersOf(object), ...overrides(call) };
  const headers = { ...replyHeaders, ...sandboxHeaders(replyHeaders["content-type"] ?? "") };
  if (conditionResult === "failed") throw refuse("PreconditionFailed");
  if (conditionResult === "not_modified") return { status: 304, headers };
  const part = partOf(call, object);
  const rangeHeader = headerOf(call, "range");
  if (call.request.method !== "HEAD") refuseArchived(object);
  const range = part?.range ?? rangeOf(rangeHeader, object.size);
  if (range === "unsatisfiable") {
    const detail = { RangeRequested: rangeHeader ?? "", ActualObjectSize: String(object.size) };
    throw refuse("InvalidRange", undefined, detail);
  }
  const body = await call.store.files.open(object);
  const { checksum_type } = object;
  // The checksum of an object does not apply to a range. A part has its own.
  const checksumSource = part ?? (range === undefined ? object : undefined);
  const checksums =
    checksumSource && wantsChecksum(call) ? checksumHeaders(checksumSource, checksum_type) : {};
  const bytes = range ?? { start: 0, length: body.size };
  return {
    status: range === undefined ? 200 : 206,
    headers: { ...headers, ...checksums, ...part?.headers, ...(range && contentRange(range, body.size)) },
    body: { ...body, start: body.at + bytes.start, length: bytes.length },
  };
}

function contentRange({ start, length }: ByteRange, size: number): Record<string, string> {
  return length === 0 ? {} : { "content-range": `bytes ${start}-${start + length - 1}/${size}` };
}

/** The part that `partNumber` selects, with additional reply headers. An object that was not uploaded in parts is one part. */
function partOf(call: Call, object: StoredObject) {
  if (!call.target.query.has("partNumber")) return undefined;
  if (headerOf(call, "range") !== undefined) {
    throw refuse("InvalidRequest", "Cannot specify both Range header and partNumber query parameter");
  }
  const number = partNumberOf(call);
  const parts = object.parts ?? [object];
  const part = parts[number - 1];
  const detail = { ActualPartCount: String(parts.length), PartNumberRequested: String(number) };
  if (!part) throw refuse("InvalidPartNumber", undefined, detail);
  const start = parts.slice(0, number - 1).reduce((sum, { size }) => sum + size, 0);
  const headers: Readonly<Record<string, string>> = object.parts
    ? { "x-amz-mp-parts-count": String(parts.length) }
    : {};
  return { range: { start, length: part.size }, checksums: part.checksums, headers };
}

function wantsChecksum(call: Call): boolean {
  return headerOf(call, "x-amz-checksum-mode")?.toUpperCase() === "ENABLED";
}

/** Headers from `response-*` parameters. Refuses an invalid header value, which would end the reply early. */
function overrides({ target }: Call): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ["content-type", ...STORED_HEADERS]) {
    const value = target.query.get(`response-${name}`);
    if (value === undefined) continue;
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw refuse("InvalidArgument", "Header value cannot be represented.", {
        ArgumentName: `response-${name}`,
      });
    }
    headers[name] = value;
  }
  return headers;
}

/** `DeleteObject`; succeeds also if the key does not exist. */
export function deleteObject(call: Call): Reply {
  const condition = deleteConditionOf({
    etag: headerOf(call, "if-match"),
    size: headerOf(call, "x-amz-if-match-size"),
    lastModified: headerOf(call, "x-amz-if-match-last-modified-time"),
  });
  commit(call, (turn) => {
    const failures = removeObjects(turn, call.claim, [{ key: call.claim.key, condition }]);
    return isS3Failure(failures) ? failures : [...failures.values()][0];
  });
  return { status: 204 };
}

/** `DeleteObjects`, in one turn. An object whose condition fails stays and is listed as an error. */
export async function deleteObjects(call: Call): Promise<Reply> {
  const text = await receiveText(call.request, call.signature, { maxBytes: MAX_DELETE_BYTES });
  const document = await readXml(text, "Delete");
  const deletions = childrenOf(document, "Object").map(deletionIn);
  if (deletions.length === 0 || deletions.length > MAX_DELETE_KEYS) throw refuse("MalformedXML");
  const failures = commit(call, (turn) => removeObjects(turn, call.claim, deletions));
  const quiet = childText(document, "Quiet")?.trim() === "true";
  const deleted = deletions.filter((deletion) => !failures.has(deletion)).map(({ key }) => ({ Key: key }));
  const errors = [...failures].map(([{ key }, why]) => ({
    Key: key,
    Code: why.error,
    Message: messageOf(why),
  }));
  const content = { Deleted: quiet ? undefined : deleted, Error: errors };
  return { status: 200, xml: writeXml("DeleteResult", content) };
}

function deletionIn(item: Parameters<typeof childText>[0]): Deletion {
  const key = childText(item, "Key");
  if (!key) throw refuse("MalformedXML");
  checkVersion(childText(item, "VersionId"));
  const condition = deleteConditionOf({
    etag: childText(item, "ETag"),
    size: childText(item, "Size"),
    lastModified: childText(item, "LastModifiedTime"),
  });
  return { key, condition };
}
