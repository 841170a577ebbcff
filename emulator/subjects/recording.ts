import type { RecordingLine } from "../../contracts/engine/recorded.ts";
import type { Instant } from "../kernel/instant.ts";
import type { HttpReply, HttpRequest } from "./message.ts";

/** The most recent requests, kept so that a failure can be replayed. */
export interface Recording {
  /** Notes a request; the returned function stores it with its reply, if its operation is recorded. */
  record(request: HttpRequest, now: Instant): (reply: HttpReply) => void;
  /** False when earlier requests are no longer kept. */
  readonly isComplete: boolean;
  readonly requests: readonly RecordedRequest[];
  /** The requests without their headers and bodies, which is cheaper. */
  readonly summaries: readonly RequestSummary[];
  /** The request with this number. */
  find(number: number): RecordedRequest | undefined;
}

/** A recorded request without headers and bodies. */
export interface RequestSummary extends Pick<RecordedRequest, "at" | "method" | "path" | "status"> {
  /** Counts the requests of the world, including those that are no longer retained. */
  readonly number: number;
}

/** A request as sent, and its reply. */
export interface RecordedRequest extends RecordingLine {
  readonly at: string;
}
