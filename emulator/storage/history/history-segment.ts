import type { RateRegion } from "../../../contracts/spec/rate-limits/rows.ts";
import type { Point } from "../../kernel/as-of.ts";
import type { Commit, Progress } from "../../kernel/commit.ts";
import type { Records } from "../../kernel/records.ts";
import type { ReplacedRow } from "../../kernel/table.ts";
import type { RateLimiter } from "../../subjects/rate-limits/limiter.ts";
import type { RateRow } from "../../subjects/rate-limits/matching.ts";

/** A turn that left something behind. */
export interface HistoryTurn {
  /** Without changes for one that only wrote trace rows. */
  readonly commit: Commit;
  /** The number of the row after its last one. */
  readonly rows: number;
  /** What leads back to the state before it. */
  readonly replaced: readonly ReplacedRow[];
}

/** What has become of the rate limiter between a turn and the next one: a request was counted, or a row changed by hand. */
export type LimiterChange = Point &
  (
    | { readonly row: RateRow; readonly region: RateRegion; readonly identity: string }
    | { readonly repeat: (limiter: RateLimiter) => void }
  );

/** Turns that follow on each other. */
export interface HistorySegment {
  /** Where the world stood before the first of them. */
  readonly after: Point;
  readonly turns: HistoryTurn[];
  readonly counted: LimiterChange[];
  bytes: number;
  /** Bodies that no record names since one of these turns. */
  readonly bodies: string[];
  /** The records after the last of them, where an earlier process ended: those of the next one have other places. */
  records?: Records;
}

/** What segments follow on, beside the records: these are found from the present backwards. */
export interface Beginning {
  readonly progress: Progress;
  /** The number of the next trace row. */
  rows: number;
  readonly limiter: RateLimiter;
}

/** So many turns or counted requests are given up together. */
export const MAX_SEGMENT_ENTRIES = 1_000;
const ENTRY_BYTES = 100;
/** Bytes of an object, an array or a member, without its text. */
const MEMBER_BYTES = 8;

export function newHistorySegment({ turn, now }: Point): HistorySegment {
  return { after: { turn, now }, turns: [], counted: [], bytes: 0, bodies: [] };
}

/** Adds a turn; answers how many bytes are kept for it alone. */
export function addTurn({ turns }: HistorySegment, turn: HistoryTurn): number {
  turns.push(turn);
  return ENTRY_BYTES + sizeOfTurn(turn.commit, turn.replaced);
}

/** Adds a change of the limiter; answers how many bytes it takes. */
export function addChange({ counted }: HistorySegment, change: LimiterChange): number {
  counted.push(change);
  return ENTRY_BYTES;
}

/** The beginning is moved to the end of a segment. */
export function pass(beginning: Beginning, { turns, counted }: HistorySegment): void {
  for (const { commit } of turns) beginning.progress.apply(commit);
  beginning.rows = turns.at(-1)?.rows ?? beginning.rows;
  for (const change of counted) repeat(change, beginning.limiter);
}

/** For another world, which may outlive the one that it is of and its bodies. */
export function cut({ records, ...segment }: HistorySegment, turn: number): HistorySegment {
  const turns = segment.turns.filter(({ commit }) => commit.turn <= turn);
  const counted = segment.counted.filter((change) => change.turn <= turn);
  const isWhole = turns.length === segment.turns.length;
  return { ...segment, turns, counted, bodies: [...segment.bodies], ...(isWhole && records && { records }) };
}

export function repeat(change: LimiterChange, limiter: RateLimiter): void {
  if ("repeat" in change) change.repeat(limiter);
  else limiter.count(change.row, change.region, change.identity, change.now);
}

/** About how many bytes, as JSON, are kept for a turn alone: not the records that it left, but those before it. */
function sizeOfTurn({ scheduled = [], effects = [] }: Commit, replaced: readonly ReplacedRow[]): number {
  let bytes = MEMBER_BYTES;
  for (const { row } of replaced) bytes += sizeOf(row.record);
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
