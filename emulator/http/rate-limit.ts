import { RATE_LIMITS, type RateLimit } from "../../contracts/spec/rate-limits/rows.ts";
import type { Instant } from "../kernel/instant.ts";
import { Refusal } from "../kernel/refusal.ts";
import { type HttpRequest, NO_HEADERS, type ReplyHeaders } from "../subjects/message.ts";
import { shownIdentity } from "../subjects/rate-limits/identity.ts";
import type { Decision } from "../subjects/rate-limits/limiter.ts";
import type { RateLimitSettings } from "../subjects/settings.ts";
import type { World } from "../subjects/turn.ts";
import type { Caller } from "./identity.ts";

/** The result of counting a request. */
export interface RateLimitResult {
  /** Rate-limit headers of the reply. */
  readonly headers: ReplyHeaders;
  /** The reason for a refusal: over the limit, or the world has ended. */
  readonly refusal?: unknown;
}

const NOT_LIMITED: RateLimitResult = { headers: NO_HEADERS };

/** §8.5: counts a request before routing; a refusal is journalled. */
export function countRequest(world: World, request: HttpRequest, caller: Caller): RateLimitResult {
  const { limiter } = world.ports;
  // A call of the emulator to itself has no address.
  const { apiKey, userId, address, region } = caller;
  if (address === "") return NOT_LIMITED;
  const { method, path } = request;
  const decision = limiter.decide({ apiKey, userId, address, region, method, path }, world.now);
  if (!decision) return NOT_LIMITED;
  const headers = headersOf(decision, limiter.settings, world.now);
  return decision.admitted ? { headers } : { headers, refusal: refuseRequest(world, request, decision) };
}

function refuseRequest(world: World, { method, path }: HttpRequest, decision: Decision): unknown {
  const { row, identity, count, seconds } = decision;
  const { category, identity: kind }: RateLimit = RATE_LIMITS[row.id];
  const by = shownIdentity(kind, identity);
  const detail = { method, path, row: row.id, identity: by };
  try {
    return world.turn({ type: "request", name: "rate_limit", ref: row.id, detail }, () => {
      const limit = `${count} ${count === 1 ? "request" : "requests"} in ${seconds} seconds`;
      const message = `Rate limit exceeded: ${category}, ${limit} for each ${kind}.`;
      const hint = "`emulator limits explain <method> <path>` shows when a request is accepted again.";
      throw new Refusal(429, "rate_limited", message, hint, "8.5-1");
    });
  } catch (error) {
    return error;
  }
}

function headersOf(decision: Decision, { headers }: RateLimitSettings, now: Instant): ReplyHeaders {
  const { admitted, count, remaining, resetsAt } = decision;
  const seconds = String(Math.ceil((resetsAt - now) / 1000));
  const again = !admitted && (headers === "retry-after" || headers === "ratelimit");
  const retryAfter = again ? { "retry-after": seconds } : NO_HEADERS;
  const [limit, remainingCount, reset] = [String(count), String(remaining), seconds];
  if (headers === "ratelimit")
    return {
      ...retryAfter,
      "ratelimit-limit": limit,
      "ratelimit-remaining": remainingCount,
      "ratelimit-reset": reset,
    };
  if (headers !== "x-ratelimit") return retryAfter;
  return { "x-ratelimit-limit": limit, "x-ratelimit-remaining": remainingCount, "x-ratelimit-reset": reset };
}
