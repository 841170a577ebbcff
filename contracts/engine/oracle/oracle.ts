import type { Operation } from "../../spec/operation.ts";
import type { WireReply, WireRequest } from "../http-message.ts";
import type { Profile } from "../profile.ts";
import type { Finding, Verdict } from "../verdict.ts";
import type { ReadForm } from "./reply-form.ts";

/** A finding of the oracle about an exchange. */
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

/** A request and its reply, with the operation that they belong to. */
export interface ParsedExchange {
  readonly row: Operation;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** JSON of the request, its text if it is not JSON; undefined when empty or unknown. */
  readonly requestBody: unknown;
  readonly status: number;
  readonly body: unknown;
  readonly profile: Profile;
}

/** Whether the request was accepted. */
export function isAccepted({ status }: Pick<ParsedExchange, "status">): boolean {
  return status >= 200 && status < 300;
}
