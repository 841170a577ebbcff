import { isS3Failure, messageOf } from "../../../subjects/object-storage/errors.ts";
import {
  conditionError,
  type Deletion,
  removeObjects,
  storeObject,
} from "../../../subjects/object-storage/objects.ts";
import type { StoredObject } from "../../../subjects/object-storage/records.ts";
import { dropObjects } from "../../object-store.ts";
import { receive, receiveText } from "../body.ts";
import { type Call, commit, headerOf, objectOf, type Reply } from "../call.ts";
import { checkReadConditions, deleteConditionOf, writeConditionOf } from "../conditions.ts";
import { checksumHeaders, objectHeadersOf, quoted, replyHeadersOf } from "../object-headers.ts";
import { type ByteRange, rangeOf } from "../ranges.ts";
import { orRefuse, refuse } from "../refused.ts";
import { checkVersion } from "../request-checks.ts";
import { receiveAndStore } from "../store-body.ts";
import { childrenOf, childText, readXml, writeXml } from "../xml.ts";
import { partNumberOf } from "./uploads.ts";

const MAX_DELETE_BYTES = 2 * 1024 * 1024;
const MAX_DELETE_KEYS = 1000;

/** `PutObject`: an upload that is cut off or fails its checksum leaves the old object as it was. */
export async function putObject(call: Call): Promise<Reply> {
  const { store, claim, request, signature } = call;
  const headers = objectHeadersOf(call);
  const condition = writeConditionOf(call);
  orRefuse(conditionError(store.world.reader, claim, condition));
  const object = await receiveAndStore(
    call,
    claim,
    (stage) => receive(request, signature, (piece) => stage.write(piece), { needsLength: true }),
    (turn, { size, md5, checksums }, body) => {
      const made = { ...headers, ...body, size, etag: md5, checksums, checksum_type: "FULL_OBJECT" } as const;
      return storeObject(turn, claim, made, condition);
    },
  );
  const checksums = checksumHeaders(object, object.checksum_type);
  return { status: 200, headers: { etag: quoted(object.etag), ...checksums } };
}

/** `GET` and `HEAD` differ only in that the latter's reply is sent without its body. */
export async function getObject(call: Call): Promise<Reply> {
  const object = objectOf(call);
  const verdict = checkReadConditions(call, object);
  const headers = { ...replyHeadersOf(object), ...overrides(call) };
  if (verdict === "failed") throw refuse("PreconditionFailed");
  if (verdict === "not_modified") return { status: 304, headers };
  const part = partOf(call, object);
  const asked = headerOf(call, "range");
  const range = part?.range ?? rangeOf(asked, object.size);
  if (range === "unsatisfiable") {
    const detail = { RangeRequested: asked ?? "", ActualObjectSize: String(object.size) };
    throw refuse("InvalidRange", undefined, detail);
  }
  const body = await call.store.files.open(object);
  const { checksum_type } = object;
  // A checksum says nothing about a range; of a part, its own is told.
  const vouched = part ?? (range === undefined ? object : undefined);
  const checksums = vouched && wantsChecksum(call) ? checksumHeaders(vouched, checksum_type) : {};
  const stretch = range ?? { start: 0, length: body.size };
  return {
    status: range === undefined ? 200 : 206,
    headers: { ...headers, ...checksums, ...part?.headers, ...(range && contentRange(range, body.size)) },
    body: { ...body, start: body.at + stretch.start, length: stretch.length },
  };
}

function contentRange({ start, length }: ByteRange, size: number): Record<string, string> {
  return length === 0 ? {} : { "content-range": `bytes ${start}-${start + length - 1}/${size}` };
}

/** What `partNumber` names: some bytes, their checksums, and headers that the reply has besides. */
interface NumberedPart extends Pick<StoredObject, "checksums"> {
  readonly range: ByteRange;
  readonly headers: Readonly<Record<string, string>>;
}

/** The part that `partNumber` names; an object that was not uploaded in parts is one. */
function partOf(call: Call, object: StoredObject): NumberedPart | undefined {
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
  return {
    range: { start, length: part.size },
    checksums: part.checksums,
    headers: object.parts ? { "x-amz-mp-parts-count": String(parts.length) } : {},
  };
}

function wantsChecksum(call: Call): boolean {
  return headerOf(call, "x-amz-checksum-mode")?.toUpperCase() === "ENABLED";
}

const OVERRIDABLE = [
  "content-type",
  "content-language",
  "expires",
  "cache-control",
  "content-disposition",
  "content-encoding",
];

/** `response-*` parameters; what is no header value is refused, since it would end the reply early. */
function overrides({ target }: Call): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of OVERRIDABLE) {
    const value = target.query.get(`response-${name}`);
    if (value === undefined) continue;
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw refuse("InvalidArgument", "Header value cannot be represented.", {
        ArgumentName: `response-${name}`,
      });
    }
    found[name] = value;
  }
  return found;
}

/** `DeleteObject`; a key that is not there is no trouble. */
export function deleteObject(call: Call): Reply {
  const condition = deleteConditionOf({
    etag: headerOf(call, "if-match"),
    size: headerOf(call, "x-amz-if-match-size"),
    lastModified: headerOf(call, "x-amz-if-match-last-modified-time"),
  });
  const { removed } = commit(call, (turn) => {
    const removal = removeObjects(turn, call.claim, [{ key: call.claim.key, condition }]);
    if (isS3Failure(removal)) return removal;
    const [failure] = removal.failed.values();
    return failure ?? removal;
  });
  dropObjects(call.store, removed);
  return { status: 204 };
}

/** `DeleteObjects`: in one turn; what its condition does not permit is left and listed as an error. */
export async function deleteObjects(call: Call): Promise<Reply> {
  const text = await receiveText(call.request, call.signature, { maxBytes: MAX_DELETE_BYTES });
  const wanted = await readXml(text, "Delete");
  const deletions = childrenOf(wanted, "Object").map(deletionIn);
  if (deletions.length === 0 || deletions.length > MAX_DELETE_KEYS) throw refuse("MalformedXML");
  const { removed, failed } = commit(call, (turn) => removeObjects(turn, call.claim, deletions));
  dropObjects(call.store, removed);
  const quiet = childText(wanted, "Quiet")?.trim() === "true";
  const deleted = deletions.filter((deletion) => !failed.has(deletion)).map(({ key }) => ({ Key: key }));
  const errors = [...failed].map(([{ key }, why]) => ({
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
