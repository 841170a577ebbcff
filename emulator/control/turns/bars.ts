import type { Instant } from "../../kernel/instant.ts";

/** An activity with a duration; `to` is null while it is open. */
export interface Bar {
  /** Of a merged bar, the id of the first one. */
  readonly id: string;
  readonly from: Instant;
  readonly to: Instant | null;
  /** Of a merged bar, that of a failed one if there is one. */
  readonly status: string;
  /** The number of merged bars. */
  readonly count?: number;
}

const BAD = /^(?:failed|timed ?out|error|timeout)$/i;

/** The bars that overlap a range, from left to right. */
export function barsIn<B extends Bar>(bars: readonly B[], from: Instant, to: Instant): readonly B[] {
  const overlapping = bars.filter((bar) => bar.from <= to && (bar.to ?? to) >= from);
  return overlapping.sort((a, b) => a.from - b.from);
}

/**
 * At most `most` bars: those that begin in the same cell and end in the same cell, or are open, become one. The cells
 * have the length `stepMs`, or are as long as it takes.
 */
export function mergedBars<B extends Bar>(
  bars: readonly B[],
  stepMs: number,
  most: number,
): readonly (B | Bar)[] {
  if (bars.length <= most) return bars;
  const cells = new Map<string, Bar>();
  for (const bar of bars) {
    const key = `${Math.floor(bar.from / stepMs)} ${bar.to === null ? "" : Math.floor(bar.to / stepMs)}`;
    const first = cells.get(key);
    cells.set(key, first ? mergedBar(first, bar) : bar);
  }
  return cells.size <= most ? [...cells.values()] : mergedBars(bars, 2 * stepMs, most);
}

function mergedBar(first: Bar, { to, status, count = 1 }: Bar): Bar {
  return {
    id: first.id,
    from: first.from,
    to: first.to === null || to === null ? null : Math.max(first.to, to),
    status: BAD.test(status) ? status : first.status,
    count: (first.count ?? 1) + count,
  };
}
