import { type Listing, listKeys } from "../../../subjects/object-storage/listing.ts";
import { compareKeys } from "../../../subjects/object-storage/names.ts";
import { objectId, objects, s3Parts, s3Uploads } from "../../../subjects/object-storage/records.ts";
import { findUpload } from "../../../subjects/object-storage/uploads.ts";
import type { Call, Reply } from "../call.ts";
import { encode } from "../canonical.ts";
import { countArgument } from "../integers.ts";
import { checksumElements, quoted, shownStorageClass } from "../object-headers.ts";
import { orRefuse, refuse, refuseArgument } from "../refused.ts";
import { UNVERSIONED } from "../request-checks.ts";
import { writeXml, type XmlContent } from "../xml.ts";
import { isoOf, OWNER } from "./buckets.ts";
import { afterOf, tokenOf } from "./page-tokens.ts";

export const MAX_PAGE = 1000;

/** A count from the query, limited to `MAX_PAGE`. */
function countOf({ target }: Call, name: string): number {
  return Math.min(countArgument(name, target.query.get(name), MAX_PAGE), MAX_PAGE);
}

/** How this listing encodes names: unchanged, or as URLs for names that XML cannot contain. */
function encodingOf({ target }: Call): (name: string) => string {
  const type = target.query.get("encoding-type");
  if (type === undefined) return (name) => name;
  if (type === "url") return (name) => name.split("/").map(encode).join("/");
  throw refuseArgument("encoding-type", type, "Invalid Encoding Method specified in Request");
}

interface Page {
  readonly listing: Listing;
  readonly elements: Readonly<Record<string, XmlContent>>;
}

/** Optional elements of each key in a listing. */
interface ItemOptions {
  readonly owner?: boolean;
  readonly version?: boolean;
}

function pageOf(call: Call, after: string, { owner = false, version = false }: ItemOptions): Page {
  const { query } = call.target;
  const { reader } = call.store.world;
  const { bucket } = call.claim;
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
  const max = countOf(call, "max-keys");
  const encodeName = encodingOf(call);
  const keys = (function* () {
    for (const object of reader.list(objects, bucket)) yield object.key;
  })();
  const listing = listKeys(keys, { prefix, delimiter, after, max });
  const contents = listing.keys.map((key) => {
    const object = reader.get(objects, objectId(bucket, key));
    return {
      Key: encodeName(key),
      ...(version && { VersionId: UNVERSIONED, IsLatest: true }),
      LastModified: isoOf(object?.last_modified ?? 0),
      ETag: quoted(object?.etag ?? ""),
      ChecksumAlgorithm: Object.keys(object?.checksums ?? {}).map((name) => name.toUpperCase()),
      Size: object?.size ?? 0,
      ...(owner && { Owner: OWNER }),
      StorageClass: shownStorageClass(object),
    };
  });
  const elements = {
    Name: bucket,
    Prefix: encodeName(prefix),
    Delimiter: delimiter === "" ? undefined : encodeName(delimiter),
    MaxKeys: max,
    EncodingType: query.get("encoding-type"),
    IsTruncated: listing.is_truncated,
    [version ? "Version" : "Contents"]: contents,
    CommonPrefixes: listing.common_prefixes.map((name) => ({ Prefix: encodeName(name) })),
  };
  return { listing, elements };
}

/** `ListObjects`, by marker. */
export function listObjects(call: Call): Reply {
  const encodeName = encodingOf(call);
  const marker = call.target.query.get("marker") ?? "";
  const { listing, elements } = pageOf(call, marker, { owner: true });
  const next = listing.is_truncated ? encodeName(listing.next) : undefined;
  const content = { ...elements, Marker: encodeName(marker), NextMarker: next };
  return { status: 200, xml: writeXml("ListBucketResult", content) };
}

/** `ListObjectsV2`, by continuation token, which overrides `start-after`. */
export function listObjectsV2(call: Call): Reply {
  const { query } = call.target;
  const token = query.get("continuation-token");
  const startAfter = query.get("start-after");
  const after = token === undefined ? (startAfter ?? "") : afterOf(token);
  const { listing, elements } = pageOf(call, after, { owner: query.get("fetch-owner") === "true" });
  const content = {
    ...elements,
    KeyCount: listing.keys.length + listing.common_prefixes.length,
    ContinuationToken: token,
    NextContinuationToken: listing.is_truncated ? tokenOf(listing.next) : undefined,
    StartAfter: startAfter === undefined ? undefined : encodingOf(call)(startAfter),
  };
  return { status: 200, xml: writeXml("ListBucketResult", content) };
}

