import type { StoreErrorCode } from "../../../contracts/spec/destinations/store-errors.ts";

type NoAnswer = readonly [code: StoreErrorCode, message: string];

/** Why a request got no response, by the code of the system or of TLS. */
const NO_ANSWER: Readonly<Record<string, NoAnswer>> = {
  ECONNREFUSED: ["ConnectionFailed", "nothing listens at that address"],
  ENOTFOUND: ["UnknownHost", "its host name is not known"],
  EAI_AGAIN: ["ConnectionFailed", "its host name could not be looked up"],
  EHOSTUNREACH: ["ConnectionFailed", "there is no way to that host"],
  ENETUNREACH: ["ConnectionFailed", "there is no way to that network"],
  ECONNRESET: ["ConnectionFailed", "it broke the connection off"],
  EPIPE: ["ConnectionFailed", "it broke the connection off"],
  ETIMEDOUT: ["NoAnswerInTime", "it did not answer in time"],
  EPROTO: ["UntrustedConnection", "it does not speak TLS: check http or https"],
  HPE_INVALID_CONSTANT: ["NotAnS3Server", "it does not speak HTTP"],
  ERR_INVALID_URL: ["InvalidSettings", "it is no URL"],
};

const TIMEOUTS: ReadonlySet<string> = new Set(["TimeoutError", "AbortError", "RequestTimeout"]);
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/;

/** Texts of the SDK for errors without a message. */
const NOT_THE_STORES = /^(UnknownError|Error)?$|\$response|[Dd]eserialization/;
export const MAX_CHARACTERS = 300;

/** A failed request. */
export interface FailedRequest {
  /** The error code of the store, if there is one. */
  readonly code: string | undefined;
  readonly said: string;
  /** 0 without a response. */
  readonly status: number;
  /** The error code of the system. */
  readonly cause: string | undefined;
  readonly name: string;
}

/** The message of an error response. */
export function failureMessage({ code, said: message, status }: FailedRequest): string {
  if (code === undefined) return `it answered ${status} without an error code of S3`;
  const more = NOT_THE_STORES.test(message) ? "" : `: ${message}`;
  return `it answered ${status} ${code}${more}`.slice(0, MAX_CHARACTERS);
}

/** Why a request got no complete response; undefined for an error response. */
export function noAnswer({ status, cause, name }: FailedRequest): NoAnswer | undefined {
  if (status >= 300) return undefined;
  // The SDK also reports a broken connection as a timeout. The code of the system is more exact.
  const known = cause === undefined ? undefined : NO_ANSWER[cause];
  if (known) return known;
  if (TIMEOUTS.has(name)) return ["NoAnswerInTime", "it did not answer in time"];
  if (status > 0) return ["NotAnS3Server", `it answered ${status} with what no S3 server says`];
  if (cause === undefined) return ["InvalidSettings", "no request could be made of its settings"];
  if (CERTIFICATE.test(cause)) return ["UntrustedConnection", `its certificate is not trusted (${cause})`];
  return ["ConnectionFailed", `it could not be reached (${cause})`];
}
