import type { IncomingMessage } from "node:http";
import { decode, queryPairs, type Target } from "./target.ts";

/** The parts of a signature that its canonical request depends on. */
interface SignedParts {
  readonly signedHeaders: readonly string[];
  readonly payload: string;
}

/**
 * The canonical requests that a signature may cover, the usual one first. The path is as sent, which is what S3 signs, or encoded
 * again, for clients that send unreserved characters unencoded. Header values are text or raw bytes.
 */
export function* canonicalRequests(
  request: IncomingMessage,
  target: Target,
  signature: SignedParts,
): Generator<Buffer> {
  const headers = signature.signedHeaders.map((name) => {
    const values = request.headersDistinct[name] ?? [];
    return `${name}:${values.map((value) => value.trim().replace(/\s+/g, " ")).join(",")}\n`;
  });
  const query = canonicalQuery(target.rawQuery);
  for (const path of [target.rawPath, encodedPath(target.rawPath)]) {
    const parts = [request.method, path, query, headers.join("")];
    const text = [...parts, signature.signedHeaders.join(";"), signature.payload].join("\n");
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

/** Percent-encodes all but unreserved characters, as signatures require. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
