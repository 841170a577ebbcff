import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";

/** What a key pair may do; the names of §2.4's permissions. */
export const S3_PERMISSIONS = ["put", "get", "delete", "list", "abort"] as const;

export type S3Permission = (typeof S3_PERMISSIONS)[number];

/** A bucket of a world; a null region means the default region. */
export interface Bucket {
  readonly name: string;
  readonly region: string | null;
  readonly created_at: Instant;
}

/** The stored headers of an object: its type, standard headers and user metadata. */
export interface ObjectHeaders {
  readonly content_type: string;
  /** `cache-control`, `content-disposition`, `content-encoding`, `content-language`, `expires`. */
  readonly headers: Readonly<Record<string, string>>;
  /** User metadata, without `x-amz-meta-`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Absent for STANDARD. */
  readonly storage_class?: string;
}

/** The file of a body, and its checksum. */
export interface BodyFile {
  readonly file: string;
  /** The CRC-32 of its bytes. */
  readonly sum: number;
}

export type ChecksumAlgorithm = "crc32" | "crc32c" | "crc64nvme" | "sha1" | "sha256";

/** Base64 by algorithm, as sent and verified. */
export type Checksums = Readonly<Partial<Record<ChecksumAlgorithm, string>>>;

/** A body on disk: its length in bytes and the checksums computed when it was written. */
export interface StoredBody extends BodyFile {
  readonly size: number;
  /** Without quotes. */
  readonly etag: string;
  readonly checksums: Checksums;
}

/** A part of an object; its number is its position in the list. */
export type ObjectPart = Pick<StoredBody, "size" | "checksums">;

/** The current object of a key; older versions are not retained. */
export interface StoredObject extends ObjectHeaders, StoredBody {
  readonly bucket: string;
  readonly key: string;
  readonly checksum_type: "COMPOSITE" | "FULL_OBJECT";
  /** Only for objects of multipart uploads. */
  readonly parts?: readonly ObjectPart[];
  /** Virtual time (the `Date` header is the wall clock's). */
  readonly last_modified: Instant;
}

/** An unfinished upload; its object exists only after it is completed. */
export interface MultipartUpload extends ObjectHeaders {
  readonly upload_id: string;
  readonly bucket: string;
  readonly key: string;
  readonly checksum_algorithm: ChecksumAlgorithm | null;
  readonly checksum_type: "COMPOSITE" | "FULL_OBJECT";
  readonly initiator: string;
  readonly initiated: Instant;
}

/** One part of an unfinished upload; a later part with the same number replaces it. */
export interface UploadedPart extends StoredBody {
  readonly upload_id: string;
  readonly part_number: number;
  readonly last_modified: Instant;
}

/** The reply to completing an upload, for a client that lost it and repeats the request. */
export interface FinishedUpload
  extends Pick<StoredObject, "bucket" | "key" | "etag" | "checksums" | "checksum_type"> {
  readonly upload_id: string;
}

/** A key pair; its secrets are encrypted and never in a reply. */
export interface S3Credential {
  readonly access_key_id: string;
  readonly sealed_secret: string;
  readonly sealed_session_token: string | null;
  /** Virtual time. */
  readonly expires_at: Instant | null;
  readonly allow: readonly S3Permission[];
  /** Wins over `allow`. */
  readonly deny: readonly S3Permission[];
  /** The only accessible bucket; null for all. */
  readonly bucket: string | null;
  readonly created_at: Instant;
}

export const buckets = collection<Bucket>("buckets", (bucket) => bucket.name);

/** Objects by bucket, in the order of their first writes, not of their keys. */
export const objects = collection<StoredObject>(
  "objects",
  (object) => objectId(object.bucket, object.key),
  (object) => object.bucket,
);

export const s3Uploads = collection<MultipartUpload>(
  "s3_uploads",
  (upload) => upload.upload_id,
  (upload) => upload.bucket,
);

/** Each part has its own record, so that storing the last part costs as little as the first. */
export const s3Parts = collection<UploadedPart>(
  "s3_parts",
  (part) => partId(part.upload_id, part.part_number),
  (part) => part.upload_id,
);

export const s3FinishedUploads = collection<FinishedUpload>(
  "s3_finished_uploads",
  (upload) => upload.upload_id,
);

export const s3Credentials = collection<S3Credential>(
  "s3_credentials",
  (credential) => credential.access_key_id,
);

/** A bucket name contains no slash, so ids are unique. */
export function objectId(bucket: string, key: string): string {
  return `${bucket}/${key}`;
}

export function partId(uploadId: string, partNumber: number): string {
  return `${uploadId}/${partNumber}`;
}

/** All collections of the object store. */
export const OBJECT_STORAGE_COLLECTIONS = [
  buckets,
  objects,
  s3Uploads,
  s3Parts,
  s3FinishedUploads,
  s3Credentials,
];
