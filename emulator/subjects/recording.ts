import type { RecordingLine } from "../../contracts/engine/recorded.ts";
import type { Instant } from "../kernel/instant.ts";
import type { HttpReply, HttpRequest } from "./message.ts";

/** The most recent requests, kept so that a failure can be replayed. */
export interface Recording {
  /** Notes a request to the world, which is at this instant and turn. */
  begin(request: HttpRequest, world: { readonly now: Instant; readonly lastTurn: number }): PendingExchange;
  facts(): RecordingFacts;
  requests(): readonly RecordedRequest[];
  /** The requests without their headers and bodies, which is cheaper. */
  summaries(): readonly RequestSummary[];
  find(number: number): RecordedRequest | undefined;
}

/** What a recording contains. */
export interface RecordingFacts {
  /** False when earlier requests are no longer kept. */
  readonly complete: boolean;
  /** The number of earlier requests that are no longer kept. */
  readonly dropped: number;
  /** The number of requests that still wait for their replies. */
  readonly pending: number;
  /** The turn of the world before the first request that is kept; 0 without one. */
  readonly start_turn: number;
}

/** The first line of a recording that is read. */
export interface RecordingHeader extends RecordingFacts {
  readonly seed: number;
  readonly requests: number;
}

/** A request whose reply is not known yet. */
export interface PendingExchange {
  /** Stores the request with its reply, if its operation is recorded. */
  store(reply: HttpReply): void;
  /** Called when the request has been handled, also if it was not stored. */
  end(): void;
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
