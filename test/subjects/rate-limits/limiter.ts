import { createRateLimiter, type RateLimiter } from "../../../emulator/subjects/rate-limits/limiter.ts";
import { RATE_ROWS, type RateRow } from "../../../emulator/subjects/rate-limits/matching.ts";
import { settingsWith } from "../../support/world.ts";

/** A limiter as these keys of `rate_limits` in a configuration file make it. */
export async function limiterWith(rateLimits: Record<string, unknown> = {}, more = {}): Promise<RateLimiter> {
  return createRateLimiter((await settingsWith({ rate_limits: rateLimits, ...more })).rateLimits);
}

export function rowOf(name: string): RateRow {
  const row = RATE_ROWS.find(({ id }) => id === name);
  if (!row) throw new Error(`${name} is not a row.`);
  return row;
}

export const NOW = Date.UTC(2026, 2, 1);
