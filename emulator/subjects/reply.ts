import type { RunSubscription } from "./agent/run-subscription.ts";
import type { ThreadSubscription } from "./agent/thread-subscription.ts";

export type Subscription = RunSubscription | ThreadSubscription;

/** A reply with headers of its own, or a status other than its row's. */
export interface ReplyWithHeaders<Body> {
  readonly [REPLY_WITH_HEADERS]: true;
  readonly body: Body | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** A reply that follows a thread or a run: its stream, or the outcome of a run once it has ended. */
export interface StreamReply {
  readonly [STREAM_REPLY]: true;
  readonly follow: Subscription;
  readonly headers: Readonly<Record<string, string>>;
}

const REPLY_WITH_HEADERS = Symbol("dressed");
const STREAM_REPLY = Symbol("following");

/** Creates a reply with headers; the status defaults to the row's. */
export function replyWithHeaders<Body>(
  body: Body | undefined,
  headers: Readonly<Record<string, string>>,
  status?: number,
): ReplyWithHeaders<Body> {
  return { [REPLY_WITH_HEADERS]: true, body, headers, ...(status !== undefined && { status }) };
}

/** Creates a reply that stays open while its run is active, or while its thread exists. */
export function streamReply(follow: Subscription, headers: Readonly<Record<string, string>>): StreamReply {
  return { [STREAM_REPLY]: true, follow, headers };
}

/** Whether a handler's result has headers of its own. */
export function isReplyWithHeaders(value: unknown): value is ReplyWithHeaders<unknown> {
  return typeof value === "object" && value !== null && REPLY_WITH_HEADERS in value;
}

/** Whether a handler's result follows a run. */
export function isStreamReply(value: unknown): value is StreamReply {
  return typeof value === "object" && value !== null && STREAM_REPLY in value;
}
