import type { S3ErrorCode } from "../../../subjects/object-storage/errors.ts";
import type { S3Operation } from "../../../subjects/object-storage/permissions.ts";
import { type Handler, objectOf } from "../call.ts";
import { refuse } from "../refused.ts";
import { writeXml, type XmlContent } from "../xml.ts";
import { OWNER } from "./buckets.ts";

// Nothing can be configured here: each read answers what the real service answers for a bucket or an object as created.

/** A read of a configuration: its operation, the query parameter that asks for it, and its answer. */
type ConfigurationRead = readonly [op: S3Operation, mark: string, handler: Handler];

/** A document, the same for every bucket. */
function always(root: string, content: XmlContent): Handler {
  return () => ({ status: 200, xml: writeXml(root, content) });
}

/** The error that names what the bucket does not have. */
function missing(error: S3ErrorCode): Handler {
  return ({ claim }) => {
    throw refuse(error, undefined, { BucketName: claim.bucket });
  };
}

/** One configuration by its id, which is not there, or the empty list of all. */
function noneOf(root: string): Handler {
  return (call) => {
    if (call.target.query.has("id")) throw refuse("NoSuchConfiguration");
    return { status: 200, xml: writeXml(root, { IsTruncated: false }) };
  };
}

/** An answer about an object, which has to be there. */
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
  ["GetBucketCors", "cors", missing("NoSuchCORSConfiguration")],
  ["GetBucketEncryption", "encryption", always("ServerSideEncryptionConfiguration", { Rule: ENCRYPTION })],
  [
    "GetBucketIntelligentTieringConfiguration",
    "intelligent-tiering",
    noneOf("ListBucketIntelligentTieringConfigurationsOutput"),
  ],
  ["GetBucketInventoryConfiguration", "inventory", noneOf("ListInventoryConfigurationsResult")],
  ["GetBucketLifecycleConfiguration", "lifecycle", missing("NoSuchLifecycleConfiguration")],
  ["GetBucketLogging", "logging", always("BucketLoggingStatus", null)],
  ["GetBucketMetricsConfiguration", "metrics", noneOf("ListMetricsConfigurationsResult")],
  ["GetBucketNotificationConfiguration", "notification", always("NotificationConfiguration", null)],
  [
    "GetBucketOwnershipControls",
    "ownershipControls",
    always("OwnershipControls", { Rule: { ObjectOwnership: "BucketOwnerEnforced" } }),
  ],
  ["GetBucketPolicy", "policy", missing("NoSuchBucketPolicy")],
  ["GetBucketPolicyStatus", "policyStatus", missing("NoSuchBucketPolicy")],
  ["GetBucketReplication", "replication", missing("ReplicationConfigurationNotFoundError")],
  [
    "GetBucketRequestPayment",
    "requestPayment",
    always("RequestPaymentConfiguration", { Payer: "BucketOwner" }),
  ],
  ["GetBucketTagging", "tagging", missing("NoSuchTagSet")],
  ["GetBucketWebsite", "website", missing("NoSuchWebsiteConfiguration")],
  ["GetObjectLockConfiguration", "object-lock", missing("ObjectLockConfigurationNotFoundError")],
  ["GetPublicAccessBlock", "publicAccessBlock", always("PublicAccessBlockConfiguration", NOT_PUBLIC)],
];

export const OBJECT_READS: readonly ConfigurationRead[] = [
  ["GetObjectAcl", "acl", ofObject(ownersAcl)],
  ["GetObjectLegalHold", "legal-hold", ofObject(withoutObjectLock)],
  ["GetObjectRetention", "retention", ofObject(withoutObjectLock)],
  ["GetObjectTagging", "tagging", ofObject(always("Tagging", { TagSet: null }))],
];
