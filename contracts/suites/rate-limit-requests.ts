import { isRefused } from "../engine/check.ts";
import type { CallOptions, Contract, Reply } from "../engine/contract.ts";
import type { Region } from "../engine/http-message.ts";
import { RATE_FACTS, type RateFact, type RateFactId } from "../facts/rate-limits.ts";

/** Rate limits of up to 100 requests are checked on any server. */
export const ANY_SERVER = ["writes", "bursts"] as const;
export const LIMITS_ON = { rateLimits: "on" } as const;

/** Limits up to this count are tested request by request on servers that are not started for the case. */
export const MAX_REQUESTS_ANYWHERE = 100;
const AT_ONCE = 40;

/** Headers of a caller of this kind, under a name. */
function callerOf({ identity }: RateFact, name: string): Readonly<Record<string, string | null>> {
  const nobody = { "x-api-key": null };
  if (identity === "IP") return nobody;
  return identity === "x-api-key" ? { "x-api-key": `contract-${name}` } : { ...nobody, "x-user-id": name };
}

export type SendRequest = (field: number) => Promise<Reply>;

export function requesterOf(t: Contract, id: RateFactId, name: string, region: Region): SendRequest {
  const row: RateFact = RATE_FACTS[id];
  const headers = callerOf(row, name);
  return (field) => {
    const options: CallOptions = { region, headers, unchecked: true, mayLack: field > 0 };
    const [method, path] = row.requests[field % row.requests.length] ?? row.requests[0];
    const body = method === "POST" || method === "PATCH" ? { body: {} } : {};
    return t.call(method, path.replace("{uuid}", t.draw.uuid()), { ...options, ...body });
  };
}

export async function requestMany(send: SendRequest, count: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const fields = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => from + index);
    const replies = await Promise.all(fields.map(send));
    statuses.push(...replies.map(({ status }) => status));
  }
  return statuses;
}

/** Whether a request was refused for another reason than the first one; the status of a limit is not shown (§8.5). */
export const isStopped = (status: number, [first]: readonly number[]) =>
  (isRefused(status) || status === 503) && status !== first;

/** Ends the case on a server that does not say that it has the limits, and that shows none. */
export async function requireLimits(
  t: Contract,
  send: SendRequest,
  count: number,
  statuses: readonly number[],
): Promise<void> {
  if (t.isPrepared || t.isClaimed("8.5")) return;
  if (statuses.every((status) => status === 401 || status === 403))
    t.lack("generated API keys (the server refuses them)");
  const more = await requestMany(send, count);
  if (more.some((status) => isStopped(status, statuses))) return;
  t.lack("the rate limits of the hosted service (--implements 8.5 makes them a FAIL)");
}

/** Sends the requests that a small row admits to a caller of this name; ends the case on a server without rate limits. */
export async function exhaust(t: Contract, id: RateFactId, name: string): Promise<void> {
  const { count } = RATE_FACTS[id].us;
  const send = requesterOf(t, id, name, "us");
  const statuses = await requestMany(send, count);
  if (!isStopped((await send(0)).status, statuses)) await requireLimits(t, send, count, statuses);
}

/** Uses up a row for a caller of this name; false where only the control API could, because the row is large. */
export async function canExhaust(t: Contract, id: RateFactId, name: string): Promise<boolean> {
  if (t.isPrepared && t.has("rate_counters")) {
    await t.control("PUT", `/rate-limits/${id}`, { remaining: 0 });
    return true;
  }
  if (RATE_FACTS[id].us.count > MAX_REQUESTS_ANYWHERE) return false;
  await exhaust(t, id, name);
  return true;
}
