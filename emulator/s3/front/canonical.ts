import type { IncomingMessage } from "node:http";
import { decode, queryPairs, type Target } from "./target.ts";

/** What a signature says of itself. */
interface SignedParts {
  readonly signedHeaders: readonly string[];
  readonly payload: string;
}

/**
 * The readings of a request that its signature may be over: the path as sent, which is what S3 signs, or encoded
 * anew, for clients that send unreserved signs unencoded; header values as text or as raw bytes.
 */
export function canonicalRequests(
  request: IncomingMessage,
  target: Target,
  parsed: SignedParts,
): readonly Buffer[] {
  const headers = parsed.signedHeaders.map((name) => {
    const values = request.headersDistinct[name] ?? [];
    return `${name}:${values.map((value) => value.trim().replace(/\s+/g, " ")).join(",")}\n`;
  });
  const query = canonicalQuery(target.rawQuery);
  const texts = [...new Set([target.rawPath, encodedPath(target.rawPath)])].map((path) =>
    [request.method, path, query, headers.join(""), parsed.signedHeaders.join(";"), parsed.payload].join(
      "\n",
    ),
  );
  return texts.flatMap((text) => [Buffer.from(text), Buffer.from(text, "latin1")]);
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
