import type { Instant } from "../kernel/instant.ts";
import type { HttpReply, HttpRequest } from "./message.ts";

/** The most recent requests, kept so that a failure can be replayed. */
export interface Recording {
  /** Notes a request; the returned function stores it with its reply, if its operation is recorded. */
  record(request: HttpRequest, now: Instant): (reply: HttpReply) => void;
  /** False when earlier requests are no longer kept. */
  readonly isComplete: boolean;
  readonly requests: readonly RecordedRequest[];
}

/** A request as sent, and its reply. */
export interface RecordedRequest {
  readonly at: string;
  readonly region: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null when not text or too long to keep. */
  readonly body: string | null;
  readonly status: number;
  /** Null when streamed or too long to keep. */
  readonly reply: string | null;
}
