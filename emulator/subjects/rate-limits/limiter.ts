import { RATE_REGIONS, type RateRegion } from "../../../contracts/spec/rate-limits/rows.ts";
import type { Instant } from "../../kernel/instant.ts";
import type { RateLimitSettings } from "../settings.ts";
import { type Identified, identityOf } from "./identity.ts";
import { createRowFinder, RATE_ROWS, type RateRow } from "./matching.ts";
import {
  type CountResult,
  countRequest,
  emptyTally,
  isTripped,
  markCount,
  passesAt,
  peekWindow,
  rotateGenerations,
  type Tally,
  tripTally,
  type Window,
} from "./tally.ts";

/** What the limiter has to know of a request. */
export interface Call extends Identified {
  readonly region: string;
  readonly method: string;
  readonly path: string;
}

/** What counting a request against its deciding row came to: `count` requests pass in `seconds`. */
export interface Decision extends CountResult {
  readonly row: RateRow;
  readonly identity: string;
  readonly count: number;
  readonly seconds: number;
}

/** A row as it applies to a request: looked at, nothing counted. */
export interface AppliedRow {
  readonly row: RateRow;
  readonly identity: string;
  readonly tally: Tally;
  readonly window: Window;
  readonly enforced: boolean;
  readonly passesAt: Instant;
}

/** What is changed of a row by hand; what is left out stays as it is. */
export interface RowChange {
  readonly count?: number;
  readonly seconds?: number;
  /** Requests that every identity has left for the length of a window from now on. */
  readonly remaining?: number;
}

/** Counts requests by the rows of §8.5 in virtual time; it has no clock of its own. */
export interface RateLimiter {
  readonly settings: RateLimitSettings;
  /** Counts a request against its deciding row; undefined when that row is not enforced. */
  decide(call: Call, now: Instant): Decision | undefined;
  /** The rows that apply to a request, the deciding one first. */
  appliedRows(call: Call, now: Instant): readonly AppliedRow[];
  tally(row: RateRow, region: RateRegion): Tally;
  /** Whether a row counts: all do when limits are on, else those that were changed by hand. */
  enforces(row: RateRow, region: RateRegion, now: Instant): boolean;
  change(row: RateRow, region: RateRegion, change: RowChange, now: Instant): void;
  /** Windows and instants of use that are held. */
  readonly storedCount: number;
  /** Forgets every counter and every change. */
  clear(): void;
  /** Another limiter that goes on from here by itself. */
  copy(): RateLimiter;
}

interface LimiterState {
  /** In the order of the table. */
  readonly tallies: Readonly<Record<RateRegion, Tally[]>>;
  /** Tallies that no copy of this limiter holds: only these may be changed in place. */
  readonly ownTallies: Set<Tally>;
  /** Rows whose count or seconds were changed by hand, as `region/row`. */
  readonly changed: Set<string>;
  storedCount: number;
  /** Whether any row was changed or tripped by hand. */
  isChangedByHand: boolean;
}

/** A limiter that has counted nothing yet. */
export function createRateLimiter(settings: RateLimitSettings): RateLimiter {
  return limiterOn(settings, freshState(settings));
}

