import type { IncomingMessage } from "node:http";
import { decode, queryPairs, type Target } from "./target.ts";

/** What a signature says of itself. */
interface SignedParts {
  readonly signedHeaders: readonly string[];
  readonly payload: string;
}

/**
 * The readings of a request that its signature may be over, the usual one first: the path as sent, which is what S3 signs, or encoded
 * anew, for clients that send unreserved signs unencoded; header values as text or as raw bytes.
 */
export function* canonicalRequests(
  request: IncomingMessage,
  target: Target,
  parsed: SignedParts,
): Generator<Buffer> {
  const headers = parsed.signedHeaders.map((name) => {
    const values = request.headersDistinct[name] ?? [];
    return `${name}:${values.map((value) => value.trim().replace(/\s+/g, " ")).join(",")}\n`;
  });
  const query = canonicalQuery(target.rawQuery);
  for (const path of [target.rawPath, encodedPath(target.rawPath)]) {
    const parts = [request.method, path, query, headers.join("")];
    const text = [...parts, parsed.signedHeaders.join(";"), parsed.payload].join("\n");
    yield Buffer.from(text);
    yield Buffer.from(text, "latin1");
  }
}

function canonicalQuery(rawQuery: string): string {
  return queryPairs(rawQuery)
    .map(([name, value]) => [encode(decodeURIComponent(name)), encode(decodeURIComponent(value))] as const)
    .filter(([name]) => name !== "X-Amz-Signature")
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function encodedPath(rawPath: string): string {
  return decode(rawPath).split("/").map(encode).join("/");
}

/** Percent-encodes all but unreserved signs, as the signature wants it. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
