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

/** The request data that the limiter needs. */
export interface Call extends Identified {
  readonly region: string;
  readonly method: string;
  readonly path: string;
}

/** The result of counting a request against its deciding row, which admits `count` requests in `seconds`. */
export interface Decision extends CountResult {
  readonly row: RateRow;
  readonly identity: string;
  readonly count: number;
  readonly seconds: number;
}

/** A row that applies to a request, with its current window; nothing is counted. */
export interface AppliedRow {
  readonly row: RateRow;
  readonly identity: string;
  readonly tally: Tally;
  readonly window: Window;
  readonly enforced: boolean;
  readonly passesAt: Instant;
}

/** A change through the control API; absent members stay unchanged. */
export interface RowChange {
  readonly count?: number;
  readonly seconds?: number;
  /** Requests that each identity has left during the next window. */
  readonly remaining?: number;
}

/** Counts requests by the rows of §8.5; callers pass the virtual time. */
export interface RateLimiter {
  readonly settings: RateLimitSettings;
  /** Counts a request against its deciding row; undefined when that row is not enforced. */
  decide(call: Call, now: Instant): Decision | undefined;
  /** Counts against a row, whether it is enforced or not. */
  count(row: RateRow, region: RateRegion, identity: string, now: Instant): Decision;
  /** The rows that apply to a request, the deciding one first. */
  appliedRows(call: Call, now: Instant): readonly AppliedRow[];
  tally(row: RateRow, region: RateRegion): Tally;
  /** Whether a row is enforced: all are when limits are on, else only changed or tripped rows. */
  enforces(row: RateRow, region: RateRegion, now: Instant): boolean;
  change(row: RateRow, region: RateRegion, change: RowChange, now: Instant): void;
  /** Number of stored windows and marks. */
  readonly storedCount: number;
  /** Removes the counters, the trip and the changes of a row in a region; of all where none is given. */
  clear(row?: RateRow, region?: RateRegion): void;
  /** An independent copy of the current state. */
  copy(): RateLimiter;
}

interface LimiterState {
  /** In the order of the table. */
  readonly tallies: Readonly<Record<RateRegion, Tally[]>>;
  /** Tallies not shared with a copy of this limiter; only these may be mutated (copy on write). */
  readonly ownTallies: Set<Tally>;
  /** Rows whose count or seconds were changed, as `region/row`. */
  readonly changed: Set<string>;
  storedCount: number;
  /** Whether any row was changed or tripped. */
  isChangedByHand: boolean;
}

/** Creates a limiter without counters. */
export function createRateLimiter(settings: RateLimitSettings): RateLimiter {
  return limiterOn(settings, freshState(settings));
}

function limiterOn(settings: RateLimitSettings, initial: LimiterState): RateLimiter {
  let state = initial;
  const rows = createRowFinder(settings);

  function enforces(row: RateRow, region: RateRegion, now: Instant): boolean {
    if (settings.enabled) return true;
    return state.changed.has(`${region}/${row.id}`) || isTripped(tallyOf(state, row, region), now);
  }

  const count: RateLimiter["count"] = (row, region, identity, now) =>
    countAgainst(state, settings, row, region, identity, now);

  return {
    settings,
    enforces,
    count,
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
        const tally = tallyOf(state, row, region);
        const window = peekWindow(tally, identity, now);
        const enforced = enforces(row, region, now);
        return [{ row, identity, tally, window, enforced, passesAt: passesAt(tally, window, now) }];
      });
    },
    tally: (row, region) => tallyOf(state, row, region),
    change: (row, region, change, now) => changeRow(state, row, region, change, now),
    get storedCount() {
      return state.storedCount;
    },
    clear(row, region) {
      if (row && region) clearRow(state, settings, row, region);
      else state = freshState(settings);
    },
    copy: () => limiterOn(settings, shareState(state)),
  };
}

function tallyOf({ tallies }: LimiterState, { index }: RateRow, region: RateRegion): Tally {
  return tallies[region][index] as Tally;
}

function countAgainst(
  state: LimiterState,
  settings: RateLimitSettings,
  row: RateRow,
  region: RateRegion,
  identity: string,
  now: Instant,
): Decision {
  const tally = ownTally(state, region, row.index);
  const marksBefore = markCount(tally);
  const { admitted, remaining, resetsAt } = countRequest(tally, identity, now, settings.window);
  // Keeps a single row within the bound: its young generation holds at most half of it.
  if (tally.young.marks * 2 > settings.held_at_most) rotateGenerations(tally, now);
  state.storedCount += markCount(tally) - marksBefore;
  if (state.storedCount > settings.held_at_most) evictOldest(state, settings.held_at_most, now);
  return { row, identity, admitted, remaining, resetsAt, count: tally.count, seconds: tally.windowMs / 1000 };
}

function changeRow(
  state: LimiterState,
  row: RateRow,
  region: RateRegion,
  { count, seconds, remaining }: RowChange,
  now: Instant,
): void {
  const tally = ownTally(state, region, row.index);
  const marksBefore = markCount(tally);
  if (count !== undefined) tally.count = count;
  if (seconds !== undefined) tally.windowMs = seconds * 1000;
  if (count !== undefined || seconds !== undefined) state.changed.add(`${region}/${row.id}`);
  if (remaining !== undefined) tripTally(tally, remaining, now);
  state.storedCount += markCount(tally) - marksBefore;
  state.isChangedByHand = true;
}

function freshState(settings: RateLimitSettings): LimiterState {
  const talliesOf = (region: RateRegion) => RATE_ROWS.map((row) => freshTally(settings, row, region));
  const tallies = { us: talliesOf("us"), eu: talliesOf("eu") };
  return {
    tallies,
    ownTallies: new Set([...tallies.us, ...tallies.eu]),
    changed: new Set(),
    storedCount: 0,
    isChangedByHand: false,
  };
}

function freshTally({ rows }: RateLimitSettings, { id }: RateRow, region: RateRegion): Tally {
  const { count, seconds } = rows[id][region];
  return emptyTally(count, seconds * 1000);
}

function clearRow(state: LimiterState, settings: RateLimitSettings, row: RateRow, region: RateRegion): void {
  const tally = freshTally(settings, row, region);
  state.storedCount -= markCount(tallyOf(state, row, region));
  state.tallies[region][row.index] = tally;
  state.ownTallies.add(tally);
  state.changed.delete(`${region}/${row.id}`);
}

/** The state of a copy; afterwards all tallies are shared and neither side may mutate them. */
function shareState(state: LimiterState): LimiterState {
  state.ownTallies.clear();
  const { us, eu } = state.tallies;
  const tallies = { us: [...us], eu: [...eu] };
  return { ...state, tallies, ownTallies: new Set(), changed: new Set(state.changed) };
}

/** The tally of a row for mutation; cloned first when it is shared. */
function ownTally({ tallies, ownTallies: own }: LimiterState, region: RateRegion, index: number): Tally {
  const current = tallies[region][index] as Tally;
  if (own.has(current)) return current;
  const copy = structuredClone(current);
  own.add(copy);
  tallies[region][index] = copy;
  return copy;
}

/** §8.5 defines limits for US and EU; other regions use those of the US. */
export function regionOf(name: string): RateRegion {
  return name === "eu" ? "eu" : "us";
}

function markCountOf(tallies: readonly Tally[]): number {
  return tallies.reduce((sum, tally) => sum + markCount(tally), 0);
}

/** Drops the old generation of the fullest row until the stored count is within the bound. */
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
