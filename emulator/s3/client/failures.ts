import { STORE_ERRORS, type StoreErrorCode } from "../../../contracts/spec/destinations/store-errors.ts";
import type { ObjectStoreFailure } from "../../subjects/destinations/object-store-client.ts";
import { noStoreFailure, storeFailure } from "../../subjects/destinations/store-failure.ts";
import { isS3ErrorCode } from "../../subjects/object-storage/errors.ts";
import { type FailedRequest, failureMessage, MAX_CHARACTERS, noAnswer } from "./failure-message.ts";

/** A response that no S3 server sends. */
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

/** §7.2: the actual cause of an error of the SDK. */
export function failureOfError(error: unknown, hasEndpoint: boolean): ObjectStoreFailure {
  if (error instanceof NotS3Error)
    return noStoreFailure("NotAnS3Server", error.message.slice(0, MAX_CHARACTERS), hasEndpoint);
  const { name = "", Code, message: said = "", code: cause, $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? 0;
  const s3Code = Code ?? (isS3Name(name) ? name : undefined);
  const request: FailedRequest = { code: s3Code, message: said, status, cause, name };
  // An upload may fail after the status 200, with a code in the body.
  const unanswered = s3Code !== undefined && status > 0 ? undefined : noAnswer(request);
  if (unanswered) return noStoreFailure(...unanswered, hasEndpoint);
  const code = s3Code ?? PLAIN_STATUSES[status] ?? (status >= 500 ? `HTTP ${status}` : undefined);
  const message = failureMessage(request);
  // A code comes from an S3 server. A response without one comes from something else.
  if (code === undefined) return noStoreFailure("NotAnS3Server", message, hasEndpoint);
  return storeFailure({ code, status, message });
}

/** Statuses with the same meaning with and without a code of S3. */
const PLAIN_STATUSES: Readonly<Record<number, StoreErrorCode>> = {
  408: "RequestTimeout",
  429: "TooManyRequests",
};

/** For responses without a body, such as those to HEAD, only the SDK has a name. */
function isS3Name(name: string): boolean {
  return Object.hasOwn(STORE_ERRORS, name) || isS3ErrorCode(name);
}
