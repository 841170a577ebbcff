import { isIP } from "node:net";
import {
  closed,
  eitherOf,
  type Field,
  integer as integerField,
  optional,
  type TypeOf,
  text as textField,
} from "../../contracts/spec/fields.ts";
import {
  RATE_LIMIT_HEADERS,
  RATE_LIMIT_IDS,
  RATE_LIMIT_MEMORY,
  RATE_LIMITS,
  RATE_REGIONS,
  type RateLimit,
  type RateLimitHeaders,
  type RateLimitId,
  type RateRegion,
} from "../../contracts/spec/rate-limits/rows.ts";
import { jsonOrText } from "../subjects/json-of.ts";
import type { RateSetting } from "../subjects/settings.ts";
import { choice, integer, isObject, type Kind, list, positiveNumber, TEXT, toggle } from "./kinds.ts";
import { type Setting, setting } from "./setting.ts";

/** The setting of a row: a count, optionally with a window, for all regions or for each. */
export type RateGiven = Readonly<Partial<Record<RateRegion, Partial<RateSetting>>>>;

const MAX_SCALE = 1_000;
const MIN_HELD = 1_000;
const MAX_HELD = 10_000_000;
const MAX_REQUESTS = 1_000_000_000;
const MAX_SECONDS = 86_400;
const RATE = /^(\d{1,10}) ?\/ ?(\d{1,5})$/;
const ENABLED =
  "count calls and refuse those above a rate limit (§8.5); default: on when hosted, and off in the library and in replays";

const COUNT = integerField({ minimum: 1, maximum: MAX_REQUESTS });
const SECONDS = integerField({ minimum: 1, maximum: MAX_SECONDS });
const NOT_EMPTY = { minProperties: 1 };

/** In text as §8.5 writes it: `count / seconds`. */
const RATE_TEXT = textField({ pattern: RATE.source, title: 'written as "15 / 10"' });
const BOTH = closed({ count: optional(COUNT), seconds: optional(SECONDS) }, NOT_EMPTY);
const RATE_OF_REGION = eitherOf([COUNT, RATE_TEXT, BOTH]);
const PER_REGION = closed({ us: optional(RATE_OF_REGION), eu: optional(RATE_OF_REGION) }, NOT_EMPTY);

/** An object without regions applies to all of them. */
const OBJECT: Field<TypeOf<typeof BOTH> | TypeOf<typeof PER_REGION>> = {
  type: "object",
  if: { properties: { us: false, eu: false } },
  then: BOTH,
  else: PER_REGION,
};

/** Settings of §8.5 other than those of single rows. */
export const RATE_LIMIT_SETTINGS = {
  "rate_limits.enabled": setting<boolean | null>(toggle(), null, ENABLED, { flag: "rate-limits" }),
  "rate_limits.window": setting(
    choice("fixed", "sliding"),
    "fixed",
    "fixed counts from the first request on, sliding counts back from the last",
  ),
  "rate_limits.headers": setting<RateLimitHeaders | null>(
    choice(...RATE_LIMIT_HEADERS),
    null,
    "rate-limit headers of replies; ratelimit also sends Retry-After; the profile decides by default",
  ),
  "rate_limits.scale": setting(positiveNumber(MAX_SCALE), 1, "factor for all counts of the table"),
  "rate_limits.trusted_proxies": setting(
    networks(),
    [],
    "proxies whose X-Forwarded-For names the client: addresses, or networks such as 10.0.0.0/8",
  ),
  "rate_limits.held_at_most": setting(
    integer(MIN_HELD, MAX_HELD),
    RATE_LIMIT_MEMORY.value,
    "maximum number of windows and timestamps in memory",
  ),
};

/** A setting for each row of §8.5, under its name. */
export const RATE_LIMIT_ROW_SETTINGS: readonly [string, Setting][] = RATE_LIMIT_IDS.map((id) => {
  const { category, seconds, identity, isNewer }: RateLimit = RATE_LIMITS[id];
  const source = isNewer ? "in the profile observed" : "§8.5";
  return [
    rateLimitPath(id),
    setting(rate(), null, `${category}, by ${identity}, in ${seconds} seconds (${source})`),
  ];
});

/** Path of the setting of a row in the configuration file. */
export function rateLimitPath(id: RateLimitId): string {
  return `rate_limits.rows.${id}`;
}

/** A count, a text `count / seconds` as in §8.5, or an object of both; us and eu set one region. */
function rate(): Kind<RateGiven> {
  return {
    expects:
      'a count such as 15, "15 / 10" or { count: 15, seconds: 10 } with the seconds too, or an object with these for us and eu',
    schema: eitherOf([COUNT, RATE_TEXT, OBJECT]),
    read(value) {
      if (!isObject(value) || !RATE_REGIONS.some((region) => region in value)) return forAll(readRate(value));
      const rates = Object.entries(value).map(
        ([region, regionValue]) => [region, readRate(regionValue)] as const,
      );
      return rates.every(([, regionRate]) => regionRate) ? Object.fromEntries(rates) : undefined;
    },
    fromText: jsonOrText,
  };
}

function forAll(commonRate: Partial<RateSetting> | undefined): RateGiven | undefined {
  return commonRate && { us: commonRate, eu: commonRate };
}

/** Checks the bounds of a single value; an object has been checked by its schema (`Kind.read`). */
function readRate(value: unknown): Partial<RateSetting> | undefined {
  if (isObject(value)) return value;
  const [, count, seconds] = RATE.exec(String(value)) ?? [];
  const rate =
    typeof value === "number" ? { count: value } : { count: Number(count), seconds: Number(seconds) };
  return isUpTo(MAX_REQUESTS, rate.count) && isUpTo(MAX_SECONDS, rate.seconds ?? 1) ? rate : undefined;
}

function isUpTo(most: number, value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

/** Addresses, or networks with the lengths of their prefixes. */
function networks(): Kind<readonly string[]> {
  const texts = list(TEXT, "IP addresses, or networks such as 10.0.0.0/8");
  return {
    ...texts,
    problemOf: (value) => {
      const bad = texts.read(value)?.find((text) => !isNetwork(text));
      return bad === undefined ? undefined : `${bad} is neither an IP address nor a network`;
    },
  };
}

function isNetwork(text: string): boolean {
  const [address = "", length, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}
