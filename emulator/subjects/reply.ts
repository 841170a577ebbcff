import type { Follow } from "./agent/follow.ts";

/** A reply with headers of its own, or with another status than its row's. */
export interface Dressed<Body> {
  readonly [DRESSED]: true;
  readonly body: Body | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** A reply that goes with a run: its stream, or what it has come to once it has ended. */
export interface Following {
  readonly [FOLLOWING]: true;
  readonly follow: Follow;
  readonly headers: Readonly<Record<string, string>>;
}

const DRESSED = Symbol("dressed");
const FOLLOWING = Symbol("following");

/** A handler's answer with headers of its own; the status is its row's when none is given. */
export function dressed<Body>(
  body: Body | undefined,
  headers: Readonly<Record<string, string>>,
  status?: number,
): Dressed<Body> {
  return { [DRESSED]: true, body, headers, ...(status !== undefined && { status }) };
}

/** A handler's answer that stays open as its run goes. */
export function following(follow: Follow, headers: Readonly<Record<string, string>>): Following {
  return { [FOLLOWING]: true, follow, headers };
}

/** Whether a handler's answer has headers of its own. */
export function isDressed(value: unknown): value is Dressed<unknown> {
  return typeof value === "object" && value !== null && DRESSED in value;
}

/** Whether a handler's answer goes with a run. */
export function isFollowing(value: unknown): value is Following {
  return typeof value === "object" && value !== null && FOLLOWING in value;
}
