import type { RunSubscription } from "./agent/run-subscription.ts";
import type { ThreadSubscription } from "./agent/thread-subscription.ts";

export type Subscription = RunSubscription | ThreadSubscription;

/** A reply with headers of its own. */
export interface ReplyWithHeaders<Body> {
  readonly [REPLY_WITH_HEADERS]: true;
  readonly body: Body | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** A reply that follows a thread or a run: its stream, or the outcome of a run once it has ended. */
export interface StreamReply {
  readonly [STREAM_REPLY]: true;
  readonly follow: Subscription;
  readonly headers: Readonly<Record<string, string>>;
}

const REPLY_WITH_HEADERS = Symbol("dressed");
const STREAM_REPLY = Symbol("following");

export function replyWithHeaders<Body>(
  body: Body | undefined,
  headers: Readonly<Record<string, string>>,
): ReplyWithHeaders<Body> {
  return { [REPLY_WITH_HEADERS]: true, body, headers };
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
