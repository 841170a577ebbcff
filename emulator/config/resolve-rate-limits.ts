import {
  RATE_LIMIT_IDS,
  RATE_LIMITS,
  RATE_REGIONS,
  type RateLimit,
  type RateLimitHeaders,
  type RateLimitId,
  type RateRegion,
  type TriggerMethods,
} from "../../contracts/spec/rate-limits/rows.ts";
import {
  hasNewerFeatures,
  type RateLimitSettings,
  type RateSetting,
  type Settings,
} from "../subjects/settings.ts";
import { type RateGiven, rateLimitPath } from "./rate-limit-settings.ts";
import type { NamedValues } from "./settings.ts";

type ValueOf = <Path extends keyof NamedValues>(path: Path) => NamedValues[Path];

/** The effective limits: those of the table, scaled, unless a row has its own setting. */
export function rateLimitSettings(
  value: ValueOf,
  valueOf: (path: string) => unknown,
  assumptions: Settings["assumptions"],
): RateLimitSettings {
  const scale = value("rate_limits.scale");
  const rows = RATE_LIMIT_IDS.map((id) => {
    const ownRates = (valueOf(rateLimitPath(id)) ?? {}) as RateGiven;
    return [
      id,
      Object.fromEntries(RATE_REGIONS.map((region) => [region, rateOf(id, region, ownRates, scale)])),
    ];
  });
  return {
    enabled: value("rate_limits.enabled") ?? value("deployment") === "hosted",
    window: value("rate_limits.window"),
    headers: assumptions["rate_limit.headers"] as RateLimitHeaders,
    has_newer_rows: hasNewerFeatures({ assumptions }),
    trigger_methods: assumptions["rate_limit.trigger_methods"] as TriggerMethods,
    scale,
    trusted_proxies: value("rate_limits.trusted_proxies"),
    held_at_most: value("rate_limits.held_at_most"),
    rows: Object.fromEntries(rows) as RateLimitSettings["rows"],
  };
}

function rateOf(id: RateLimitId, region: RateRegion, ownRates: RateGiven, scale: number): RateSetting {
  const { count, seconds }: RateLimit = RATE_LIMITS[id];
  return { count: Math.max(1, Math.round(count[region] * scale)), seconds, ...ownRates[region] };
}
