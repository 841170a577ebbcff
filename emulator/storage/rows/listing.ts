import { firstIndex } from "../../kernel/first-index.ts";
import type { ListedRow, RowRange } from "../../subjects/traces/port.ts";
import type { Pool } from "../pool/pool.ts";
import { instantAt, microsecondsOfDay, withinDay } from "./instants.ts";
import { rowWithTexts } from "./lines.ts";
import { createLineReader, type Segment } from "./segment.ts";
import type { Ranks, SegmentOrder } from "./segment-order.ts";
import { traceWord } from "./sidecar.ts";

/** About 70 bytes each. */
const MAX_HELD_RECORDS = 1_000_000;
const ENDS_OF_TIME = { start: "0001-01-01T00:00:00.000000Z", end: "9999-12-31T23:59:59.999999Z" } as const;

/**
 * Lists a tenant's rows by their start. The orders of segments are retained for the next page. Segments that are added later
 * are listed too. A segment without an order has no rows.
 */
export function createListing(
  pool: Pool,
  segments: readonly Segment[],
  orderOf: (segment: Segment) => SegmentOrder | undefined,
) {
  const bySession = new Map<string, Segment[]>();
  let sortedCount = 0;

  function segmentsOf(sessionId: string): readonly Segment[] {
    for (; sortedCount < segments.length; sortedCount += 1) {
      const segment = segments[sortedCount] as Segment;
      const days = bySession.get(segment.sessionId) ?? [];
      days.splice(daysBefore(days, segment.day), 0, segment);
      bySession.set(segment.sessionId, days);
    }
    return bySession.get(sessionId) ?? [];
  }

  function* listProject(sessionId: string, range: RowRange): Generator<ListedRow> {
    const days = segmentsOf(sessionId);
    for (const segment of range.order === "asc" ? days : [...days].reverse()) {
      const order = mayHold(segment, range) ? orderOf(segment) : undefined;
      if (order) yield* listSegment(pool, segment, order, range);
    }
  }

  return {
    /** The segments of a project from one day to another, both included, in the order of their days. */
    *between(sessionId: string, firstDay: string, lastDay: string): Generator<Segment> {
      const days = segmentsOf(sessionId);
      for (let at = daysBefore(days, firstDay); at < days.length; at += 1) {
        const segment = days[at] as Segment;
        if (segment.day > lastDay) return;
        yield segment;
      }
    },
    list: ({ sessionIds, ...range }: RowRange): Iterable<ListedRow> => {
      const lists = [...new Set(sessionIds)].map((id) => listProject(id, { sessionIds, ...range }));
      return lists.length === 1 ? (lists[0] as Iterable<ListedRow>) : merged(lists, range.order);
    },
  };
}

/** The number of segments of earlier days, in a list in the order of days. */
function daysBefore(days: readonly Segment[], day: string): number {
  return firstIndex(days.length, (at) => (days[at] as Segment).day >= day);
}

/** Caches the orders of segments. The least recently used one is dropped when they have too many records. */
export function cacheOrders<Order extends SegmentOrder>(
  make: (segment: Segment) => Order,
): (segment: Segment) => Order {
  const orders = new Map<Segment, Order>();
  return (segment) => {
    const order = orders.get(segment) ?? make(segment);
    order.follow();
    orders.delete(segment);
    orders.set(segment, order);
    let heldRecords = 0;
    for (const { records } of orders.values()) heldRecords += records;
    for (const [oldest, { records }] of orders) {
      if (heldRecords <= MAX_HELD_RECORDS || oldest === segment) break;
      orders.delete(oldest);
      heldRecords -= records;
    }
    return order;
  };
}

function mayHold({ day }: Segment, { start, end, order, after }: RowRange): boolean {
  if ((start !== undefined && day < start.slice(0, 10)) || (end !== undefined && day > end.slice(0, 10)))
    return false;
  if (after === undefined) return true;
  const pageDay = after.startTime.slice(0, 10);
  return order === "asc" ? day >= pageDay : day <= pageDay;
}

function* listSegment(
  pool: Pool,
  segment: Segment,
  order: SegmentOrder,
  range: RowRange,
): Generator<ListedRow> {
  const { start = ENDS_OF_TIME.start, end = ENDS_OF_TIME.end } = range;
  const { from, until } = withinDay(segment.day, start, end);
  const positions = range.traceId === undefined ? undefined : order.ofTrace(traceWord(range.traceId));
  const ranked: Ranks = positions === undefined ? order : rankedAmong(positions, order);
  const pageStart = pageStartRank(segment, range, ranked);
  let low = ranked.rank(from, "");
  let high = ranked.rank(until, "");
  if (range.order === "asc") low = Math.max(low, pageStart ?? low);
  else high = Math.min(high, pageStart ?? high);
  const { view } = order;
  const readLine = createLineReader(pool, segment);
  const step = range.order === "asc" ? 1 : -1;
  while (low < high) {
    const rank = range.order === "asc" ? low++ : --high;
    const position = ranked.at(rank);
    const offset = view.offset(position);
    const bytes = view.length(position);
    yield {
      // Computed when used: most readers of a list need neither.
      get id() {
        return view.id(position);
      },
      get startTime() {
        return instantAt(segment.day, view.start(position));
      },
      bytes,
      read: () => rowWithTexts(readLine(offset, bytes, view.offset(ranked.at(rank + step)))),
    };
  }
}

function rankedAmong(positions: readonly number[], { view }: SegmentOrder): Ranks {
  return {
    at: (rank) => positions[rank] ?? 0,
    rank(start, id) {
      const rank = positions.findIndex(
        (position) =>
          view.start(position) > start || (view.start(position) === start && view.id(position) >= id),
      );
      return rank < 0 ? positions.length : rank;
    },
  };
}

/** The rank at which the next page starts: of the first row after the cursor or, in descending order, of the cursor itself. */
function pageStartRank({ day }: Segment, { after, order }: RowRange, ranked: Ranks): number | undefined {
  if (after === undefined || after.startTime.slice(0, 10) !== day) return undefined;
  const micros = microsecondsOfDay(after.startTime);
  // "g" sorts after every id, so the row of the cursor itself is skipped.
  return ranked.rank(micros, order === "asc" ? `${after.id}g` : after.id);
}

/** The rows of several lists in one order. */
function* merged(lists: readonly Iterator<ListedRow>[], order: RowRange["order"]): Generator<ListedRow> {
  const queues = lists.map((list) => ({ list, row: list.next().value as ListedRow | undefined }));
  const isFirst = (a: ListedRow, b: ListedRow): boolean =>
    order === "asc" ? isBefore(a, b) : isBefore(b, a);
  for (;;) {
    let first: (typeof queues)[number] | undefined;
    for (const each of queues) if (each.row && (!first?.row || isFirst(each.row, first.row))) first = each;
    if (!first?.row) return;
    yield first.row;
    first.row = first.list.next().value as ListedRow | undefined;
  }
}

function isBefore(a: ListedRow, b: ListedRow): boolean {
  if (a.startTime !== b.startTime) return a.startTime < b.startTime;
  return a.id < b.id;
}
