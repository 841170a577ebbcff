import { conditionError, removeObjects, storeObject } from "../../../subjects/object-storage/objects.ts";
import { dropObjects } from "../../object-store.ts";
import { receive, receiveText } from "../body.ts";
import { type Call, commit, headerOf, objectOf, type Reply } from "../call.ts";
import { judgeRead, writeConditionOf } from "../conditions.ts";
import { checkHeaders, checksumHeaders, objectHeadersOf, quoted, replyHeadersOf } from "../object-headers.ts";
import { rangeOf } from "../ranges.ts";
import { orRefuse, refuse } from "../refused.ts";
import { receiveAndStore } from "../store-body.ts";
import { childrenOf, childText, readXml, writeXml } from "../xml.ts";

const MAX_DELETE_BYTES = 2 * 1024 * 1024;
const MAX_DELETE_KEYS = 1000;

/** `PutObject`: an upload that is cut off or fails its checksum leaves the old object as it was. */
export async function putObject(call: Call): Promise<Reply> {
  const { store, claim, request, signature } = call;
  checkHeaders(request);
  const headers = objectHeadersOf(request);
  const condition = writeConditionOf(call);
  orRefuse(conditionError(store.world.reader, claim, condition));
  const object = await receiveAndStore(
    call,
    claim,
    (stage) => receive(request, signature, (piece) => stage.write(piece)),
    (turn, { size, md5, checksums }, body) => {
      const made = { ...headers, ...body, size, etag: md5, checksums, checksum_type: "FULL_OBJECT" } as const;
      return storeObject(turn, claim, made, condition);
    },
  );
  const checksums = checksumHeaders(object, object.checksum_type);
  return { status: 200, headers: { etag: quoted(object.etag), ...checksums } };
}

/** `GET` and `HEAD` differ only in that the latter's reply is sent without its body. */
export function getObject(call: Call): Reply {
  refusePartNumber(call);
  const object = objectOf(call);
  const verdict = judgeRead(call, object);
  const headers = { ...replyHeadersOf(object), ...overrides(call) };
  if (verdict === "failed") throw refuse("PreconditionFailed");
  if (verdict === "not_modified") return { status: 304, headers };
  const body = call.store.files.open(object.file);
  if (!body) throw refuse("NoSuchKey", "The file of this object is gone from the disk.", { Key: object.key });
  const asked = headerOf(call, "range");
  const range = rangeOf(asked, body.size);
  if (range === undefined) {
    const checksums = wantsChecksum(call) ? checksumHeaders(object, object.checksum_type) : {};
    return {
      status: 200,
      headers: { ...headers, ...checksums },
      body: { ...body, start: 0, length: body.size },
    };
  }
  if (range === "unsatisfiable") {
    call.store.files.close(body);
    const detail = { RangeRequested: asked ?? "", ActualObjectSize: String(body.size) };
    throw refuse("InvalidRange", undefined, detail);
  }
  const { start, length } = range;
  const contentRange = `bytes ${start}-${start + length - 1}/${body.size}`;
  return { status: 206, headers: { ...headers, "content-range": contentRange }, body: { ...body, ...range } };
}

function refusePartNumber({ target }: Call): void {
  if (target.query.has("partNumber")) {
    throw refuse("NotImplemented", "Reading one part of an object is not implemented.", {
      Query: "partNumber",
    });
  }
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
  if (headerOf(call, "if-match") !== undefined)
    throw refuse("NotImplemented", undefined, { Header: "If-Match" });
  const removed = commit(call, (turn) => removeObjects(turn, call.claim, [call.claim.key]));
  dropObjects(call.store, removed);
  return { status: 204 };
}

/** `DeleteObjects`: all of the keys or none. */
export async function deleteObjects(call: Call): Promise<Reply> {
  const text = await receiveText(call.request, call.signature, { maxBytes: MAX_DELETE_BYTES });
  const wanted = await readXml(text, "Delete");
  const keys = childrenOf(wanted, "Object").map((item) => childText(item, "Key"));
  if (keys.length === 0 || keys.length > MAX_DELETE_KEYS || keys.some((key) => !key))
    throw refuse("MalformedXML");
  dropObjects(
    call.store,
    commit(call, (turn) => removeObjects(turn, call.claim, keys as string[])),
  );
  const quiet = childText(wanted, "Quiet")?.trim() === "true";
  const deleted = quiet ? undefined : keys.map((Key) => ({ Key }));
  return { status: 200, xml: writeXml("DeleteResult", { Deleted: deleted }) };
}
