import type { Refusal } from "../kernel/refusal.ts";

/** A request as every way in hands it to the gateway: no sockets, no frameworks. */
export interface HttpRequest {
  readonly region: string;
  readonly method: string;
  /** As sent, without the query; never resolved as a URL. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Decompressed. */
  readonly body: Uint8Array;
  /** The body as it comes, where it may be longer than fits; then `body` is empty. */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Why the body could not be taken; then it is empty. */
  readonly bodyProblem?: Refusal;
  /** Why nothing can be stored at present; only what adds to the world looks at it. */
  readonly storageProblem?: Refusal;
  /** The client's address; empty for a call of the emulator to itself. */
  readonly address: string;
}

/** What the gateway answers: whole, or as a stream that ends when its reader goes away. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** What to send on the wall clock while the body has nothing to say. */
  readonly keepAlive?: { readonly text: string; readonly everyMs: number };
}

/** Names in lower case. */
export type ReplyHeaders = HttpReply["headers"];

/** Told by identity: replies that have none of their own share it and are not copied. */
export const NO_HEADERS: ReplyHeaders = Object.freeze({});

const JSON_TYPE: ReplyHeaders = Object.freeze({ "content-type": "application/json" });

/** A reply whose body is this value as JSON. */
export function jsonReply(status: number, value: unknown, headers: ReplyHeaders = NO_HEADERS): HttpReply {
  return { status, headers: merged(JSON_TYPE, headers), body: JSON.stringify(value) };
}

/** The reply with these headers as well. */
export function withHeaders(reply: HttpReply, headers: ReplyHeaders): HttpReply {
  return headers === NO_HEADERS ? reply : { ...reply, headers: merged(reply.headers, headers) };
}

/** Most replies have no headers of their own, and none of them needs a copy. */
export function merged(headers: ReplyHeaders, more: ReplyHeaders): ReplyHeaders {
  if (more === NO_HEADERS) return headers;
  return headers === NO_HEADERS ? more : { ...headers, ...more };
}
