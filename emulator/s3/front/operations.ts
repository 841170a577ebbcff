import type { S3Operation } from "../../subjects/object-storage/permissions.ts";
import { type Handler, headerOf, type SentRequest } from "./call.ts";
import * as attributes from "./operations/attributes.ts";
import * as buckets from "./operations/buckets.ts";
import { BUCKET_READS, OBJECT_READS } from "./operations/configuration.ts";
import * as copies from "./operations/copies.ts";
import * as listings from "./operations/listings.ts";
import * as objects from "./operations/objects.ts";
import * as uploads from "./operations/uploads.ts";
import type { Target } from "./target.ts";

type Scope = "service" | "bucket" | "object";

/** An operation: the form of its requests, and its handler. */
export interface OperationRow {
  readonly op: S3Operation;
  readonly method: string;
  readonly scope: Scope;
  /** Required query parameters. */
  readonly query: readonly string[];
  /** A required header. */
  readonly header?: string;
  readonly handler: Handler;
}

const COPY = "x-amz-copy-source";

/** The first row that matches is used, so rows with more requirements are before others. */
export const OPERATIONS: readonly OperationRow[] = [
  row("ListBuckets", "GET", "service", [], buckets.listBuckets),
  row("ListObjectsV2", "GET", "bucket", ["list-type"], listings.listObjectsV2),
  row("GetBucketLocation", "GET", "bucket", ["location"], buckets.getBucketLocation),
  row("GetBucketVersioning", "GET", "bucket", ["versioning"], buckets.getBucketVersioning),
  row("ListMultipartUploads", "GET", "bucket", ["uploads"], listings.listMultipartUploads),
  row("ListObjectVersions", "GET", "bucket", ["versions"], listings.listObjectVersions),
  ...BUCKET_READS.map(([op, mark, handler]) => row(op, "GET", "bucket", [mark], handler)),
  row("ListObjects", "GET", "bucket", [], listings.listObjects),
  row("HeadBucket", "HEAD", "bucket", [], buckets.headBucket),
  row("CreateBucket", "PUT", "bucket", [], buckets.createBucket),
  row("DeleteBucket", "DELETE", "bucket", [], buckets.deleteBucket),
  row("DeleteObjects", "POST", "bucket", ["delete"], objects.deleteObjects),
  row("UploadPartCopy", "PUT", "object", ["partNumber", "uploadId"], encrypted(copies.uploadPartCopy), COPY),
  row("UploadPart", "PUT", "object", ["partNumber", "uploadId"], encrypted(uploads.uploadPart)),
  row("CopyObject", "PUT", "object", [], encrypted(copies.copyObject), COPY),
  row("PutObject", "PUT", "object", [], encrypted(objects.putObject)),
  row("ListParts", "GET", "object", ["uploadId"], listings.listParts),
  ...OBJECT_READS.map(([op, mark, handler]) => row(op, "GET", "object", [mark], handler)),
  row("GetObjectAttributes", "GET", "object", ["attributes"], attributes.getObjectAttributes),
  row("GetObject", "GET", "object", [], encrypted(objects.getObject)),
  row("HeadObject", "HEAD", "object", [], encrypted(objects.getObject)),
  row("AbortMultipartUpload", "DELETE", "object", ["uploadId"], uploads.abortMultipartUpload),
  row("DeleteObject", "DELETE", "object", [], objects.deleteObject),
  row("CreateMultipartUpload", "POST", "object", ["uploads"], encrypted(uploads.createMultipartUpload)),
  row("CompleteMultipartUpload", "POST", "object", ["uploadId"], encrypted(uploads.completeMultipartUpload)),
];

/** Adds the header that S3 sends with every object, since it encrypts all of them by default. */
function encrypted(handler: Handler): Handler {
  return async (call) => {
    const reply = await handler(call);
    return { ...reply, headers: { ...reply.headers, "x-amz-server-side-encryption": "AES256" } };
  };
}

function row(
  op: S3Operation,
  method: string,
  scope: Scope,
  query: readonly string[],
  handler: Handler,
  header?: string,
): OperationRow {
  return { op, method, scope, query, handler, ...(header !== undefined && { header }) };
}

/** Query parameters of unsupported operations: such a request must not be treated as a plain one. */
const UNSUPPORTED =
  "accelerate acl analytics attributes cors encryption intelligent-tiering inventory legal-hold lifecycle logging metrics " +
  "notification object-lock ownershipControls policy policyStatus publicAccessBlock replication requestPayment renameObject " +
  "restore retention select session tagging torrent versions website";
const UNSUPPORTED_MARKS = UNSUPPORTED.split(" ");

/** The operation of a request, or the name of an unsupported operation. */
export function operationOf(
  method: string,
  request: SentRequest,
): OperationRow | { readonly unknown: string } {
  const { target } = request;
  const scope = target.bucket === "" ? "service" : target.key === "" ? "bucket" : "object";
  const mark = UNSUPPORTED_MARKS.find((name) => target.query.has(name));
  const operation = OPERATIONS.find(
    (candidate) =>
      candidate.method === method &&
      candidate.scope === scope &&
      candidate.query.every((name) => target.query.has(name)) &&
      (candidate.header === undefined || headerOf(request, candidate.header) !== undefined),
  );
  const isMeant = mark === undefined || operation?.query.includes(mark);
  if (operation && isMeant && !changesVersioning(method, target)) return operation;
  const verb = method.charAt(0) + method.slice(1).toLowerCase();
  const subject = scope === "object" ? "Object" : scope === "bucket" ? "Bucket" : "Service";
  const aspect = (mark ?? "").replace(/(?:^|-)[a-z]/g, (start) => start.replace("-", "").toUpperCase());
  return { unknown: target.query.get("x-id") ?? `${verb}${subject}${aspect}` };
}

/** `PUT ?versioning` must not be treated as `CreateBucket`. */
function changesVersioning(method: string, { query, key }: Target): boolean {
  return key === "" && method !== "GET" && (query.has("versioning") || query.has("location"));
}
