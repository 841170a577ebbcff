import {
  isNewer,
  matchesOf,
  RATE_LIMITS,
  type RateLimit,
  type RateMatch,
  type RateRegion,
} from "../../../contracts/spec/rate-limits/rows.ts";
import { formatInstant, type Instant } from "../../kernel/instant.ts";
import { shownIdentity } from "./identity.ts";
import { type AppliedRow, type Call, type RateLimiter, regionOf } from "./limiter.ts";
import { RATE_ROWS, type RateRow } from "./matching.ts";
import { isTripped, liveWindows, passesAt, type Tally, type Window } from "./tally.ts";

/** Most identities shown (busiest first) and examined per row and region. */
const IDENTITIES_SHOWN = 20;
const IDENTITIES_READ = 10_000;

/** All rows with their limits and active identities. */
export function limiterView(limiter: RateLimiter, now: Instant) {
  const { enabled, window, headers, trigger_methods, scale } = limiter.settings;
  const rows = RATE_ROWS.filter(({ id }) => limiter.settings.has_newer_rows || !isNewer(id)).map((row) =>
    rowView(limiter, row, now),
  );
  return { enabled, window, headers, trigger_methods, scale, held: limiter.storedCount, rows };
}

/** A row of §8.5 in the form of the control API, with its current counts per region. */
export function rowView(limiter: RateLimiter, row: RateRow, now: Instant) {
  const { identity, category }: RateLimit = RATE_LIMITS[row.id];
  const match = matchTexts(limiter, row);
  const [us, eu] = [regionView(limiter, row, "us", now), regionView(limiter, row, "eu", now)];
  return { row: row.id, match, identity, category, us, eu };
}

function regionView(limiter: RateLimiter, row: RateRow, region: RateRegion, now: Instant) {
  const tally = limiter.tally(row, region);
  const inUse = [];
  let identities = 0;
  for (const entry of liveWindows(tally, now)) {
    identities += 1;
    if (inUse.length < IDENTITIES_READ) inUse.push(entry);
  }
  inUse.sort(([, a], [, b]) => b.used - a.used);
  return {
    count: tally.count,
    seconds: tally.windowMs / 1000,
    enforced: limiter.enforces(row, region, now),
    ...(tally.trip &&
      isTripped(tally, now) && {
        tripped_until: formatInstant(tally.trip.at + tally.windowMs),
        tripped_remaining: Math.max(0, tally.count - tally.trip.used),
      }),
    identities,
    in_use: inUse.slice(0, IDENTITIES_SHOWN).map(([name, window]) => ({
      identity: shownIdentity(row.identity, name),
      ...usageView(tally, window, now),
    })),
  };
}

/** The rows that apply to a request, the deciding one, and when the next such request passes. */
export function explainView(limiter: RateLimiter, call: Call, now: Instant) {
  const appliedRows = limiter.appliedRows(call, now);
  const [deciding] = appliedRows;
  const { method, path } = call;
  return {
    method,
    path,
    region: regionOf(call.region),
    enabled: limiter.settings.enabled,
    passes: deciding === undefined || !deciding.enforced || deciding.window.used < deciding.tally.count,
    deciding: deciding ? appliedRowView(limiter, deciding, now) : null,
    matching: appliedRows.map((appliedRow) => ({
      ...appliedRowView(limiter, appliedRow, now),
      decides: appliedRow === deciding,
    })),
  };
}

function appliedRowView(
  limiter: RateLimiter,
  { row, identity, tally, window, enforced }: AppliedRow,
  now: Instant,
) {
  const { identity: kind, category }: RateLimit = RATE_LIMITS[row.id];
  return {
    row: row.id,
    match: matchTexts(limiter, row),
    category,
    counted_by: kind,
    identity: shownIdentity(kind, identity),
    count: tally.count,
    seconds: tally.windowMs / 1000,
    enforced,
    ...usageView(tally, window, now),
  };
}

function usageView(tally: Tally, window: Window, now: Instant) {
  const next = passesAt(tally, window, now);
  return {
    used: window.used,
    remaining: Math.max(0, tally.count - window.used),
    next_passes_at: formatInstant(next),
    next_passes_in_seconds: (next - now) / 1000,
  };
}

function matchTexts({ settings }: RateLimiter, row: RateRow): readonly string[] {
  return matchesOf(row.id, settings.trigger_methods).map(matchText);
}

/** Formats the match of a row as §8.5 does. */
function matchText({ methods, kind, path }: RateMatch): string {
  const method = methods ? `${methods.join(", ")} ` : "";
  switch (kind) {
    case "any":
      return methods ? methods.join(", ") : "any request";
    case "containing":
      return `${method}containing ${path}`;
    case "ending":
      return `${method}*${path}`;
    case "uuid":
      return `${method}${path}/<uuid>`;
    default:
      return `${method}${path}`;
  }
}
