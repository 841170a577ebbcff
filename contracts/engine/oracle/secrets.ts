import { BOUNDS } from "../../spec/bounds.ts";
import type { WireReply, WireRequest } from "../http-message.ts";
import { isDeeperThan, isMembers, jsonOrText } from "../json.ts";
import { fact } from "./check-reply.ts";
import type { OracleFinding } from "./oracle.ts";

const EXPORTS = "/api/v1/bulk-exports";
const MEMBERS = ["access_key_id", "secret_access_key", "session_token"];

/** A value that stands for a secret: `***`, `AK**…`, `redacted`. */
const MASKED = /^[*•●x…]+$|[*•●…]{2}|^(left-out|redacted|masked|hidden|<.*>|\[.*\])$/i;
const MIN_SECRET_CHARACTERS = 6;
/** Shorter secrets, such as `minioadmin`, may be part of other text. */
const MIN_UNIQUE_CHARACTERS = 16;

/** The secrets in the body of a request, except those that also have another, public use in it. */
export function credentialsIn({ body = "" }: WireRequest, isAccepted: boolean): readonly string[] {
  const isParsed = body.includes('"credentials"') && !isDeeperThan(BOUNDS.json_levels.value, body);
  const members = isParsed ? jsonOrText(body) : undefined;
  if (!isMembers(members) || !isMembers(members.credentials)) return [];
  const { credentials, ...others } = members;
  const publicText = JSON.stringify(others);
  return Object.entries(credentials).flatMap(([name, value]) => {
    // A refusal may name the key that lacks a permission.
    const isShown = name === "access_key_id" && !isAccepted;
    const isPublic = isShown || typeof value !== "string" || MASKED.test(value) || publicText.includes(value);
    const least = name === "access_key_id" ? MIN_UNIQUE_CHARACTERS : MIN_SECRET_CHARACTERS;
    return isPublic || value.length < least ? [] : [value];
  });
}

/** §2.4: what a destination was opened with must not come back, whatever the schema lets through. */
export function leaks(
  request: WireRequest,
  reply: WireReply,
  secrets: ReadonlySet<string>,
): readonly OracleFinding[] {
  if (!request.path.startsWith(EXPORTS)) return [];
  const isReturned = [...secrets, ...credentialsIn(request, reply.status < 300)].some(
    (secret) => secret.length >= MIN_SECRET_CHARACTERS && contains(reply.text, secret),
  );
  // A refusal may describe the member; a destination may have it masked, but not sealed.
  const members = reply.status < 300 ? [...MEMBERS, "credentials"] : MEMBERS;
  const secretMembers = members.filter((member) => {
    const values = reply.text.matchAll(new RegExp(`"${member}"\\s*:\\s*"([^"]+)`, "g"));
    return [...values].some(([, value = ""]) => !MASKED.test(value));
  });
  if (!isReturned && secretMembers.length === 0) return [];
  const leaked = secretMembers.length > 0 ? secretMembers.join(", ") : "a secret of the request";
  return [fact("2.4-2", `credentials must not be returned, but this reply contains ${leaked}`)];
}

/** §2.4: credentials of earlier requests must not be returned either. */
export function returnedLater(
  { path }: WireRequest,
  { text }: WireReply,
  credentials: Iterable<string>,
): readonly OracleFinding[] {
  return path.startsWith(EXPORTS) && [...credentials].some((secret) => contains(text, secret))
    ? [fact("2.4-2", "credentials must not be returned, but this reply contains those of an earlier request")]
    : [];
}

/** Whether a JSON text has a secret: a short one as a whole value. */
function contains(text: string, secret: string): boolean {
  const quoted = JSON.stringify(secret);
  return text.includes(secret.length < MIN_UNIQUE_CHARACTERS ? quoted : quoted.slice(1, -1));
}
