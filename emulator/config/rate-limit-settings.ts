import { isIP } from "node:net";
import {
  RATE_LIMIT_IDS,
  RATE_LIMIT_MEMORY,
  RATE_LIMITS,
  RATE_REGIONS,
  type RateLimit,
  type RateLimitId,
  type RateRegion,
} from "../../contracts/spec/rate-limits/rows.ts";
import type { RateSetting } from "../subjects/settings.ts";
import { choice, integer, isObject, type Kind, list, positiveNumber, toggle } from "./kinds.ts";
import { type Setting, setting } from "./setting.ts";

/** What a user gives for a row: in some regions or in all, the count alone or the window too. */
export type RateGiven = Readonly<Partial<Record<RateRegion, Partial<RateSetting>>>>;

const MAX_SCALE = 1_000;
const LEAST_HELD = 1_000;
const MOST_HELD = 10_000_000;
const MOST_REQUESTS = 1_000_000_000;
const MOST_SECONDS = 86_400;
const RATE = /^(\d{1,10}) ?\/ ?(\d{1,5})$/;
const ENABLED = "whether calls are counted (§8.5): by default when hosted";

/** §8.5 as a whole; the rows of its table have settings of their own. */
export const RATE_LIMIT_SETTINGS = {
  "rate_limits.enabled": setting<boolean | null>(toggle(), null, ENABLED, { flag: "rate-limits" }),
  "rate_limits.window": setting(
    choice("fixed", "sliding"),
    "fixed",
    "fixed counts from the first request on, sliding counts back from the last",
  ),
  "rate_limits.headers": setting(
    choice("none", "retry-after", "x-ratelimit"),
    "none",
    "what replies say of the limit",
  ),
  "rate_limits.scale": setting(
    positiveNumber(MAX_SCALE),
    1,
    "what the counts of the table are multiplied with",
  ),
  "rate_limits.trusted_proxies": setting(
    list(network(), "addresses"),
    [],
    "proxies whose X-Forwarded-For names the client: addresses, or networks such as 10.0.0.0/8",
  ),
  "rate_limits.held_at_most": setting(
    integer(LEAST_HELD, MOST_HELD),
    RATE_LIMIT_MEMORY.value,
    "windows and instants of use that are held in memory",
  ),
};

/** A setting for each row of §8.5, under its name. */
export const RATE_LIMIT_ROW_SETTINGS: readonly [string, Setting][] = RATE_LIMIT_IDS.map((id) => {
  const { category, seconds, identity }: RateLimit = RATE_LIMITS[id];
  return [
    rateLimitPath(id),
    setting(rate(), null, `${category}, by ${identity}, in ${seconds} seconds (§8.5)`),
  ];
});

/** Path of the setting of a row in the configuration file. */
export function rateLimitPath(id: RateLimitId): string {
  return `rate_limits.rows.${id}`;
}

/** A count, or as §8.5 writes it `count / seconds`, or an object of both; us and eu give one to a region. */
function rate(): Kind<RateGiven> {
  const count = { type: "integer", minimum: 1, maximum: MOST_REQUESTS };
  const seconds = { type: "integer", minimum: 1, maximum: MOST_SECONDS };
  const both = {
    type: "object",
    properties: { count, seconds },
    minProperties: 1,
    additionalProperties: false,
  };
  const one = { anyOf: [count, { type: "string", pattern: RATE.source }, both] };
  const regions = { us: one, eu: one };
  const perRegion = { type: "object", properties: regions, minProperties: 1, additionalProperties: false };
  return {
    expects:
      'a count such as 15, "15 / 10" or { count: 15, seconds: 10 } with the seconds too, or an object with these for us and eu',
    schema: { anyOf: [...one.anyOf, perRegion] },
    read(value) {
      const forAll = readRate(value);
      if (forAll) return { us: forAll, eu: forAll };
      if (!isObject(value)) return undefined;
      const given = Object.entries(value).map(([region, text]) => [region, readRate(text)] as const);
      const isKnown = given.every(([region, one]) => RATE_REGIONS.some((known) => known === region) && one);
      return isKnown && given.length > 0 ? Object.fromEntries(given) : undefined;
    },
    fromText(text) {
      if (/^\d+$/.test(text)) return Number(text);
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    },
  };
}

function readRate(value: unknown): Partial<RateSetting> | undefined {
  if (typeof value === "number") return isCount(value) ? { count: value } : undefined;
  if (isObject(value)) return readBoth(value);
  const [, count, seconds] = RATE.exec(String(value)) ?? [];
  return readBoth({ count: Number(count), seconds: Number(seconds) });
}

function readBoth(given: Readonly<Record<string, unknown>>): Partial<RateSetting> | undefined {
  const { count, seconds, ...unknown } = given;
  const isKnown = Object.keys(unknown).length === 0 && Object.keys(given).length > 0;
  const isSound = (count === undefined || isCount(count)) && (seconds === undefined || isSeconds(seconds));
  return isKnown && isSound ? (given as Partial<RateSetting>) : undefined;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_REQUESTS;
}

function isSeconds(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_SECONDS;
}

/** An address, or a network with the length of its prefix. */
function network(): Kind<string> {
  return {
    expects: "an IP address, or a network such as 10.0.0.0/8",
    schema: { type: "string", minLength: 2 },
    read: (value) => (typeof value === "string" && isNetwork(value) ? value : undefined),
    fromText: (text) => text,
  };
}

function isNetwork(text: string): boolean {
  const [address = "", length, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128));
}
