import type { RateRegion } from "../../../contracts/spec/rate-limits/rows.ts";
import { type AsOf, notYet, type Point } from "../../kernel/as-of.ts";
import type { Commit, Progress } from "../../kernel/commit.ts";
import type { Journal } from "../../kernel/journal.ts";
import type { Records } from "../../kernel/records.ts";
import type { ReplacedRow } from "../../kernel/table.ts";
import type { HistoryTurn } from "../../subjects/control-operation.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";
import type { RateRow } from "../../subjects/rate-limits/matching.ts";

/** A change of the rate limiter between two turns: a counted request, or a row that was changed by a control operation. */
export type LimiterChange = Point &
  (
    | { readonly row: RateRow; readonly region: RateRegion; readonly identity: string }
    | { readonly repeat: (limiter: RateLimiter) => void }
  );

export interface HistorySegment {
  /** The point before the first of them. */
  readonly after: Point;
  readonly turns: HistoryTurn[];
  readonly limiterChanges: LimiterChange[];
  bytes: number;
  /** Bodies that no record has named since one of these turns. */
  readonly bodies: string[];
  /** The records after the last turn of an earlier process. The positions of records differ in the next process. */
  records?: Records;
}

/** The state before the first segment, without the records: these are computed from the present backwards. */
export interface Beginning {
  readonly progress: Progress;
  /** The number of the next trace row. */
  rows: number;
  readonly limiter: RateLimiter;
}

/** The most turns and limiter changes of a segment, which is dropped as a whole. */
export const MAX_SEGMENT_ENTRIES = 1_000;
const ENTRY_BYTES = 100;
/** Bytes of an object, an array or a member, without its text. */
const MEMBER_BYTES = 8;

export function newHistorySegment({ turn, now }: Point): HistorySegment {
  return { after: { turn, now }, turns: [], limiterChanges: [], bytes: 0, bodies: [] };
}

/** Adds a turn. Returns the bytes that are retained only for it. */
export function addTurn({ turns }: HistorySegment, turn: HistoryTurn): number {
  turns.push(turn);
  return ENTRY_BYTES + sizeOfTurn(turn.commit, turn.replaced);
}

/** Adds a change of the limiter. Returns its bytes. */
export function addChange({ limiterChanges }: HistorySegment, change: LimiterChange): number {
  limiterChanges.push(change);
  return ENTRY_BYTES;
}

/** Moves the beginning to the end of a segment. */
export function advance(beginning: Beginning, { turns, limiterChanges }: HistorySegment): void {
  for (const { commit } of turns) beginning.progress.apply(commit);
  beginning.rows = turns.at(-1)?.rows ?? beginning.rows;
  for (const change of limiterChanges) repeat(change, beginning.limiter);
}

/** A copy up to a turn, for another world, which may outlive this one and its bodies. */
export function cut({ records, ...segment }: HistorySegment, turn: number): HistorySegment {
  const turns = segment.turns.filter(({ commit }) => commit.turn <= turn);
  const limiterChanges = segment.limiterChanges.filter((change) => change.turn <= turn);
  const isWhole = turns.length === segment.turns.length;
  return {
    ...segment,
    turns,
    limiterChanges,
    bodies: [...segment.bodies],
    ...(isWhole && records && { records }),
  };
}

export function repeat(change: LimiterChange, limiter: RateLimiter): void {
  if ("repeat" in change) change.repeat(limiter);
  else limiter.count(change.row, change.region, change.identity, change.now);
}

/** The approximate JSON size of the data that is retained only for a turn: the records before it, not those after it. */
function sizeOfTurn({ scheduled = [], effects = [] }: Commit, replacedRows: readonly ReplacedRow[]): number {
  let bytes = MEMBER_BYTES;
  for (const { row } of replacedRows) bytes += sizeOf(row.record);
  for (const { data } of scheduled) bytes += sizeOf(data);
  for (const { data } of effects) bytes += sizeOf(data);
  return bytes;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return MEMBER_BYTES;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = MEMBER_BYTES;
  for (const name in value)
    bytes += MEMBER_BYTES + sizeOf((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}

/** Refuses a turn or an instant that the world has not reached (422). */
export function refuseFuture(at: AsOf, present: Point): void {
  const isReached = "turn" in at ? at.turn <= present.turn : at.instant <= present.now;
  if (!isReached) throw notYet(at, present);
}

/** Resolves a turn or an instant to a point; undefined before the first state. */
export function pointOf(
  at: AsOf,
  segments: readonly HistorySegment[],
  journal: Pick<Journal, "lastOf">,
): Point | undefined {
  if ("turn" in at) {
    const { turn } = at;
    const changed = lastOf(segments, (point) => point.turn <= turn);
    const recorded = journal.lastOf((point) => point.turn <= turn);
    return changed && { turn, now: recorded?.turn === turn ? recorded.now : changed.now };
  }
  const { instant } = at;
  const changed = lastOf(segments, (point) => point.now <= instant);
  const recorded = journal.lastOf((point) => point.now <= instant);
  return changed && { turn: Math.max(changed.turn, recorded?.turn ?? 0), now: instant };
}

/** The last turn, or beginning of a segment, that meets the condition. */
function lastOf(segments: readonly HistorySegment[], holds: (point: Point) => boolean): Point | undefined {
  const segment = segments.findLast(({ after }) => holds(after));
  return segment?.turns.findLast(({ commit }) => holds(commit))?.commit ?? segment?.after;
}
