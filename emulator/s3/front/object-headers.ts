import type { IncomingMessage } from "node:http";
import type {
  Checksums,
  ObjectHeaders,
  StoredBody,
  StoredObject,
} from "../../subjects/object-storage/records.ts";
import { headerOf } from "./call.ts";
import { refuse } from "./refused.ts";

const KEPT = ["cache-control", "content-disposition", "content-encoding", "content-language", "expires"];
const METADATA = "x-amz-meta-";
const MAX_METADATA_BYTES = 2048;

/** Headers that would change what is stored in a way that this store does not know. */
const NOT_IMPLEMENTED = [
  "x-amz-server-side-encryption-customer-algorithm",
  "x-amz-copy-source-server-side-encryption-customer-algorithm",
  "x-amz-object-lock-mode",
  "x-amz-object-lock-legal-hold",
  "x-amz-tagging",
  "x-amz-write-offset-bytes",
];

/** Refuses a request whose headers ask for more than this store does, rather than pass over them. */
export function checkHeaders({ headers }: IncomingMessage): void {
  const unknown = NOT_IMPLEMENTED.find((name) => headers[name] !== undefined);
  if (unknown) throw refuse("NotImplemented", undefined, { Header: unknown });
}

/** The headers that an object keeps. */
export function objectHeadersOf(request: IncomingMessage): ObjectHeaders {
  const headers: Record<string, string> = {};
  for (const name of KEPT) {
    const value = headerOf({ request }, name);
    const kept = name === "content-encoding" ? withoutFraming(value) : value;
    if (kept) headers[name] = kept;
  }
  return {
    content_type: headerOf({ request }, "content-type") ?? "binary/octet-stream",
    headers,
    metadata: metadataOf(request),
  };
}

/** `aws-chunked` is how the body travelled, not what it is. */
function withoutFraming(encoding: string | undefined): string | undefined {
  return encoding
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "aws-chunked")
    .join(",");
}

function metadataOf(request: IncomingMessage): Readonly<Record<string, string>> {
  const pairs = Object.keys(request.headers)
    .filter((name) => name.startsWith(METADATA))
    .map((name) => [name.slice(METADATA.length), headerOf({ request }, name) ?? ""] as const);
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
