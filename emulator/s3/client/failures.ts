import type {
  ObjectStoreError,
  ObjectStoreFailure,
} from "../../subjects/destinations/object-store-client.ts";
import { isS3ErrorCode, S3_ERRORS } from "../../subjects/object-storage/errors.ts";
import { failureMessage } from "./failure-message.ts";

/** Codes that other stores use besides those of our own. */
const EXTERNAL_CODES: Readonly<Record<string, ObjectStoreError>> = {
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

/** §7.2: the true cause of what the SDK threw, in our own words. */
export function failureOfError(error: unknown): ObjectStoreFailure {
  if (error instanceof NotS3Error)
    return { failure: "invalid_endpoint", message: error.message.slice(0, 300) };
  const { name = "", Code, message = "", code, $metadata } = error as SdkError;
  const answered = $metadata?.httpStatusCode;
  // What was redirected or cut off on the way was no answer.
  const status = answered !== undefined && answered >= 300 ? answered : undefined;
  const known = Code ?? (isKnownCode(name) ? name : undefined);
  return {
    failure: causeOf(status, known),
    message: failureMessage({ code: known, said: message, status: answered, cause: code, name }),
  };
}

function causeOf(status: number | undefined, code: string | undefined): ObjectStoreError {
  if (status === undefined) return "invalid_endpoint";
  if (status >= 500 || status === 429) return "unavailable";
  // A code is an S3 server's answer; without one the answer came from something else.
  if (code === undefined) return "invalid_endpoint";
  if (Object.hasOwn(EXTERNAL_CODES, code)) return EXTERNAL_CODES[code] as ObjectStoreError;
  return isS3ErrorCode(code) ? S3_ERRORS[code].reportedAs : "unavailable";
}

/** Replies without a body, such as those to HEAD, are named by the SDK alone. */
function isKnownCode(name: string): boolean {
  return Object.hasOwn(EXTERNAL_CODES, name) || isS3ErrorCode(name);
}
