import type { WireReply, WireRequest } from "../http-message.ts";
import { fact } from "./check-reply.ts";
import type { OracleFinding } from "./oracle.ts";

const MEMBERS = ["access_key_id", "secret_access_key", "session_token"];

/** §2.4: what a destination was opened with must not come back, whatever the schema lets through. */
export function leaks(
  request: WireRequest,
  reply: WireReply,
  secrets: ReadonlySet<string>,
): readonly OracleFinding[] {
  if (!request.path.startsWith("/api/v1/bulk-exports")) return [];
  const seen = [...secrets].filter((secret) => secret.length >= 6 && reply.text.includes(secret));
  const named = MEMBERS.filter((member) => new RegExp(`"${member}"\\s*:\\s*"[^"]`).test(reply.text));
  if (seen.length === 0 && named.length === 0) return [];
  const what = named.length > 0 ? named.join(", ") : "a secret of the request";
  return [fact("2.4-2", `credentials must not be returned, but this reply contains ${what}`)];
}
