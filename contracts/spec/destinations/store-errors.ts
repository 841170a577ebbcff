import type { DestinationErrorKey } from "../failures.ts";

/** §7.3: what an answer of an object store, or the lack of one, leads to. */
export type StoreErrorClass = "ends the run" | "interruption";

/** One way in which an object store can fail. */
export interface StoreError {
  /** Status of the answer; null where none came, or none of an S3 server. */
  readonly status: number | null;
  readonly class: StoreErrorClass;
  /** The name of §7.2 in the `errors` of a run; null: its own code. */
  readonly name: DestinationErrorKey | null;
  /** The same at destination validation. `invalid_endpoint` is only said to destinations with an endpoint_url. */
  readonly atValidation: DestinationErrorKey | null;
}

const ends = (status: number | null, name: DestinationErrorKey | null = null): StoreError => ({
  status,
  class: "ends the run",
  name,
  atValidation: name,
});

const interrupts = (status: number | null, atValidation: DestinationErrorKey | null = null): StoreError => ({
  status,
  class: "interruption",
  name: null,
  atValidation,
});

const deniedWith = (status: number) => ends(status, "access_denied");
const badBucket = (status: number) => ends(status, "bucket_not_valid");

/** §7.3 by error code; `storeError` has the rule for all other codes. */
export const STORE_ERRORS = {
  AccessDenied: deniedWith(403),
  AccountProblem: deniedWith(403),
  AllAccessDisabled: deniedWith(403),
  AuthorizationHeaderMalformed: deniedWith(400),
  AuthorizationQueryParametersError: deniedWith(400),
  ExpiredToken: deniedWith(400),
  Forbidden: deniedWith(403),
  InvalidSecurity: deniedWith(403),
  InvalidToken: deniedWith(400),
  RequestExpired: deniedWith(400),
  RequestTimeTooSkewed: deniedWith(403),
  SignatureDoesNotMatch: deniedWith(403),
  TokenRefreshRequired: deniedWith(400),
  Unauthorized: deniedWith(401),
  UnauthorizedAccess: deniedWith(403),
  InvalidAccessKeyId: ends(403, "key_id_does_not_exist"),
  IllegalLocationConstraintException: badBucket(400),
  InvalidBucketName: badBucket(400),
  InvalidLocationConstraint: badBucket(400),
  NoSuchBucket: badBucket(404),
  PermanentRedirect: badBucket(301),
  TemporaryRedirect: badBucket(307),
  BadDigest: ends(400),
  EntityTooLarge: ends(400),
  EntityTooSmall: ends(400),
  IncompleteBody: ends(400),
  InvalidArgument: ends(400),
  InvalidRequest: ends(400),
  KeyTooLongError: ends(400),
  MethodNotAllowed: ends(405),
  NoSuchKey: ends(404),
  NoSuchUpload: ends(404),
  PreconditionFailed: ends(412),
  InternalError: interrupts(500),
  NotImplemented: interrupts(501),
  RequestTimeout: interrupts(400),
  ServiceUnavailable: interrupts(503),
  SlowDown: interrupts(503),
  TooManyRequests: interrupts(429),
  // Without an answer of an S3 server.
  NoCredentials: ends(null, "access_denied"),
  InvalidSettings: ends(null, "invalid_endpoint"),
  NotAnS3Server: ends(null, "invalid_endpoint"),
  UnknownHost: ends(null, "invalid_endpoint"),
  UntrustedConnection: ends(null, "invalid_endpoint"),
  ConnectionFailed: interrupts(null, "invalid_endpoint"),
  NoAnswerInTime: interrupts(null, "invalid_endpoint"),
} as const satisfies Record<string, StoreError>;

export type StoreErrorCode = keyof typeof STORE_ERRORS;

/** The row of a code, or what its status says: a 5xx interrupts, any other answer ends the run under its own name. */
export function storeError(code: string, status: number | null): StoreError {
  if (Object.hasOwn(STORE_ERRORS, code)) return STORE_ERRORS[code as StoreErrorCode];
  return status !== null && status >= 500 ? interrupts(status) : ends(status);
}