/** `ListObjectVersions`: buckets are unversioned, so each key has the version `null`. */
export function listObjectVersions(call: Call): Reply {
  const { query } = call.target;
  const encodeName = encodingOf(call);
  const keyMarker = query.get("key-marker") ?? "";
  const versionMarker = query.get("version-id-marker");
  if (versionMarker && keyMarker === "") {
    throw refuseArgument(
      "version-id-marker",
      versionMarker,
      "A version-id marker cannot be specified without a key marker.",
    );
  }
  const { listing, elements } = pageOf(call, keyMarker, { owner: true, version: true });
  const content = {
    ...elements,
    KeyMarker: encodeName(keyMarker),
    VersionIdMarker: versionMarker ?? null,
    NextKeyMarker: listing.is_truncated ? encodeName(listing.next) : undefined,
    NextVersionIdMarker: listing.is_truncated ? UNVERSIONED : undefined,
  };
  return { status: 200, xml: writeXml("ListVersionsResult", content) };
}

/** `ListMultipartUploads`, by key and then by id; refuses delimiters. */
export function listMultipartUploads(call: Call): Reply {
  const { query } = call.target;
  const encodeName = encodingOf(call);
  const prefix = query.get("prefix") ?? "";
  const [keyMarker, idMarker] = [query.get("key-marker") ?? "", query.get("upload-id-marker") ?? ""];
  const max = countOf(call, "max-uploads");
  if (query.get("delimiter")) throw refuse("NotImplemented", undefined, { Query: "delimiter" });
  const uploads = [...call.store.world.reader.list(s3Uploads, call.claim.bucket)]
    .filter(({ key }) => key.startsWith(prefix))
    .sort((a, b) => compareKeys(a.key, b.key) || compareKeys(a.upload_id, b.upload_id))
    .filter(({ key, upload_id }) => {
      const order = compareKeys(key, keyMarker);
      return order > 0 || (order === 0 && idMarker !== "" && compareKeys(upload_id, idMarker) > 0);
    });
  const page = uploads.slice(0, max);
  const isTruncated = uploads.length > page.length && max > 0;
  const last = isTruncated ? page.at(-1) : undefined;
  const content = {
    Bucket: call.claim.bucket,
    KeyMarker: encodeName(keyMarker),
    UploadIdMarker: idMarker,
    NextKeyMarker: last && encodeName(last.key),
    NextUploadIdMarker: last?.upload_id,
    Prefix: encodeName(prefix),
    EncodingType: query.get("encoding-type"),
    MaxUploads: max,
    IsTruncated: isTruncated,
    Upload: page.map((upload) => ({
      Key: encodeName(upload.key),
      UploadId: upload.upload_id,
      Initiator: { ID: upload.initiator, DisplayName: upload.initiator },
      Owner: OWNER,
      StorageClass: shownStorageClass(upload),
      Initiated: isoOf(upload.initiated),
      ChecksumAlgorithm: upload.checksum_algorithm?.toUpperCase(),
    })),
  };
  return { status: 200, xml: writeXml("ListMultipartUploadsResult", content) };
}

/** `ListParts`, in the order of their numbers. */
export function listParts(call: Call): Reply {
  const { query } = call.target;
  const { reader } = call.store.world;
  const upload = orRefuse(findUpload(reader, call.claim, query.get("uploadId") ?? ""));
  const max = countOf(call, "max-parts");
  const marker = countArgument("part-number-marker", query.get("part-number-marker"), 0);
  const parts = [...reader.list(s3Parts, upload.upload_id)]
    .sort((a, b) => a.part_number - b.part_number)
    .filter(({ part_number }) => part_number > marker);
  const page = parts.slice(0, max);
  const isTruncated = parts.length > page.length && max > 0;
  const content = {
    Bucket: upload.bucket,
    Key: upload.key,
    UploadId: upload.upload_id,
    Initiator: { ID: upload.initiator, DisplayName: upload.initiator },
    Owner: OWNER,
    StorageClass: shownStorageClass(upload),
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.part_number ?? marker,
    MaxParts: max,
    IsTruncated: isTruncated,
    ChecksumAlgorithm: upload.checksum_algorithm?.toUpperCase(),
    Part: page.map(({ part_number, last_modified, etag, size, checksums }) => ({
      PartNumber: part_number,
      LastModified: isoOf(last_modified),
      ETag: quoted(etag),
      Size: size,
      ...checksumElements(checksums),
    })),
  };
  return { status: 200, xml: writeXml("ListPartsResult", content) };
}
