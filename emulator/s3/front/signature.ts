import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { canonicalRequests } from "./canonical.ts";
import { refuse } from "./refused.ts";
import type { Target } from "./target.ts";

/**
 * Signature Version 4, over node:crypto: what is signed has to be the path exactly as it was sent, and a
 * signing library takes the request apart and puts it together anew.
 */
export interface Signature {
  readonly accessKeyId: string;
  readonly sessionToken: string | null;
  readonly amzDate: string;
  readonly scope: string;
  readonly signature: string;
  /** Hex of the body, or a word for how the body vouches for itself. */
  readonly payload: string;
  readonly expiresSeconds: number | null;
  proves(secret: string): boolean;
  /** The key that the chunks of a streamed body are signed with; known once `proves` said yes. */
  chunkKey(): Buffer;
}

interface Parsed {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly amzDate: string;
  readonly sessionToken: string | null;
  readonly payload: string;
  readonly expiresSeconds: number | null;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const MAX_PRESIGN_SECONDS = 7 * 24 * 3600;
const MAX_SKEW_MS = 15 * 60 * 1000;
/** Stands for the digest of a body that the signature does not cover. */
export const UNSIGNED = "UNSIGNED-PAYLOAD";
const HEX_64 = /^[0-9a-f]{64}$/;

/** Reads the signature of a request; refuses what cannot be one before any key is looked at. */
export function readSignature(request: IncomingMessage, target: Target, wallNow: number): Signature {
  const parsed = parse(request, target);
  const { amzDate } = parsed;
  const [accessKeyId = "", ...rest] = scopeParts(parsed.credential);
  const scope = rest.join("/");
  checkTime(parsed, wallNow);
  if (rest.length !== 4 || rest[3] !== "aws4_request" || rest[2] !== "s3") throw malformed(parsed, "scope");
  if (rest[0] !== amzDate.slice(0, 8)) throw malformed(parsed, "date");
  checkSignedHeaders(request, parsed);
  let key: Buffer | undefined;
  let tried: { readonly secret: string; readonly matches: boolean } | undefined;

  function matches(secret: string): boolean {
    const signingKey = signingKeyOf(secret, rest);
    for (const canonical of canonicalRequests(request, target, parsed)) {
      const text = [ALGORITHM, amzDate, scope, sha256(canonical)].join("\n");
      if (!equalHex(hmac(signingKey, text), parsed.signature)) continue;
      key = signingKey;
      return true;
    }
    return false;
  }

  return {
    accessKeyId,
    sessionToken: parsed.sessionToken,
    amzDate,
    scope,
    signature: parsed.signature,
    payload: parsed.payload,
    expiresSeconds: parsed.expiresSeconds,
    proves(secret) {
      // Asked again by the turn that keeps a body.
      if (tried?.secret !== secret) tried = { secret, matches: matches(secret) };
      return tried.matches;
    },
    chunkKey() {
      if (!key) throw new Error("The chunk key was asked for before the signature was proven.");
      return key;
    },
  };
}

let lastKey: { readonly secret: string; readonly scope: string; readonly key: Buffer } | undefined;

/** The key of a secret for a day, region and service: most requests have that of the one before. */
function signingKeyOf(secret: string, parts: readonly string[]): Buffer {
  const scope = parts.join("/");
  if (lastKey?.secret !== secret || lastKey.scope !== scope) {
    const key = parts.reduce<Buffer>((data, part) => hmac(data, part), Buffer.from(`AWS4${secret}`));
    lastKey = { secret, scope, key };
  }
  return lastKey.key;
}

/** An access key id may hold slashes; the scope behind it has four parts. */
function scopeParts(credential: string): readonly string[] {
  const parts = credential.split("/");
  return [parts.slice(0, -4).join("/"), ...parts.slice(-4)];
}

function parse(request: IncomingMessage, target: Target): Parsed {
  const { authorization } = request.headers;
  const { query } = target;
  const inQuery = query.has("X-Amz-Algorithm") || query.has("X-Amz-Signature");
  if (authorization !== undefined && inQuery) {
    throw refuse("InvalidArgument", "Only one auth mechanism allowed.");
  }
  if (inQuery) return parseQuery(request, query);
  const oldQuery = query.has("AWSAccessKeyId") && query.has("Signature");
  if (oldQuery || (authorization && !authorization.startsWith("AWS4-"))) {
    const message =
      `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM} ` +
      `(Signature Version 4; in boto3 Config(signature_version="s3v4")).`;
    throw refuse("InvalidRequest", message);
  }
  if (!authorization) throw isForm(request) ? formRefused() : refuse("AccessDenied");
  return parseHeader(request, authorization);
}

/** A form of a browser carries its signature among its fields. */
function isForm({ method, headers }: IncomingMessage): boolean {
  return method === "POST" && /^multipart\/form-data\b/i.test(headers["content-type"] ?? "");
}

function formRefused(): Error {
  const message = "PostObject (an upload by a form) is not implemented by this object store; use PutObject.";
  return refuse("NotImplemented", message, { Operation: "PostObject" });
}

/** Clients that cannot set `x-amz-date` sign by `Date`, in either spelling. */
function amzDateOf(date: string | undefined): string {
  const instant = date === undefined ? Number.NaN : (instantOf(date) ?? Date.parse(date));
  return Number.isNaN(instant) ? "" : new Date(instant).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

function parseHeader({ headers }: IncomingMessage, authorization: string): Parsed {
  const match = /^AWS4-HMAC-SHA256\s+(.*)$/.exec(authorization);
  const fields = new Map(
    (match?.[1] ?? "").split(",").map((field) => {
      const equals = field.indexOf("=");
      return [field.slice(0, equals).trim(), field.slice(equals + 1).trim()] as const;
    }),
  );
  const payload = headers["x-amz-content-sha256"];
  const parsed = {
    credential: fields.get("Credential") ?? "",
    signedHeaders: (fields.get("SignedHeaders") ?? "").split(";"),
    signature: fields.get("Signature") ?? "",
    amzDate: headerText(headers["x-amz-date"]) ?? amzDateOf(headers.date),
    sessionToken: headerText(headers["x-amz-security-token"]),
    payload: String(payload),
    expiresSeconds: null,
  };
  if (!match || !HEX_64.test(parsed.signature)) throw malformed(parsed, "syntax");
  if (payload === undefined) {
    throw refuse("InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
  }
  return parsed;
}

function parseQuery({ headers }: IncomingMessage, query: ReadonlyMap<string, string>): Parsed {
  const parsed = {
    credential: query.get("X-Amz-Credential") ?? "",
    signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
    signature: query.get("X-Amz-Signature") ?? "",
    amzDate: query.get("X-Amz-Date") ?? "",
    sessionToken: query.get("X-Amz-Security-Token") ?? null,
    payload: headerText(headers["x-amz-content-sha256"]) ?? query.get("X-Amz-Content-Sha256") ?? UNSIGNED,
    expiresSeconds: Number(query.get("X-Amz-Expires") || Number.NaN),
  };
  if (query.get("X-Amz-Algorithm") !== ALGORITHM || !HEX_64.test(parsed.signature)) {
    throw malformed(parsed, "syntax");
  }
  const { expiresSeconds } = parsed;
  if (!Number.isInteger(expiresSeconds) || expiresSeconds < 1 || expiresSeconds > MAX_PRESIGN_SECONDS) {
    throw refuse("AuthorizationQueryParametersError", "X-Amz-Expires must be between 1 and 604800 seconds");
  }
  return parsed;
}

function headerText(header: string | string[] | undefined): string | null {
  return header === undefined ? null : String(header);
}

function malformed({ expiresSeconds }: Parsed, part: string): Error {
  if (expiresSeconds !== null) {
    return refuse(
      "AuthorizationQueryParametersError",
      `Query-string authentication: the ${part} is malformed.`,
    );
  }
  return refuse("AuthorizationHeaderMalformed", `The authorization header is malformed (${part}).`);
}

/** Law 8: signatures are judged by the wall clock, since clients sign by theirs. */
function checkTime({ amzDate, expiresSeconds }: Parsed, wallNow: number): void {
  const signedAt = instantOf(amzDate);
  if (signedAt === undefined) {
    throw refuse("AccessDenied", "AWS authentication requires a valid Date or x-amz-date header");
  }
  const serverTime = new Date(wallNow).toISOString();
  if (expiresSeconds !== null) {
    if (wallNow > signedAt + expiresSeconds * 1000) {
      throw refuse("AccessDenied", "Request has expired", {
        "X-Amz-Expires": String(expiresSeconds),
        ServerTime: serverTime,
      });
    }
    if (signedAt - wallNow > MAX_SKEW_MS) throw refuse("AccessDenied", "Request is not yet valid");
    return;
  }
  if (Math.abs(wallNow - signedAt) <= MAX_SKEW_MS) return;
  throw refuse("RequestTimeTooSkewed", undefined, {
    RequestTime: amzDate,
    ServerTime: serverTime,
    MaxAllowedSkewMilliseconds: String(MAX_SKEW_MS),
  });
}

function instantOf(amzDate: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(amzDate);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute, second] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** What steers the store has to be signed, or anyone on the way could change it. */
function checkSignedHeaders({ headers }: IncomingMessage, { signedHeaders }: Parsed): void {
  const unsigned = Object.keys(headers).filter(
    (name) =>
      (name === "host" || (name.startsWith("x-amz-") && name !== "x-amz-content-sha256")) &&
      !signedHeaders.includes(name),
  );
  if (unsigned.length === 0) return;
  const message = "There were headers present in the request which were not signed";
  throw refuse("AccessDenied", message, { HeadersNotSigned: unsigned.join(", ") });
}

export function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

export function sha256(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Takes the same time wherever the two differ. */
export function equalHex(computed: Buffer, claimed: string): boolean {
  const bytes = Buffer.from(claimed, "hex");
  return bytes.length === computed.length && timingSafeEqual(bytes, computed);
}
