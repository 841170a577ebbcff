import type { StoreErrorCode } from "../../../contracts/spec/destinations/store-errors.ts";

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
  HPE_INVALID_CONSTANT: ["NotAnS3Server", "it does not speak HTTP"],
  ERR_INVALID_URL: ["InvalidSettings", "it is not a URL"],
};

const TIMEOUTS: ReadonlySet<string> = new Set(["TimeoutError", "AbortError", "RequestTimeout"]);
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/;

/** Texts of the SDK for errors without a message. */
const SDK_MESSAGES = /^(UnknownError|Error)?$|\$response|[Dd]eserialization/;
export const MAX_CHARACTERS = 300;

/** A failed request. */
export interface FailedRequest {
  /** The error code of the store, if there is one. */
  readonly code: string | undefined;
  readonly message: string;
  /** 0 without a response. */
  readonly status: number;
  /** The error code of the system. */
  readonly cause: string | undefined;
  readonly name: string;
}

/** The message of an error response. */
export function failureMessage({ code, message, status }: FailedRequest): string {
  if (code === undefined) return `it answered ${status} without an error code of S3`;
  const more = SDK_MESSAGES.test(message) ? "" : `: ${message}`;
  return `it answered ${status} ${code}${more}`.slice(0, MAX_CHARACTERS);
}

/** Why a request got no complete response; undefined for an error response. */
export function noAnswer({ status, cause, name }: FailedRequest): NoAnswer | undefined {
  if (status >= 300) return undefined;
  // The SDK also reports a broken connection as a timeout. The code of the system is more exact.
  const systemFailure = cause === undefined ? undefined : NO_ANSWER[cause];
  if (systemFailure) return systemFailure;
  if (TIMEOUTS.has(name)) return ["NoAnswerInTime", "it did not answer in time"];
  if (status > 0) return ["NotAnS3Server", `it answered ${status}, but not as an S3 server`];
  if (cause === undefined) return ["InvalidSettings", "its settings do not make a valid request"];
  if (CERTIFICATE.test(cause)) return ["UntrustedConnection", `its certificate is not trusted (${cause})`];
  return ["ConnectionFailed", `it could not be reached (${cause})`];
}
