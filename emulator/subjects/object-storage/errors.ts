import type { ObjectStoreError } from "../destinations/object-store-client.ts";

interface S3ErrorRow {
  readonly status: number;
  readonly message: string;
  /** §7.2: the name under which a destination or an export reports it. */
  readonly reportedAs: ObjectStoreError;
}

/** The S3 errors that the store gives of itself, and those that a fault may ask for. */
export const S3_ERRORS = {
  AccessDenied: row(403, "Access Denied", "access_denied"),
  AuthorizationHeaderMalformed: row(400, "The authorization header is malformed.", "access_denied"),
  AuthorizationQueryParametersError: row(
    400,
    "Error parsing the X-Amz-Credential parameter.",
    "access_denied",
  ),
  BadDigest: row(
    400,
    "The Content-MD5 or checksum value that you specified did not match what the server received.",
    "unavailable",
  ),
  BucketAlreadyExists: row(409, "The requested bucket name is not available.", "bucket_not_valid"),
  BucketAlreadyOwnedByYou: row(
    409,
    "Your previous request to create the named bucket succeeded and you already own it.",
    "bucket_not_valid",
  ),
  BucketNotEmpty: row(409, "The bucket you tried to delete is not empty.", "bucket_not_valid"),
  EntityTooLarge: row(400, "Your proposed upload exceeds the maximum allowed object size.", "unavailable"),
  EntityTooSmall: row(
    400,
    "Your proposed upload is smaller than the minimum allowed object size.",
    "unavailable",
  ),
  ExpiredToken: row(400, "The provided token has expired.", "access_denied"),
  IncompleteBody: row(
    400,
    "You did not provide the number of bytes specified by the Content-Length HTTP header.",
    "unavailable",
  ),
  InternalError: row(500, "We encountered an internal error. Please try again.", "unavailable"),
  InvalidAccessKeyId: row(
    403,
    "The AWS Access Key Id you provided does not exist in our records.",
    "key_id_does_not_exist",
  ),
  InvalidArgument: row(400, "Invalid Argument", "unavailable"),
  InvalidBucketOwnerAWSAccountID: row(
    400,
    "The value of the expected bucket owner parameter must be an AWS account ID.",
    "unavailable",
  ),
  InvalidBucketName: row(400, "The specified bucket is not valid.", "bucket_not_valid"),
  InvalidDigest: row(400, "The Content-MD5 you specified is not valid.", "unavailable"),
  InvalidLocationConstraint: row(400, "The specified location-constraint is not valid", "bucket_not_valid"),
  InvalidPart: row(
    400,
    "One or more of the specified parts could not be found. The part may not have been uploaded, " +
      "or the specified entity tag may not match the part's entity tag.",
    "unavailable",
  ),
  InvalidPartNumber: row(416, "The requested partnumber is not satisfiable", "unavailable"),
  InvalidPartOrder: row(
    400,
    "The list of parts was not in ascending order. Parts must be ordered by part number.",
    "unavailable",
  ),
  InvalidRange: row(416, "The requested range is not satisfiable", "unavailable"),
  InvalidRequest: row(400, "Invalid Request", "unavailable"),
  InvalidToken: row(400, "The provided token is malformed or otherwise invalid.", "access_denied"),
  InvalidURI: row(400, "Couldn't parse the specified URI.", "unavailable"),
  KeyTooLongError: row(400, "Your key is too long", "unavailable"),
  MalformedTrailerError: row(
    400,
    "The request contained trailing data that was not well-formed or did not conform to our schema.",
    "unavailable",
  ),
  MalformedXML: row(
    400,
    "The XML you provided was not well-formed or did not validate against our published schema",
    "unavailable",
  ),
  MetadataTooLarge: row(400, "Your metadata headers exceed the maximum allowed metadata size", "unavailable"),
  MethodNotAllowed: row(405, "The specified method is not allowed against this resource.", "unavailable"),
  MissingContentLength: row(411, "You must provide the Content-Length HTTP header.", "unavailable"),
  MissingSecurityHeader: row(400, "Your request was missing a required header", "unavailable"),
  NoSuchBucket: row(404, "The specified bucket does not exist", "bucket_not_valid"),
  NoSuchBucketPolicy: unconfigured("The bucket policy does not exist"),
  NoSuchConfiguration: unconfigured("The specified configuration does not exist."),
  NoSuchCORSConfiguration: unconfigured("The CORS configuration does not exist"),
  NoSuchKey: row(404, "The specified key does not exist.", "unavailable"),
  NoSuchLifecycleConfiguration: unconfigured("The lifecycle configuration does not exist"),
  NoSuchTagSet: unconfigured("The TagSet does not exist"),
  NoSuchUpload: row(
    404,
    "The specified upload does not exist. The upload ID may be invalid, " +
      "or the upload may have been aborted or completed.",
    "unavailable",
  ),
  NoSuchWebsiteConfiguration: unconfigured("The specified bucket does not have a website configuration"),
  NotImplemented: row(
    501,
    "A header or query you provided implies functionality that is not implemented.",
    "invalid_endpoint",
  ),
  ObjectLockConfigurationNotFoundError: unconfigured(
    "Object Lock configuration does not exist for this bucket",
  ),
  OperationAborted: row(
    409,
    "A conflicting conditional action is currently in progress against this resource.",
    "unavailable",
  ),
  PermanentRedirect: row(
    301,
    "The bucket you are attempting to access must be addressed using the specified endpoint.",
    "bucket_not_valid",
  ),
  PreconditionFailed: row(
    412,
    "At least one of the pre-conditions you specified did not hold",
    "unavailable",
  ),
  ReplicationConfigurationNotFoundError: unconfigured("The replication configuration was not found"),
  RequestTimeTooSkewed: row(
    403,
    "The difference between the request time and the current time is too large.",
    "access_denied",
  ),
  RequestTimeout: row(
    400,
    "Your socket connection to the server was not read from or written to within the timeout period.",
    "unavailable",
  ),
  ServiceUnavailable: row(503, "Please reduce your request rate.", "unavailable"),
  SignatureDoesNotMatch: row(
    403,
    "The request signature we calculated does not match the signature you provided. " +
      "Check your key and signing method.",
    "access_denied",
  ),
  SlowDown: row(503, "Please reduce your request rate.", "unavailable"),
  XAmzContentSHA256Mismatch: row(
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    "unavailable",
  ),
} as const satisfies Record<string, S3ErrorRow>;

