import { STORE_ERRORS, type StoreErrorCode } from "../../../contracts/spec/destinations/store-errors.ts";
import type { ObjectStoreFailure } from "../../subjects/destinations/object-store-client.ts";
import { noStoreFailure, storeFailure } from "../../subjects/destinations/store-failure.ts";
import { isS3ErrorCode } from "../../subjects/object-storage/errors.ts";

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
  const { name = "", Code, message: sdkMessage = "", code: cause, $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode ?? 0;
  const s3Code = Code ?? (isS3Name(name) ? name : undefined);
  const request: FailedRequest = { code: s3Code, message: sdkMessage, status, cause };
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

type NoAnswer = readonly [code: StoreErrorCode, message: string];

/** Why a request got no response, by the code of the system or of TLS. */
const NO_ANSWER: Readonly<Record<string, NoAnswer>> = {
  ECONNREFUSED: ["ConnectionFailed", "nothing listens at that address"],
  ENOTFOUND: ["UnknownHost", "its host name is unknown"],
  EAI_AGAIN: ["ConnectionFailed", "its host name could not be looked up"],
  EHOSTUNREACH: ["ConnectionFailed", "no route to its host"],
  ENETUNREACH: ["ConnectionFailed", "no route to its network"],
  ECONNRESET: ["ConnectionFailed", "it closed the connection"],
  EPIPE: ["ConnectionFailed", "it closed the connection"],
  ETIMEDOUT: ["NoAnswerInTime", "it did not answer in time"],
  EPROTO: ["UntrustedConnection", "it does not speak TLS: check http or https"],
  ERR_REPLY_CUT_OFF: ["ConnectionFailed", "it closed the connection"],
  ERR_REPLY_TOO_LONG: ["NotAnS3Server", "its reply is longer than an S3 server sends"],
  ERR_INVALID_URL: ["InvalidSettings", "it is not a URL"],
};

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/;

/** Texts of the SDK for errors without a message. */
const SDK_MESSAGES = /^(UnknownError|Error)?$|\$response|[Dd]eserialization/;
const MAX_CHARACTERS = 300;

/** A failed request. */
interface FailedRequest {
  /** The error code of the store, if there is one. */
  readonly code: string | undefined;
  readonly message: string;
  /** 0 without a response. */
  readonly status: number;
  /** The error code of the system. */
  readonly cause: string | undefined;
}

/** The message of an error response. */
function failureMessage({ code, message, status }: FailedRequest): string {
  if (code === undefined) return `it answered ${status} without an error code of S3`;
  const more = SDK_MESSAGES.test(message) ? "" : `: ${message}`;
  return `it answered ${status} ${code}${more}`.slice(0, MAX_CHARACTERS);
}

/** Why a request got no complete response; undefined for an error response. */
function noAnswer({ status, cause }: FailedRequest): NoAnswer | undefined {
  if (status >= 300) return undefined;
  const systemFailure = cause === undefined ? undefined : NO_ANSWER[cause];
  if (systemFailure) return systemFailure;
  if (status > 0) return ["NotAnS3Server", `it answered ${status}, but not as an S3 server`];
  if (cause === undefined) return ["InvalidSettings", "its settings do not make a valid request"];
  if (cause.startsWith("HPE_")) return ["NotAnS3Server", "it does not speak HTTP"];
  if (CERTIFICATE.test(cause)) return ["UntrustedConnection", `its certificate is not trusted (${cause})`];
  return ["ConnectionFailed", `it could not be reached (${cause})`];
}
