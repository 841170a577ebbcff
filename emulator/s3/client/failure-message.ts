/** What kept a request from an answer, by the code of the system or of TLS. */
const NO_ANSWER: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at that address",
  ENOTFOUND: "its host name is not known",
  EAI_AGAIN: "its host name could not be looked up",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ECONNRESET: "it broke the connection off",
  EPIPE: "it broke the connection off",
  ETIMEDOUT: "it did not answer in time",
  EPROTO: "it does not speak TLS: check http or https",
  HPE_INVALID_CONSTANT: "it does not speak HTTP",
  ERR_INVALID_URL: "it is no URL",
};

const TIMEOUTS: ReadonlySet<string> = new Set(["TimeoutError", "AbortError", "RequestTimeout"]);
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|TLS/;

/** Words that the SDK puts where a store has said nothing. */
const NOT_THE_STORES = /^(UnknownError|Error)?$|\$response|[Dd]eserialization/;
const MAX_CHARACTERS = 300;

/** What is known of a request that failed. */
export interface FailedRequest {
  /** The store's own code, when it gave one. */
  readonly code: string | undefined;
  readonly said: string;
  readonly status: number | undefined;
  /** The system's code. */
  readonly cause: string | undefined;
  readonly name: string;
}

/** The failure of a request to another store, with a hint where to look. */
export function failureMessage({ code, said: message, status, cause, name }: FailedRequest): string {
  if (status === undefined) return noAnswer(name, cause);
  if (status < 300) return `it answered ${status} with what no S3 server says`;
  if (code === undefined) return `it answered ${status} without an error code of S3`;
  const more = NOT_THE_STORES.test(message) ? "" : `: ${message}`;
  return `it answered ${status} ${code}${more}`.slice(0, MAX_CHARACTERS);
}

function noAnswer(name: string, cause: string | undefined): string {
  // The SDK calls a broken connection a time-out too: the system's own code knows better.
  const known = cause === undefined ? undefined : NO_ANSWER[cause];
  if (known) return known;
  if (TIMEOUTS.has(name)) return "it did not answer in time";
  if (cause !== undefined && CERTIFICATE.test(cause)) return `its certificate is not trusted (${cause})`;
  return cause === undefined
    ? "no request could be made of its settings"
    : `it could not be reached (${cause})`;
}