function limiterOn(settings: RateLimitSettings, initial: LimiterState): RateLimiter {
  let state = initial;
  const rows = createRowFinder();

  function tallyOf({ index }: RateRow, region: RateRegion): Tally {
    return state.tallies[region][index] as Tally;
  }

  function enforces(row: RateRow, region: RateRegion, now: Instant): boolean {
    if (settings.enabled) return true;
    return state.changed.has(`${region}/${row.id}`) || isTripped(tallyOf(row, region), now);
  }

  function count(row: RateRow, region: RateRegion, identity: string, now: Instant): Decision {
    const tally = ownTally(state, region, row.index);
    const held = markCount(tally);
    const { admitted, remaining, resetsAt } = countRequest(tally, identity, now, settings.window);
    // One row alone must not need more: half of it at most is younger than the last turn.
    if (tally.young.marks * 2 > settings.held_at_most) rotateGenerations(tally, now);
    state.storedCount += markCount(tally) - held;
    if (state.storedCount > settings.held_at_most) evictOldest(state, settings.held_at_most, now);
    return {
      row,
      identity,
      admitted,
      remaining,
      resetsAt,
      count: tally.count,
      seconds: tally.windowMs / 1000,
    };
  }

  return {
    settings,
    enforces,
    decide(call, now) {
      if (!settings.enabled && !state.isChangedByHand) return undefined;
      const region = regionOf(call.region);
      for (const row of rows.find(call.method, call.path)) {
        const identity = identityOf(row.identity, call);
        if (identity !== undefined)
          return enforces(row, region, now) ? count(row, region, identity, now) : undefined;
      }
      return undefined;
    },
    appliedRows(call, now) {
      const region = regionOf(call.region);
      return rows.find(call.method, call.path).flatMap((row) => {
        const identity = identityOf(row.identity, call);
        if (identity === undefined) return [];
        const tally = tallyOf(row, region);
        const window = peekWindow(tally, identity, now);
        const enforced = enforces(row, region, now);
        return [{ row, identity, tally, window, enforced, passesAt: passesAt(tally, window, now) }];
      });
    },
    tally: tallyOf,
    change(row, region, { count, seconds, remaining }, now) {
      const tally = ownTally(state, region, row.index);
      const held = markCount(tally);
      if (count !== undefined) tally.count = count;
      if (seconds !== undefined) tally.windowMs = seconds * 1000;
      if (count !== undefined || seconds !== undefined) state.changed.add(`${region}/${row.id}`);
      if (remaining !== undefined) tripTally(tally, remaining, now);
      state.storedCount += markCount(tally) - held;
      state.isChangedByHand = true;
    },
    get storedCount() {
      return state.storedCount;
    },
    clear() {
      state = freshState(settings);
    },
    copy: () => limiterOn(settings, shareState(state)),
  };
}

function freshState({ rows }: RateLimitSettings): LimiterState {
  const talliesOf = (region: RateRegion) =>
    RATE_ROWS.map(({ id }) => {
      const { count, seconds } = rows[id][region];
      return emptyTally(count, seconds * 1000);
    });
  const tallies = { us: talliesOf("us"), eu: talliesOf("eu") };
  return {
    tallies,
    ownTallies: new Set([...tallies.us, ...tallies.eu]),
    changed: new Set(),
    storedCount: 0,
    isChangedByHand: false,
  };
}

/** A state for a copy; from here on neither side owns the tallies that both of them hold. */
function shareState(state: LimiterState): LimiterState {
  state.ownTallies.clear();
  const { us, eu } = state.tallies;
  const tallies = { us: [...us], eu: [...eu] };
  return { ...state, tallies, ownTallies: new Set(), changed: new Set(state.changed) };
}

/** The tally of a row, to be changed: a copy of it when another limiter holds it too. */
function ownTally({ tallies, ownTallies: own }: LimiterState, region: RateRegion, index: number): Tally {
  const found = tallies[region][index] as Tally;
  if (own.has(found)) return found;
  const tally = structuredClone(found);
  own.add(tally);
  tallies[region][index] = tally;
  return tally;
}

/** §8.5 has limits for two regions: those of the US are taken for any that is not the EU. */
export function regionOf(name: string): RateRegion {
  return name === "eu" ? "eu" : "us";
}

function markCountOf(tallies: readonly Tally[]): number {
  return tallies.reduce((sum, tally) => sum + markCount(tally), 0);
}

/** Beyond the bound, the fullest row forgets what it has not seen for longest. */
function evictOldest(state: LimiterState, bound: number, now: Instant): void {
  const counters = RATE_REGIONS.flatMap((region) => RATE_ROWS.map(({ index }) => ({ region, index })));
  const markCountAt = (at: (typeof counters)[number]) =>
    markCount(state.tallies[at.region][at.index] as Tally);
  while (state.storedCount > bound) {
    const { region, index } = counters.reduce((a, b) => (markCountAt(b) > markCountAt(a) ? b : a));
    rotateGenerations(ownTally(state, region, index), now);
    state.storedCount = markCountOf(RATE_REGIONS.flatMap((each) => state.tallies[each]));
  }
}
