import type { WireReply, WireRequest } from "../http-message.ts";
import type { Finding } from "../verdict.ts";

/** What the oracle holds against an exchange. */
export type Judgement = Omit<Finding, "exchange">;

/** Judges requests and replies by the tables; it shares nothing with the server's own checks. */
export interface Oracle {
  judge(request: WireRequest, reply: WireReply, secrets: ReadonlySet<string>): Promise<readonly Judgement[]>;
}
