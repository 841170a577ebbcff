interface S3ErrorRow {
  readonly status: number;
  readonly message: string;
}

/** The S3 errors of the store, and those that a fault can request. */
export const S3_ERRORS = {
  AccessDenied: row(403, "Access Denied"),
  AuthorizationHeaderMalformed: row(400, "The authorization header is malformed."),
  AuthorizationQueryParametersError: row(400, "Error parsing the X-Amz-Credential parameter."),
  BadDigest: row(
    400,
    "The Content-MD5 or checksum value that you specified did not match what the server received.",
  ),
  BucketAlreadyExists: row(409, "The requested bucket name is not available."),
  BucketAlreadyOwnedByYou: row(
    409,
    "Your previous request to create the named bucket succeeded and you already own it.",
  ),
  BucketNotEmpty: row(409, "The bucket you tried to delete is not empty."),
  EntityTooLarge: row(400, "Your proposed upload exceeds the maximum allowed object size."),
  EntityTooSmall: row(400, "Your proposed upload is smaller than the minimum allowed object size."),
  ExpiredToken: row(400, "The provided token has expired."),
  IncompleteBody: row(
    400,
    "You did not provide the number of bytes specified by the Content-Length HTTP header.",
  ),
  InternalError: row(500, "We encountered an internal error. Please try again."),
  InvalidAccessKeyId: row(403, "The AWS Access Key Id you provided does not exist in our records."),
  InvalidArgument: row(400, "Invalid Argument"),
  InvalidBucketOwnerAWSAccountID: row(
    400,
    "The value of the expected bucket owner parameter must be an AWS account ID.",
  ),
  InvalidBucketName: row(400, "The specified bucket is not valid."),
  InvalidDigest: row(400, "The Content-MD5 you specified is not valid."),
  InvalidLocationConstraint: row(400, "The specified location-constraint is not valid"),
  InvalidObjectState: row(403, "The operation is not valid for the object's current state."),
  InvalidPart: row(
    400,
    "One or more of the specified parts could not be found. The part may not have been uploaded, " +
      "or the specified entity tag may not match the part's entity tag.",
  ),
  InvalidPartNumber: row(416, "The requested partnumber is not satisfiable"),
  InvalidPartOrder: row(
    400,
    "The list of parts was not in ascending order. Parts must be ordered by part number.",
  ),
  InvalidRange: row(416, "The requested range is not satisfiable"),
  InvalidRequest: row(400, "Invalid Request"),
  InvalidStorageClass: row(400, "The storage class you specified is not valid"),
  InvalidToken: row(400, "The provided token is malformed or otherwise invalid."),
  InvalidURI: row(400, "Couldn't parse the specified URI."),
  KeyTooLongError: row(400, "Your key is too long"),
  MalformedTrailerError: row(
    400,
    "The request contained trailing data that was not well-formed or did not conform to our schema.",
  ),
  MalformedXML: row(
    400,
    "The XML you provided was not well-formed or did not validate against our published schema",
  ),
  MetadataTooLarge: row(400, "Your metadata headers exceed the maximum allowed metadata size"),
  MethodNotAllowed: row(405, "The specified method is not allowed against this resource."),
  MissingContentLength: row(411, "You must provide the Content-Length HTTP header."),
  MissingSecurityHeader: row(400, "Your request was missing a required header"),
  NoSuchBucket: row(404, "The specified bucket does not exist"),
  NoSuchBucketPolicy: unconfigured("The bucket policy does not exist"),
  NoSuchConfiguration: unconfigured("The specified configuration does not exist."),
  NoSuchCORSConfiguration: unconfigured("The CORS configuration does not exist"),
  NoSuchKey: row(404, "The specified key does not exist."),
  NoSuchLifecycleConfiguration: unconfigured("The lifecycle configuration does not exist"),
  NoSuchTagSet: unconfigured("The TagSet does not exist"),
  NoSuchUpload: row(
    404,
    "The specified upload does not exist. The upload ID may be invalid, " +
      "or the upload may have been aborted or completed.",
  ),
  NoSuchWebsiteConfiguration: unconfigured("The specified bucket does not have a website configuration"),
  NotImplemented: row(501, "A header or query you provided implies functionality that is not implemented."),
  ObjectLockConfigurationNotFoundError: unconfigured(
    "Object Lock configuration does not exist for this bucket",
  ),
  OperationAborted: row(
    409,
    "A conflicting conditional action is currently in progress against this resource.",
  ),
  PermanentRedirect: row(
    301,
    "The bucket you are attempting to access must be addressed using the specified endpoint.",
  ),
  PreconditionFailed: row(412, "At least one of the pre-conditions you specified did not hold"),
  ReplicationConfigurationNotFoundError: unconfigured("The replication configuration was not found"),
  RequestTimeTooSkewed: row(
    403,
    "The difference between the request time and the current time is too large.",
  ),
  RequestTimeout: row(
    400,
    "Your socket connection to the server was not read from or written to within the timeout period.",
  ),
  ServiceUnavailable: row(503, "Please reduce your request rate."),
  SignatureDoesNotMatch: row(
    403,
    "The request signature we calculated does not match the signature you provided. " +
      "Check your key and signing method.",
  ),
  SlowDown: row(503, "Please reduce your request rate."),
  XAmzContentSHA256Mismatch: row(
    400,
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  ),
} as const satisfies Record<string, S3ErrorRow>;

export type S3ErrorCode = keyof typeof S3_ERRORS;

/** An error of the store; a value, because errors are expected. */
export interface S3Failure {
  readonly error: S3ErrorCode;
  /** Replaces the message of the table. */
  readonly message?: string;
  /** Further elements of the error document. */
  readonly detail?: Readonly<Record<string, string>>;
}

function row(status: number, message: string): S3ErrorRow {
  return { status, message };
}

/** The reply for a configuration that the bucket does not have. */
function unconfigured(message: string): S3ErrorRow {
  return row(404, message);
}

/** Whether the emulated store has this error. */
export function isS3ErrorCode(code: string): code is S3ErrorCode {
  return Object.hasOwn(S3_ERRORS, code);
}

/** An error as a value; without `message` it has the message of the table. */
export function s3Failure(error: S3ErrorCode, message?: string, detail?: S3Failure["detail"]): S3Failure {
  return { error, ...(message !== undefined && { message }), ...(detail && { detail }) };
}

/** Whether an operation of the store returned a failure instead of its result. */
export function isS3Failure(value: unknown): value is S3Failure {
  return typeof value === "object" && value !== null && "error" in value;
}

export function messageOf({ error, message }: S3Failure): string {
  return message ?? S3_ERRORS[error].message;
}
