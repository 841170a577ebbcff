import { RATE_REGIONS, type RateRegion } from "../../../contracts/spec/rate-limits/rows.ts";
import type { Instant } from "../../kernel/instant.ts";
import type { RateLimitSettings } from "../settings.ts";
import { type Identified, identityOf } from "./identity.ts";
import { createRowFinder, RATE_ROWS, type RateRow } from "./matching.ts";
import {
  emptyTally,
  isTripped,
  look,
  marksOf,
  passesAt,
  type Taken,
  type Tally,
  take,
  tripTally,
  turnOver,
  type Window,
} from "./tally.ts";

/** What the limiter has to know of a request. */
export interface Call extends Identified {
  readonly region: string;
  readonly method: string;
  readonly path: string;
}

/** What counting a request against its deciding row came to: `count` requests pass in `seconds`. */
export interface Decision extends Taken {
  readonly row: RateRow;
  readonly identity: string;
  readonly count: number;
  readonly seconds: number;
}

/** A row as it applies to a request: looked at, nothing counted. */
export interface Standing {
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
  standings(call: Call, now: Instant): readonly Standing[];
  tally(row: RateRow, region: RateRegion): Tally;
  /** Whether a row counts: all do when limits are on, else those that were changed by hand. */
  enforces(row: RateRow, region: RateRegion, now: Instant): boolean;
  change(row: RateRow, region: RateRegion, change: RowChange, now: Instant): void;
  /** Windows and instants of use that are held. */
  readonly held: number;
  /** Forgets every counter and every change. */
  clear(): void;
  /** Another limiter that goes on from here by itself. */
  copy(): RateLimiter;
}

interface LimiterState {
  /** In the order of the table. */
  readonly tallies: Readonly<Record<RateRegion, Tally[]>>;
  /** Tallies that no copy of this limiter holds: only these may be changed in place. */
  readonly own: Set<Tally>;
  /** Rows whose count or seconds were changed by hand, as `region/row`. */
  readonly changed: Set<string>;
  held: number;
  /** Whether any row was changed or tripped by hand. */
  touched: boolean;
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
    const held = marksOf(tally);
    const { admitted, remaining, resetsAt } = take(tally, identity, now, settings.window);
    // One row alone must not need more: half of it at most is younger than the last turn.
    if (tally.young.marks * 2 > settings.held_at_most) turnOver(tally, now);
    state.held += marksOf(tally) - held;
    if (state.held > settings.held_at_most) holdLess(state, settings.held_at_most, now);
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
      if (!settings.enabled && !state.touched) return undefined;
      const region = regionOf(call.region);
      for (const row of rows.find(call.method, call.path)) {
        const identity = identityOf(row.identity, call);
        if (identity !== undefined)
          return enforces(row, region, now) ? count(row, region, identity, now) : undefined;
      }
      return undefined;
    },
    standings(call, now) {
      const region = regionOf(call.region);
      return rows.find(call.method, call.path).flatMap((row) => {
        const identity = identityOf(row.identity, call);
        if (identity === undefined) return [];
        const tally = tallyOf(row, region);
        const window = look(tally, identity, now);
        const enforced = enforces(row, region, now);
        return [{ row, identity, tally, window, enforced, passesAt: passesAt(tally, window, now) }];
      });
    },
    tally: tallyOf,
    change(row, region, { count, seconds, remaining }, now) {
      const tally = ownTally(state, region, row.index);
      const held = marksOf(tally);
      if (count !== undefined) tally.count = count;
      if (seconds !== undefined) tally.windowMs = seconds * 1000;
      if (count !== undefined || seconds !== undefined) state.changed.add(`${region}/${row.id}`);
      if (remaining !== undefined) tripTally(tally, remaining, now);
      state.held += marksOf(tally) - held;
      state.touched = true;
    },
    get held() {
      return state.held;
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
    own: new Set([...tallies.us, ...tallies.eu]),
    changed: new Set(),
    held: 0,
    touched: false,
  };
}

/** A state for a copy; from here on neither side owns the tallies that both of them hold. */
function shareState(state: LimiterState): LimiterState {
  state.own.clear();
  const { us, eu } = state.tallies;
  const tallies = { us: [...us], eu: [...eu] };
  return { ...state, tallies, own: new Set(), changed: new Set(state.changed) };
}

/** The tally of a row, to be changed: a copy of it when another limiter holds it too. */
function ownTally({ tallies, own }: LimiterState, region: RateRegion, index: number): Tally {
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

function heldBy(tallies: readonly Tally[]): number {
  return tallies.reduce((sum, tally) => sum + marksOf(tally), 0);
}

/** Beyond the bound, the fullest row forgets what it has not seen for longest. */
function holdLess(state: LimiterState, bound: number, now: Instant): void {
  const places = RATE_REGIONS.flatMap((region) => RATE_ROWS.map(({ index }) => ({ region, index })));
  const heldAt = (at: (typeof places)[number]) => marksOf(state.tallies[at.region][at.index] as Tally);
  while (state.held > bound) {
    const { region, index } = places.reduce((a, b) => (heldAt(b) > heldAt(a) ? b : a));
    turnOver(ownTally(state, region, index), now);
    state.held = heldBy(RATE_REGIONS.flatMap((each) => state.tallies[each]));
  }
}
