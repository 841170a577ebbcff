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
  const returnedSecrets = [...secrets].filter((secret) => secret.length >= 6 && reply.text.includes(secret));
  const secretMembers = MEMBERS.filter((member) => new RegExp(`"${member}"\\s*:\\s*"[^"]`).test(reply.text));
  if (returnedSecrets.length === 0 && secretMembers.length === 0) return [];
  const leaked = secretMembers.length > 0 ? secretMembers.join(", ") : "a secret of the request";
  return [fact("2.4-2", `credentials must not be returned, but this reply contains ${leaked}`)];
}
