import type { Instant } from "../kernel/instant.ts";
import type { HttpReply, HttpRequest } from "./message.ts";

/** What the emulator was asked lately, so that a failure seen once can be played again. */
export interface Recording {
  /** Takes note of a request; what it answers with keeps it, once its reply is there and if its operation is recorded. */
  record(request: HttpRequest, now: Instant): (reply: HttpReply) => void;
  /** False when requests came before the oldest one that is kept. */
  readonly isComplete: boolean;
  readonly requests: readonly RecordedRequest[];
}

/** A request as it was sent, and what was answered. */
export interface RecordedRequest {
  readonly at: string;
  readonly region: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null when it is no text, or too long to be kept. */
  readonly body: string | null;
  readonly status: number;
  /** Null when it came bit by bit, or is too long to be kept. */
  readonly reply: string | null;
}
