import type {
  Checksums,
  ObjectHeaders,
  StoredBody,
  StoredObject,
} from "../../subjects/object-storage/records.ts";
import { headerNames, headerOf, type SentRequest } from "./call.ts";
import { refuse } from "./refused.ts";

/** Headers of an object in addition to its type. */
export const STORED_HEADERS = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "expires",
];
/** Of a general purpose bucket of S3. */
const STORAGE_CLASSES = [
  "STANDARD",
  "REDUCED_REDUNDANCY",
  "STANDARD_IA",
  "ONEZONE_IA",
  "INTELLIGENT_TIERING",
  "GLACIER",
  "DEEP_ARCHIVE",
  "GLACIER_IR",
];
/** Objects of these classes cannot be read until they are restored, which this store does not implement. */
const ARCHIVES: readonly unknown[] = ["GLACIER", "DEEP_ARCHIVE"];
const METADATA_PREFIX = "x-amz-meta-";
const MAX_METADATA_BYTES = 2048;

/** The headers, type and metadata to store with an object. */
export function objectHeadersOf(request: SentRequest): ObjectHeaders {
  const headers: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
    const value = headerOf(request, name);
    const storedValue = name === "content-encoding" ? withoutFraming(value) : value;
    if (storedValue) headers[name] = storedValue;
  }
  return {
    content_type: headerOf(request, "content-type") ?? "binary/octet-stream",
    headers,
    metadata: metadataOf(request),
    ...storageClassOf(request),
  };
}

/** The storage class to store with an object. Refuses unknown ones. */
export function storageClassOf(request: SentRequest): Pick<ObjectHeaders, "storage_class"> {
  const value = headerOf(request, "x-amz-storage-class") ?? "STANDARD";
  if (!STORAGE_CLASSES.includes(value))
    throw refuse("InvalidStorageClass", undefined, { StorageClassRequested: value });
  return value === "STANDARD" ? {} : { storage_class: value };
}

/** The storage class in documents. */
export function shownStorageClass({ storage_class = "STANDARD" }: Partial<ObjectHeaders> = {}): string {
  return storage_class;
}

/** Refuses to read the bytes of an archived object. */
export function refuseArchived({ storage_class }: StoredObject): void {
  if (!ARCHIVES.includes(storage_class)) return;
  const message = `Objects of storage class ${storage_class} must be restored first, which this object store does not implement.`;
  throw refuse("InvalidObjectState", message, { StorageClass: String(storage_class) });
}

/** `aws-chunked` describes the transfer, not the object. */
function withoutFraming(encoding: string | undefined): string | undefined {
  return encoding?.replace(/\s*aws-chunked\s*,?|,\s*aws-chunked\s*$/g, "").trim();
}

function metadataOf(request: SentRequest): Readonly<Record<string, string>> {
  const pairs = headerNames(request)
    .filter((name) => name.startsWith(METADATA_PREFIX))
    .map((name) => [name.slice(METADATA_PREFIX.length), headerOf(request, name) ?? ""] as const);
  const size = pairs.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > MAX_METADATA_BYTES) {
    throw refuse("MetadataTooLarge", undefined, {
      Size: String(size),
      MaxSizeAllowed: String(MAX_METADATA_BYTES),
    });
  }
  return Object.fromEntries(pairs);
}

/** Types of documents in which a browser runs scripts: stored text must not act on the origin of the store. */
const DOCUMENT_TYPE = /html|xml/i;

/** Headers under which a browser shows a stored document without its scripts, and does not guess another type. */
export function sandboxHeaders(contentType: string): Record<string, string> {
  if (!DOCUMENT_TYPE.test(contentType)) return {};
  return { "content-security-policy": "sandbox", "x-content-type-options": "nosniff" };
}

/** The reply headers of an object. */
export function replyHeadersOf(object: StoredObject): Record<string, string> {
  const headers: Record<string, string> = {
    ...object.headers,
    "content-type": object.content_type,
    etag: quoted(object.etag),
    "last-modified": new Date(object.last_modified).toUTCString(),
    "accept-ranges": "bytes",
    // S3 sends no header for STANDARD.
    ...(object.storage_class !== undefined && { "x-amz-storage-class": object.storage_class }),
  };
  for (const [name, value] of Object.entries(object.metadata)) headers[`${METADATA_PREFIX}${name}`] = value;
  return headers;
}

/** ETags are stored without quotes and sent with them. */
export function quoted(etag: string): string {
  return `"${etag}"`;
}

/** An ETag as it is stored. Some clients send it without quotes. */
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
