import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { canonicalRequests } from "./canonical.ts";
import { integerOf } from "./integers.ts";
import { refuse } from "./refused.ts";
import type { Target } from "./target.ts";

/**
 * Signature Version 4, with node:crypto. The signature covers the path exactly as the client sent it. A signing library
 * would parse the request and encode it again.
 */
export interface Signature extends Omit<SignatureFields, "credential" | "signedHeaders" | "expiresSeconds"> {
  readonly accessKeyId: string;
  readonly scope: string;
  isSignedWith(secret: string): boolean;
  /** The key that the chunks of a streamed body are signed with. Call `isSignedWith` first. */
  chunkKey(): Buffer;
}

interface SignatureFields {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly amzDate: string;
  readonly sessionToken: string | null;
  /** The SHA-256 of the body in hex, or a word for how the body is signed. */
  readonly payload: string;
  readonly expiresSeconds: number | null;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const MAX_PRESIGN_SECONDS = 7 * 24 * 3600;
const MAX_SKEW_MS = 15 * 60 * 1000;
/** In place of the digest of a body that the signature does not cover. */
export const UNSIGNED = "UNSIGNED-PAYLOAD";
export const HEX_64 = /^[0-9a-f]{64}$/;

/** Reads the signature of a request. Refuses a malformed signature before a key is looked up. */
export function readSignature(request: IncomingMessage, target: Target, wallNow: number): Signature {
  const fields = parseSignature(request, target);
  const { amzDate } = fields;
  const [accessKeyId = "", ...rest] = scopeParts(fields.credential);
  const scope = rest.join("/");
  checkTime(fields, wallNow);
  if (rest.length !== 4 || rest[3] !== "aws4_request" || rest[2] !== "s3") throw malformed(fields, "scope");
  if (rest[0] !== amzDate.slice(0, 8)) throw malformed(fields, "date");
  checkSignedHeaders(request, fields);
  let key: Buffer | undefined;
  let lastAttempt: { readonly secret: string; readonly matches: boolean } | undefined;

  function matches(secret: string): boolean {
    const signingKey = signingKeyOf(secret, rest);
    for (const canonical of canonicalRequests(request, target, fields)) {
      const text = [ALGORITHM, amzDate, scope, sha256(canonical)].join("\n");
      if (!equalHex(hmac(signingKey, text), fields.signature)) continue;
      key = signingKey;
      return true;
    }
    return false;
  }

  return {
    accessKeyId,
    sessionToken: fields.sessionToken,
    amzDate,
    scope,
    signature: fields.signature,
    payload: fields.payload,
    isSignedWith(secret) {
      // The turn that stores a body checks the signature again.
      if (lastAttempt?.secret !== secret) lastAttempt = { secret, matches: matches(secret) };
      return lastAttempt.matches;
    },
    chunkKey() {
      if (!key) throw new Error("The chunk key was requested before the signature was verified.");
      return key;
    },
  };
}

let lastKey: { readonly secret: string; readonly scope: string; readonly key: Buffer } | undefined;

/** The signing key of a secret for a day, region and service. Most requests need the key of the previous request. */
function signingKeyOf(secret: string, parts: readonly string[]): Buffer {
  const scope = parts.join("/");
  if (lastKey?.secret !== secret || lastKey.scope !== scope) {
    const key = parts.reduce<Buffer>((data, part) => hmac(data, part), Buffer.from(`AWS4${secret}`));
    lastKey = { secret, scope, key };
  }
  return lastKey.key;
}

/** An access key id may contain slashes. The scope after it has four parts. */
function scopeParts(credential: string): readonly string[] {
  const parts = credential.split("/");
  return [parts.slice(0, -4).join("/"), ...parts.slice(-4)];
}

function parseSignature(request: IncomingMessage, target: Target): SignatureFields {
  const { authorization } = request.headers;
  const { query } = target;
  const isInQuery = query.has("X-Amz-Algorithm") || query.has("X-Amz-Signature");
  if (authorization !== undefined && isInQuery) {
    throw refuse("InvalidArgument", "Only one auth mechanism allowed.");
  }
  if (isInQuery) return parseQuery(request, query);
  const isOldQuery = query.has("AWSAccessKeyId") && query.has("Signature");
  if (isOldQuery || (authorization && !authorization.startsWith("AWS4-"))) {
    const message =
      `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM} ` +
      `(Signature Version 4; in boto3 Config(signature_version="s3v4")).`;
    throw refuse("InvalidRequest", message);
  }
  if (!authorization) throw isForm(request) ? formRefusal() : refuse("AccessDenied", MISSING_SIGNATURE);
  return parseHeader(request, authorization);
}

const MISSING_SIGNATURE =
  "Access Denied: the request is not signed. Sign it with an access key; GET /_emulator/v1/s3/credentials lists the keys.";

/** A browser's form has its signature in its fields. */
function isForm({ method, headers }: IncomingMessage): boolean {
  return method === "POST" && /^multipart\/form-data\b/i.test(headers["content-type"] ?? "");
}

function formRefusal(): Error {
  const message = "This object store does not implement PostObject (an upload by a form). Use PutObject.";
  return refuse("NotImplemented", message, { Operation: "PostObject" });
}

/** Clients that cannot set `x-amz-date` sign with `Date`, in one of two formats. */
function amzDateOf(date: string | undefined): string {
  const instant = date === undefined ? Number.NaN : (instantOf(date) ?? Date.parse(date));
  return Number.isNaN(instant) ? "" : new Date(instant).toISOString().replace(/[-:]|\.\d{3}/g, "");
}

function parseHeader({ headers }: IncomingMessage, authorization: string): SignatureFields {
  const match = /^AWS4-HMAC-SHA256\s+(.*)$/.exec(authorization);
  const pairs = new Map(
    (match?.[1] ?? "").split(",").map((field) => {
      const equals = field.indexOf("=");
      return [field.slice(0, equals).trim(), field.slice(equals + 1).trim()] as const;
    }),
  );
  const payload = headers["x-amz-content-sha256"];
  const fields = {
    credential: pairs.get("Credential") ?? "",
    signedHeaders: (pairs.get("SignedHeaders") ?? "").split(";"),
    signature: pairs.get("Signature") ?? "",
    amzDate: headers["x-amz-date"]?.toString() ?? amzDateOf(headers.date),
    sessionToken: headers["x-amz-security-token"]?.toString() ?? null,
    payload: String(payload),
    expiresSeconds: null,
  };
  if (!match || !HEX_64.test(fields.signature)) throw malformed(fields, "syntax");
  if (payload === undefined) {
    throw refuse("InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
  }
  return fields;
}

function parseQuery({ headers }: IncomingMessage, query: ReadonlyMap<string, string>): SignatureFields {
  const fields = {
    credential: query.get("X-Amz-Credential") ?? "",
    signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
    signature: query.get("X-Amz-Signature") ?? "",
    amzDate: query.get("X-Amz-Date") ?? "",
    sessionToken: query.get("X-Amz-Security-Token") ?? null,
    payload: headers["x-amz-content-sha256"]?.toString() ?? query.get("X-Amz-Content-Sha256") ?? UNSIGNED,
    expiresSeconds: integerOf(query.get("X-Amz-Expires")),
  };
  if (query.get("X-Amz-Algorithm") !== ALGORITHM || !HEX_64.test(fields.signature)) {
    throw malformed(fields, "syntax");
  }
  const { expiresSeconds } = fields;
  if (!(expiresSeconds >= 1 && expiresSeconds <= MAX_PRESIGN_SECONDS)) {
    throw refuse("AuthorizationQueryParametersError", "X-Amz-Expires must be between 1 and 604800 seconds");
  }
  return fields;
}

function malformed({ expiresSeconds }: SignatureFields, part: string): Error {
  if (expiresSeconds !== null) {
    return refuse(
      "AuthorizationQueryParametersError",
      `Query-string authentication: the ${part} is malformed.`,
    );
  }
  return refuse("AuthorizationHeaderMalformed", `The authorization header is malformed (${part}).`);
}

/** Law 8: signatures follow the wall clock, because clients sign with theirs. */
function checkTime({ amzDate, expiresSeconds }: SignatureFields, wallNow: number): void {
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

/** Headers that change what the store does have to be signed, or a proxy could change them. */
function checkSignedHeaders({ headers }: IncomingMessage, { signedHeaders }: SignatureFields): void {
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

/** Compares in constant time. */
export function equalHex(computed: Buffer, claimedHex: string): boolean {
  const bytes = Buffer.from(claimedHex, "hex");
  return bytes.length === computed.length && timingSafeEqual(bytes, computed);
}
