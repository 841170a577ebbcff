import type { WireReply, WireRequest } from "../http-message.ts";
import type { Finding, Verdict } from "../verdict.ts";
import type { ReadForm } from "./reply-form.ts";

/** What the oracle holds against an exchange. */
export interface OracleFinding extends Omit<Finding, "exchange"> {
  /** The reply as a whole is unusable: whatever else is wrong about it follows from this. */
  readonly isFatal?: true;
}

/** The result of checking one exchange. */
export interface ExchangeResult {
  /** The gravest of the findings. */
  readonly verdict: Verdict;
  readonly findings: readonly OracleFinding[];
}

/** Checks requests and replies against the tables; it shares nothing with the server's own checks. */
export interface Oracle {
  check(
    request: WireRequest,
    reply: WireReply,
    secrets: ReadonlySet<string>,
  ): Promise<readonly OracleFinding[]>;
  /** Reads a reply that wraps what its operation returns, or spells its members otherwise. */
  readForm?(request: WireRequest, reply: WireReply): ReadForm | undefined;
}
