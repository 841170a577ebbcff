import type { Instant } from "../../kernel/instant.ts";
import { type Bar, barsIn, mergedBars } from "./bars.ts";
import type { Cell } from "./mark-list.ts";
import type { Gap, MarkLane, TurnIndex } from "./turn-index.ts";

/** A bar of an export or a schedule, with its runs or its exports. */
export interface ExportBar extends Bar {
  /** Null for a deleted project. */
  readonly project: string | null;
  readonly interval_hours: number | null;
  readonly parts: readonly BarPart[];
  readonly parts_total: number;
}

/** A run of an export, or an export of a schedule. */
export interface BarPart extends Bar {
  /** What it is, in a few words. */
  readonly label?: string;
  /** When attempts of the run failed. */
  readonly failed?: readonly Instant[];
}

/**
 * A lane with bars; `bars` is absent in a delta if no bar has changed. The total of exports is that of the list of exports,
 * the total of agent runs is the number of those that have started, also of those that were removed since.
 */
export interface BarLane<B extends Bar = Bar> {
  readonly total: number;
  readonly bars?: readonly (B | Bar)[];
}

/** What the time axis draws. Times are Unix milliseconds of virtual time. */
export interface Lanes {
  /** The last turn that it includes. */
  readonly turn: number;
  /** The number of turns, their first and last instant; null without turns. */
  readonly turns: number;
  readonly first: Instant | null;
  readonly last: Instant | null;
  /** The longest times without turns, in order. */
  readonly gaps: readonly Gap[];
  /** The number of turns by cell of the whole time. */
  readonly overview: { readonly step_ms: number; readonly cells: readonly (readonly [Instant, number])[] };
  /** The length of the cells of the lanes. */
  readonly step_ms: number;
  /** Only in a delta: it has the cells from here on, and the first one. Those before are the same as in the last reply. */
  readonly since?: Instant;
  readonly marks: Readonly<Record<MarkLane, { readonly total: number; readonly cells: readonly Cell[] }>>;
  readonly agent_runs: BarLane;
  readonly exports: BarLane<ExportBar>;
}

/** What a request for lanes asks for. */
export interface LanesQuery {
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
  readonly columns: number;
  /** The turn and the cell length of the last reply, for a delta. */
  readonly since?: number | undefined;
  readonly stepMs?: number | undefined;
}

const MAX_GAPS = 8;
const MAX_BARS = 100;
/** Cells have one of four lengths per factor of two, so that a growing world seldom changes it. */
const STEPS_PER_OCTAVE = 4;

/** The bars of exports in a range, or only their number. By default they are computed from the turns. */
export type ExportBars = (
  from: Instant,
  to: Instant,
  stepMs: number,
  isUnchanged: boolean,
) => BarLane<ExportBar>;

/** Summarises the turns of an index in cells, about `columns` of them in each lane. */
export function lanesOf(
  index: TurnIndex,
  query: LanesQuery,
  exportBars: ExportBars = (from, to, stepMs) => barLane(index.moves.export.bars(), from, to, stepMs),
): Lanes {
  const { turns, moves, lastTurn } = index;
  const [first, last] = [turns.at[0] ?? null, turns.at.at(-1) ?? null];
  const gaps = index.longestGaps(MAX_GAPS);
  const [begin, end] = [first ?? 0, last ?? 0];
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, columns } = query;
  const step = stepOf(gaps, Math.max(from, begin), Math.min(to, end), columns);
  const overviewStep = stepOf(gaps, begin, end, columns);
  const since = deltaBegin(index, query, step);
  const cells = (marks: TurnIndex["turns"]) => {
    if (since === undefined) return marks.cells(from, to, step);
    const endOfFirst = Math.min(since, cellBegin(begin, step) + step) - 1;
    return [
      ...marks.cells(from, Math.min(to, endOfFirst), step),
      ...marks.cells(Math.max(from, since), to, step),
    ];
  };
  const isUnchanged = (lastChange: number) => since !== undefined && lastChange <= (query.since ?? 0);
  return {
    ...{ turn: lastTurn, turns: turns.length, first, last, gaps },
    overview: {
      step_ms: overviewStep,
      cells: turns.cells(begin, end, overviewStep).map(({ at, count = 1 }) => [at, count] as const),
    },
    step_ms: step,
    ...(since !== undefined && { since }),
    marks: Object.fromEntries(
      Object.entries(index.marks).map(([lane, marks]) => [
        lane,
        { total: marks.length, cells: cells(marks) },
      ]),
    ) as unknown as Lanes["marks"],
    agent_runs: isUnchanged(moves.agent_run.lastChange)
      ? { total: moves.agent_run.byId.size }
      : barLane(moves.agent_run.bars(), from, to, step),
    exports: exportBars(from, to, step, isUnchanged(index.lastExportTurn)),
  };
}

/** A lane with at most `MAX_BARS` bars. */
export function barLane<B extends Bar>(
  bars: readonly B[],
  from: Instant,
  to: Instant,
  stepMs: number,
): { readonly total: number; readonly bars: readonly (B | Bar)[] } {
  return { total: bars.length, bars: mergedBars(barsIn(bars, from, to), stepMs, MAX_BARS) };
}

/** The length of the cells (whole ms) with which the time between two instants, without gaps, has at most `columns`. */
function stepOf(gaps: readonly Gap[], from: Instant, to: Instant, columns: number): number {
  const idle = gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(gap.to, to) - Math.max(gap.from, from)),
    0,
  );
  const least = Math.max(1, (to - from - idle) / columns);
  return Math.ceil(2 ** (Math.ceil(STEPS_PER_OCTAVE * Math.log2(least)) / STEPS_PER_OCTAVE));
}

/** The begin of the first cell that may have changed since the last reply; undefined where all may have changed. */
function deltaBegin({ turns, lastTurn }: TurnIndex, { since, stepMs }: LanesQuery, step: number) {
  if (since === undefined || stepMs !== step || since > lastTurn) return undefined;
  const at = turns.instantOf(since);
  return at === undefined ? undefined : cellBegin(at, step);
}

function cellBegin(at: Instant, stepMs: number): Instant {
  return Math.floor(at / stepMs) * stepMs;
}
