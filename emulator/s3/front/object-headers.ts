import type {
  Checksums,
  ObjectHeaders,
  StoredBody,
  StoredObject,
} from "../../subjects/object-storage/records.ts";
import { headerNames, headerOf, type Sent } from "./call.ts";
import { refuse } from "./refused.ts";

const KEPT = ["cache-control", "content-disposition", "content-encoding", "content-language", "expires"];
const METADATA = "x-amz-meta-";
const MAX_METADATA_BYTES = 2048;

/** The headers that an object keeps. */
export function objectHeadersOf(sent: Sent): ObjectHeaders {
  const headers: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headerOf(sent, name);
    const kept = name === "content-encoding" ? withoutFraming(value) : value;
    if (kept) headers[name] = kept;
  }
  return {
    content_type: headerOf(sent, "content-type") ?? "binary/octet-stream",
    headers,
    metadata: metadataOf(sent),
  };
}

/** `aws-chunked` is how the body travelled, not what it is. */
function withoutFraming(encoding: string | undefined): string | undefined {
  return encoding?.replace(/\s*aws-chunked\s*,?|,\s*aws-chunked\s*$/g, "").trim();
}

function metadataOf(sent: Sent): Readonly<Record<string, string>> {
  const pairs = headerNames(sent)
    .filter((name) => name.startsWith(METADATA))
    .map((name) => [name.slice(METADATA.length), headerOf(sent, name) ?? ""] as const);
  const size = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > MAX_METADATA_BYTES) {
    throw refuse("MetadataTooLarge", undefined, {
      Size: String(size),
      MaxSizeAllowed: String(MAX_METADATA_BYTES),
    });
  }
  return Object.fromEntries(pairs);
}

/** The headers with which an object is read. */
export function replyHeadersOf(object: StoredObject): Record<string, string> {
  const headers: Record<string, string> = {
    ...object.headers,
    "content-type": object.content_type,
    etag: quoted(object.etag),
    "last-modified": new Date(object.last_modified).toUTCString(),
    "accept-ranges": "bytes",
  };
  for (const [name, value] of Object.entries(object.metadata)) headers[`${METADATA}${name}`] = value;
  return headers;
}

/** An ETag is kept without quotes and has them on the wire. */
export function quoted(etag: string): string {
  return `"${etag}"`;
}

/** An ETag as it is kept; some clients send it without quotes. */
export function unquoted(etag: string): string {
  return etag.trim().replace(/^"(.*)"$/, "$1");
}

/** Checksums as reply headers. */
export function checksumHeaders(
  { checksums }: Pick<StoredBody, "checksums">,
  type: StoredObject["checksum_type"],
): Record<string, string> {
  const pairs = Object.entries(checksums).map(([name, value]) => [`x-amz-checksum-${name}`, value] as const);
  if (pairs.length === 0) return {};
  return { ...Object.fromEntries(pairs), "x-amz-checksum-type": type };
}

/** Checksums as elements of a document. */
export function checksumElements(checksums: Checksums): Record<string, string> {
  return Object.fromEntries(
    Object.entries(checksums).map(([name, value]) => [`Checksum${name.toUpperCase()}`, value]),
  );
}