export type S3ErrorCode = keyof typeof S3_ERRORS;

/** An answer of the store that is not the wanted one: a value, because failing is what stores do. */
export interface S3Failure {
  readonly error: S3ErrorCode;
  /** What the row's message does not say. */
  readonly message?: string;
  /** Further elements of the error document. */
  readonly detail?: Readonly<Record<string, string>>;
}

function row(status: number, message: string, reportedAs: ObjectStoreError): S3ErrorRow {
  return { status, message, reportedAs };
}

/** What the read of a configuration answers that a bucket does not have. */
function unconfigured(message: string): S3ErrorRow {
  return row(404, message, "unavailable");
}

/** Whether the emulated store knows this error. */
export function isS3ErrorCode(code: string): code is S3ErrorCode {
  return Object.hasOwn(S3_ERRORS, code);
}

/** A trouble as a value; the table's message is taken when none is given. */
export function s3Failure(error: S3ErrorCode, message?: string, detail?: S3Failure["detail"]): S3Failure {
  return { error, ...(message !== undefined && { message }), ...(detail && { detail }) };
}

/** Whether an operation of the store returned a failure instead of its result. */
export function isS3Failure(value: unknown): value is S3Failure {
  return typeof value === "object" && value !== null && "error" in value;
}

/** What the store says of a trouble, for people. */
export function messageOf({ error, message }: S3Failure): string {
  return message ?? S3_ERRORS[error].message;
}
