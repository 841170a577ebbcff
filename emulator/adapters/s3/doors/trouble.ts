import type { DoorError, DoorFailure } from "../../../domain/destinations/door.ts";
import { isS3ErrorCode, S3_ERRORS } from "../../../domain/object-storage/errors.ts";

/** Codes that other stores use besides those of our own. */
const FOREIGN_CODES: Readonly<Record<string, DoorError>> = {
  AllAccessDisabled: "access_denied",
  AccountProblem: "access_denied",
  Forbidden: "access_denied",
  InvalidSecurity: "access_denied",
  RequestExpired: "access_denied",
  TokenRefreshRequired: "access_denied",
  Unauthorized: "access_denied",
  UnauthorizedAccess: "access_denied",
  IllegalLocationConstraintException: "bucket_not_valid",
  TemporaryRedirect: "bucket_not_valid",
  NoSuchUpload: "unavailable",
};

/** An answer that no S3 server gives. */
export class NotS3Error extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotS3Error";
  }
}

interface SdkError {
  readonly name?: string;
  readonly Code?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** §7.2: the true cause of what the SDK threw. */
export function failureOfError(error: unknown): DoorFailure {
  const { name = "", Code, message = "", code, $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode;
  const said = Code ?? name;
  const text = `${said}: ${message || (code ?? "no answer")}`.slice(0, 300);
  const known = Object.hasOwn(FOREIGN_CODES, said) ? FOREIGN_CODES[said] : undefined;
  if (error instanceof NotS3Error) return { failure: "invalid_endpoint", message: message.slice(0, 300) };
  if (status === undefined || status < 300) return { failure: "invalid_endpoint", message: text };
  if (status >= 500 || status === 429) return { failure: "unavailable", message: text };
  if (known) return { failure: known, message: text };
  if (isS3ErrorCode(said)) return { failure: S3_ERRORS[said].door, message: text };
  // A code of its own is an S3 server's answer; without one the answer came from something else.
  return { failure: Code === undefined ? "invalid_endpoint" : "unavailable", message: text };
}
