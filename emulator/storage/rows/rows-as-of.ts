import { historyIsReadOnly } from "../../kernel/as-of.ts";
import type { Partition, TraceScope } from "../../subjects/traces/port.ts";
import type { Pool } from "../pool/pool.ts";
import { namesAsOf } from "./image.ts";
import { createListing, keepingOrders } from "./listing.ts";
import { isUuid } from "./paths.ts";
import type { LocatedFile } from "./plan.ts";
import type { RowView } from "./row-view.ts";
import type { Scope } from "./scope.ts";
import { extentsOf, readRecords, type Segment, someRecord } from "./segment.ts";
import type { SidecarView } from "./sidecar.ts";
import { type RowPosition, readVersion } from "./version.ts";

/** What the rows of the past are seen through. */
export interface RowsAsOfParts {
  readonly pool: Pool;
  readonly live: Omit<RowView, "asOf"> & { appendToFiles(): void };
  readonly scopeOf: (scope: TraceScope) => Scope;
}

/**
 * The rows of a world as they were when the next row got this number. Nothing is indexed again: what is newest now leads to
 * what was newest then, since every record names the one that it replaces.
 */
export function rowsAsOf({ pool, live, scopeOf }: RowsAsOfParts, mark: number): RowView {
  const scopes = new Map<Scope, ScopeAsOf>();

  function of(scope: TraceScope): ScopeAsOf {
    const present = scopeOf(scope);
    const known = scopes.get(present) ?? scopeAsOf(pool, present, mark);
    scopes.set(present, known);
    return known;
  }

  return {
    key: `${live.key}@${mark}`,
    rowFiles(partition) {
      live.appendToFiles();
      return of(partition).rowFiles(partition);
    },
    names() {
      live.appendToFiles();
      return namesAsOf(live.names(), mark);
    },
    write: () => {
      throw historyIsReadOnly();
    },
    read: (scope, id) => (isUuid(id) ? of(scope).read(id) : undefined),
    readAsOf: (scope, id, earlier) => live.readAsOf(scope, id, Math.min(earlier, mark)),
    list: (scope, range) => of(scope).list(range),
    mark: () => mark,
    days(scope, sessionId, start, end) {
      const listed = of(scope).list({ sessionIds: [sessionId], start, end, order: "asc" });
      const days = new Set<string>();
      for (const { startTime } of listed) days.add(startTime.slice(0, 10));
      return [...days];
    },
    stats: () => ({ rows: mark, bytes: live.stats().bytes }),
    asOf: (earlier) => rowsAsOf({ pool, live, scopeOf }, Math.min(earlier, mark)),
  };
}

interface ScopeAsOf extends Pick<Scope, "read" | "list"> {
  rowFiles(partition: Partition): readonly LocatedFile[];
}

function scopeAsOf(pool: Pool, live: Scope, mark: number): ScopeAsOf {
  const counts = new Map<Segment, number>();
  const left = placesLeft(pool, live, countOf);
  const order = keepingOrders((segment) => live.order(segment).asOf(countOf(segment)));
  const listing = createListing(pool, live.segments, (each) => (countOf(each) > 0 ? order(each) : undefined));

  function countOf(segment: Segment): number {
    const known = counts.get(segment) ?? countBelow(pool, segment, mark);
    counts.set(segment, known);
    return known;
  }

  function place(id: string): RowPosition | undefined {
    const newest = live.place(id);
    if (!newest) return undefined;
    const { segment } = newest;
    const count = countOf(segment);
    const position = versionBelow(pool, newest, count);
    return position < 0 ? left(id) : { segment, position };
  }

  return {
    read(id) {
      const found = place(id);
      return found && readVersion(pool, found);
    },
    list: listing.list,
    rowFiles({ sessionId, day }) {
      const segment = live.segment(sessionId, day);
      return segment ? filesBelow(pool, segment, countOf(segment)) : [];
    },
  };
}

/** Where rows were that have left their segment since; what is appended later is looked through when the next one is asked for. */
function placesLeft(pool: Pool, { segments }: Scope, countOf: (segment: Segment) => number) {
  const places = new Map<string, RowPosition>();
  const seen = new Map<Segment, number>();
  return (id: string): RowPosition | undefined => {
    for (const segment of segments) {
      const count = countOf(segment);
      const take = (view: SidecarView, at: number): boolean => {
        const position = view.previous(at);
        if (view.length(at) > 0) return false;
        const found = { segment, position: versionBelow(pool, { segment, position }, count) };
        if (found.position >= 0) places.set(view.id(at), found);
        return false;
      };
      someRecord(pool, segment, take, seen.get(segment) ?? count);
      seen.set(segment, segment.records);
    }
    return places.get(id);
  };
}

/** The version of a row among the first records of its segment; -1 for one that was not there. */
function versionBelow(pool: Pool, { segment, position }: RowPosition, count: number): number {
  let found = position;
  while (found >= count) found = readRecords(pool, segment, found, 1).previous(0);
  return found;
}

/** How many records of a segment are numbered below a mark; a mark is most often behind all that is there. */
function countBelow(pool: Pool, segment: Segment, mark: number): number {
  const isBelow = (at: number): boolean => readRecords(pool, segment, at, 1).sequence(0) < mark;
  let [low, high] = [0, segment.records];
  if (high === 0 || isBelow(high - 1)) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The files in which the first records of a segment lie. */
function filesBelow(pool: Pool, segment: Segment, count: number): readonly LocatedFile[] {
  if (count === 0) return [];
  const last = readRecords(pool, segment, count - 1, 1);
  const rowFiles = segment.rowFiles.filter(({ firstRecord }) => firstRecord < count);
  const filed = { rowFiles, filedRecords: count, filedBytes: last.offset(0) + last.length(0) };
  return extentsOf(filed).map(({ file, ...extent }) => ({ ...extent, path: pool.path(file) }));
}
