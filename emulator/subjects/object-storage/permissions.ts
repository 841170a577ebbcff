import type { S3Credential, S3Permission } from "./records.ts";

/** The permission of each operation. `CopyObject` also needs `get` on its source. */
export const OPERATION_PERMISSIONS = {
  ListBuckets: "list",
  CreateBucket: "put",
  HeadBucket: "list",
  DeleteBucket: "delete",
  GetBucketLocation: "list",
  GetBucketVersioning: "list",
  GetBucketAccelerateConfiguration: "list",
  GetBucketAcl: "list",
  GetBucketAnalyticsConfiguration: "list",
  GetBucketCors: "list",
  GetBucketEncryption: "list",
  GetBucketIntelligentTieringConfiguration: "list",
  GetBucketInventoryConfiguration: "list",
  GetBucketLifecycleConfiguration: "list",
  GetBucketLogging: "list",
  GetBucketMetricsConfiguration: "list",
  GetBucketNotificationConfiguration: "list",
  GetBucketOwnershipControls: "list",
  GetBucketPolicy: "list",
  GetBucketPolicyStatus: "list",
  GetBucketReplication: "list",
  GetBucketRequestPayment: "list",
  GetBucketTagging: "list",
  GetBucketWebsite: "list",
  GetObjectAcl: "get",
  GetObjectAttributes: "get",
  GetObjectLegalHold: "get",
  GetObjectLockConfiguration: "list",
  GetObjectRetention: "get",
  GetObjectTagging: "get",
  GetPublicAccessBlock: "list",
  ListObjectVersions: "list",
  ListObjects: "list",
  ListObjectsV2: "list",
  ListMultipartUploads: "list",
  PutObject: "put",
  CopyObject: "put",
  GetObject: "get",
  HeadObject: "get",
  DeleteObject: "delete",
  DeleteObjects: "delete",
  CreateMultipartUpload: "put",
  UploadPart: "put",
  UploadPartCopy: "put",
  CompleteMultipartUpload: "put",
  AbortMultipartUpload: "abort",
  ListParts: "list",
} as const satisfies Record<string, S3Permission>;

/** The operations of the S3 server. */
export type S3Operation = keyof typeof OPERATION_PERMISSIONS;

/** Whether a key pair has a permission. `deny` overrides `allow`; a key pair with a bucket has access only to it. */
export function permits(
  credential: Pick<S3Credential, "allow" | "deny" | "bucket">,
  permission: S3Permission,
  bucket: string | null,
): boolean {
  if (credential.bucket !== null && credential.bucket !== bucket) return false;
  return credential.allow.includes(permission) && !credential.deny.includes(permission);
}
