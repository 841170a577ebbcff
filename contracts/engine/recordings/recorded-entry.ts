import type { RecordedExchange } from "../recorded.ts";

/** A request and its reply in a file. */
export interface RecordedEntry {
  /** The line of a file of lines, else the number of the entry, from 1. */
  readonly place: number;
  readonly line?: number;
  readonly exchange: RecordedExchange;
  /** Why the reply cannot be checked. */
  readonly unreadable?: string;
  /** Milliseconds; the number of the entry where the file has no times. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The file is not a recording, or a part of it is malformed. The message names the line or the entry, not its content. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

export const FROM_CACHE = "the reply is from the cache of the browser, not from the server";
export const NO_REPLY = "the exchange has no reply";
export const NO_REPLY_BODY = "the reply body was not recorded";
export const PARTIAL_BODY = "the reply body was recorded only in part";
export const ENCODED_BODY = "the reply body is recorded in a compressed form";
