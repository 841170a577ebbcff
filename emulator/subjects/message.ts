import type { Refusal } from "../kernel/refusal.ts";
import { jsonBody } from "./lasting-view.ts";

/** A request in the transport-independent form of the gateway. */
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
  /** The body as a stream where it may be larger than memory; then `body` is empty. */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Why the body could not be read; then it is empty. */
  readonly bodyProblem?: Refusal;
  /** Why nothing can be stored at present (free space); checked only by operations that add data. */
  readonly storageProblem?: Refusal;
  /** Whether the client no longer waits for the reply; absent for a call of the emulator to itself. */
  readonly isAbandoned?: () => boolean;
  /** The client's address; empty for a call of the emulator to itself. */
  readonly address: string;
}

/** A reply of the gateway: a complete body, or a stream that is cancelled when its reader disconnects. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Keep-alive bytes, sent by wall clock while the body is idle. */
  readonly keepAlive?: { readonly text: string; readonly everyMs: number };
  /** Only the end of its world ends the body: what closes does not wait for it. */
  readonly isEndless?: boolean;
}

/** Names in lower case. */
export type ReplyHeaders = HttpReply["headers"];

/** Shared by replies without headers of their own; compared by identity to avoid copies. */
export const NO_HEADERS: ReplyHeaders = Object.freeze({});

const JSON_TYPE: ReplyHeaders = Object.freeze({ "content-type": "application/json" });

/** A reply whose body is this value as JSON; empty for undefined. */
export function jsonReply(status: number, value: unknown, headers: ReplyHeaders = NO_HEADERS): HttpReply {
  if (value === undefined) return { status, headers, body: "" };
  return { status, headers: merged(JSON_TYPE, headers), body: jsonBody(value) };
}

/** The reply with these headers as well. */
export function withHeaders(reply: HttpReply, headers: ReplyHeaders): HttpReply {
  return headers === NO_HEADERS ? reply : { ...reply, headers: merged(reply.headers, headers) };
}

/** Avoids copying the headers of replies that have none of their own. */
export function merged(headers: ReplyHeaders, more: ReplyHeaders): ReplyHeaders {
  if (more === NO_HEADERS) return headers;
  return headers === NO_HEADERS ? more : { ...headers, ...more };
}
