import type { S3ErrorCode } from "../../../subjects/object-storage/errors.ts";
import type { S3Operation } from "../../../subjects/object-storage/permissions.ts";
import { type Handler, objectOf } from "../call.ts";
import { refuse } from "../refused.ts";
import { writeXml, type XmlContent } from "../xml.ts";
import { OWNER } from "./buckets.ts";

// Configuration is read-only: each read returns what the real service returns for a new bucket or object.

/** A read of a configuration: its operation, the query parameter that selects it, and its handler. */
type ConfigurationRead = readonly [op: S3Operation, mark: string, handler: Handler];

/** Replies with the same document for every bucket. */
function always(root: string, content: XmlContent): Handler {
  return () => ({ status: 200, xml: writeXml(root, content) });
}

/** Refuses with the error for a configuration that the bucket does not have. */
function refuseWith(error: S3ErrorCode): Handler {
  return ({ claim }) => {
    throw refuse(error, undefined, { BucketName: claim.bucket });
  };
}

/** Replies with an empty list; no configuration has an id. */
function noneOf(root: string): Handler {
  return (call) => {
    if (call.target.query.has("id")) throw refuse("NoSuchConfiguration");
    return { status: 200, xml: writeXml(root, { IsTruncated: false }) };
  };
}

/** Refuses a missing object. */
function ofObject(handler: Handler): Handler {
  return (call) => {
    objectOf(call);
    return handler(call);
  };
}

function withoutObjectLock(): never {
  throw refuse("InvalidRequest", "Bucket is missing Object Lock Configuration");
}

const GRANTEE = 'Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"';

/** The owner may do everything. */
const ownersAcl = always("AccessControlPolicy", {
  Owner: OWNER,
  AccessControlList: { Grant: { [GRANTEE]: OWNER, Permission: "FULL_CONTROL" } },
});

const ENCRYPTION = {
  ApplyServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" },
  BucketKeyEnabled: false,
};

const NOT_PUBLIC = {
  BlockPublicAcls: true,
  IgnorePublicAcls: true,
  BlockPublicPolicy: true,
  RestrictPublicBuckets: true,
};

export const BUCKET_READS: readonly ConfigurationRead[] = [
  ["GetBucketAccelerateConfiguration", "accelerate", always("AccelerateConfiguration", null)],
  ["GetBucketAcl", "acl", ownersAcl],
  ["GetBucketAnalyticsConfiguration", "analytics", noneOf("ListBucketAnalyticsConfigurationResult")],
  ["GetBucketCors", "cors", refuseWith("NoSuchCORSConfiguration")],
  ["GetBucketEncryption", "encryption", always("ServerSideEncryptionConfiguration", { Rule: ENCRYPTION })],
  [
    "GetBucketIntelligentTieringConfiguration",
    "intelligent-tiering",
    noneOf("ListBucketIntelligentTieringConfigurationsOutput"),
  ],
  ["GetBucketInventoryConfiguration", "inventory", noneOf("ListInventoryConfigurationsResult")],
  ["GetBucketLifecycleConfiguration", "lifecycle", refuseWith("NoSuchLifecycleConfiguration")],
  ["GetBucketLogging", "logging", always("BucketLoggingStatus", null)],
  ["GetBucketMetricsConfiguration", "metrics", noneOf("ListMetricsConfigurationsResult")],
  ["GetBucketNotificationConfiguration", "notification", always("NotificationConfiguration", null)],
  [
    "GetBucketOwnershipControls",
    "ownershipControls",
    always("OwnershipControls", { Rule: { ObjectOwnership: "BucketOwnerEnforced" } }),
  ],
  ["GetBucketPolicy", "policy", refuseWith("NoSuchBucketPolicy")],
  ["GetBucketPolicyStatus", "policyStatus", refuseWith("NoSuchBucketPolicy")],
  ["GetBucketReplication", "replication", refuseWith("ReplicationConfigurationNotFoundError")],
  [
    "GetBucketRequestPayment",
    "requestPayment",
    always("RequestPaymentConfiguration", { Payer: "BucketOwner" }),
  ],
  ["GetBucketTagging", "tagging", refuseWith("NoSuchTagSet")],
  ["GetBucketWebsite", "website", refuseWith("NoSuchWebsiteConfiguration")],
  ["GetObjectLockConfiguration", "object-lock", refuseWith("ObjectLockConfigurationNotFoundError")],
  ["GetPublicAccessBlock", "publicAccessBlock", always("PublicAccessBlockConfiguration", NOT_PUBLIC)],
];

export const OBJECT_READS: readonly ConfigurationRead[] = [
  ["GetObjectAcl", "acl", ofObject(ownersAcl)],
  ["GetObjectLegalHold", "legal-hold", ofObject(withoutObjectLock)],
  ["GetObjectRetention", "retention", ofObject(withoutObjectLock)],
  ["GetObjectTagging", "tagging", ofObject(always("Tagging", { TagSet: null }))],
];
