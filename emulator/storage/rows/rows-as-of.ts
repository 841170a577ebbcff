import { historyIsReadOnly } from "../../kernel/as-of.ts";
import type { Partition, TraceScope, TraceStore } from "../../subjects/traces/port.ts";
import type { NamedRows } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { namesAsOf } from "./image.ts";
import { cacheOrders, createListing } from "./listing.ts";
import { isUuid } from "./paths.ts";
import type { PartitionSource } from "./plan.ts";
import { type RowPosition, readVersion, type Scope } from "./scope.ts";
import {
  countBelow,
  type Extent,
  endOfLine,
  extentsOf,
  readRecords,
  type Segment,
  someRecord,
} from "./segment.ts";
import type { SidecarView } from "./sidecar.ts";
import { sizesBelow } from "./sizes.ts";

/** The trace rows of a world, now or at an earlier turn. */
export interface RowView extends TraceStore {
  /** Identifies its world for the encoder threads, which read its files. */
  readonly key: string;
  /** Where the rows of a partition are. Pending rows are written first. */
  location(partition: Partition): PartitionSource;
  /** All row files. */
  names(): NamedRows;
  /** The rows with numbers below the mark. Valid while this world is in use. */
  asOf(mark: number): RowView;
}

/** The live rows, from which earlier ones are read. */
export interface RowsAsOfParts {
  readonly pool: Pool;
  readonly live: Omit<RowView, "asOf"> & { appendToFiles(): void };
  readonly scopeOf: (scope: TraceScope) => Scope;
  /** The segments of all tenants. */
  readonly allSegments: () => readonly Segment[];
}

/**
 * The rows of a world with numbers below a mark. They need no index of their own: the newest version now leads to the newest version
 * then, because every record names the one that it replaces.
 */
export function rowsAsOf(parts: RowsAsOfParts, mark: number): RowView {
  const { pool, live, scopeOf, allSegments } = parts;
  const scopes = new Map<Scope, ScopeAsOf>();

  function earlierScope(scope: TraceScope): ScopeAsOf {
    const present = scopeOf(scope);
    const earlier = scopes.get(present) ?? scopeAsOf(pool, present, mark);
    scopes.set(present, earlier);
    return earlier;
  }

  const asOf = (earlier: number): RowView => rowsAsOf(parts, Math.min(earlier, mark));
  const key = `${live.key}@${mark}`;

  return {
    key,
    location(partition) {
      live.appendToFiles();
      const { root, id } = pool;
      return { world: key, root, id, rowFiles: earlierScope(partition).rowFiles(partition) };
    },
    names() {
      live.appendToFiles();
      return namesAsOf(live.names(), mark);
    },
    write: () => {
      throw historyIsReadOnly();
    },
    read: (scope, id) => (isUuid(id) ? earlierScope(scope).read(id) : undefined),
    readAsOf: (scope, id, earlier) => asOf(earlier).read(scope, id),
    list: (scope, range) => earlierScope(scope).list(range),
    mark: () => mark,
    days(scope, sessionId, start, end) {
      const rows = earlierScope(scope).list({ sessionIds: [sessionId], start, end, order: "asc" });
      const days = new Set<string>();
      for (const { startTime } of rows) days.add(startTime.slice(0, 10));
      return [...days];
    },
    stats() {
      live.appendToFiles();
      return sizesBelow(pool, allSegments(), mark);
    },
    asOf,
  };
}

type ScopeAsOf = ReturnType<typeof scopeAsOf>;

function scopeAsOf(pool: Pool, live: Scope, mark: number) {
  const counts = new Map<Segment, number>();
  const movedRow = movedRows(pool, live, countOf);
  const order = cacheOrders((segment) => live.order(segment).asOf(countOf(segment)));
  const listing = createListing(pool, live.segments, (each) => (countOf(each) > 0 ? order(each) : undefined));

  function countOf(segment: Segment): number {
    const count = counts.get(segment) ?? countBelow(pool, segment, mark);
    counts.set(segment, count);
    return count;
  }

  function find(id: string): RowPosition | undefined {
    const newest = live.find(id);
    if (!newest) return undefined;
    const { segment } = newest;
    const count = countOf(segment);
    const position = versionBelow(pool, newest, count);
    return position < 0 ? movedRow(id) : { segment, position };
  }

  return {
    read(id: string) {
      const position = find(id);
      return position && readVersion(pool, position);
    },
    list: listing.list,
    rowFiles({ sessionId, day }: Partition): readonly Extent[] {
      const segment = live.segment(sessionId, day);
      return segment ? filesBelow(pool, segment, countOf(segment)) : [];
    },
  };
}

/** Finds rows that have moved to another segment since. Records that were appended later are searched with the next call. */
function movedRows(pool: Pool, { segments }: Scope, countOf: (segment: Segment) => number) {
  const positions = new Map<string, RowPosition>();
  const searchedRecords = new Map<Segment, number>();
  return (id: string): RowPosition | undefined => {
    for (const segment of segments) {
      const count = countOf(segment);
      const take = (view: SidecarView, at: number): boolean => {
        const position = view.previous(at);
        if (view.length(at) > 0) return false;
        const earlier = { segment, position: versionBelow(pool, { segment, position }, count) };
        if (earlier.position >= 0) positions.set(view.id(at), earlier);
        return false;
      };
      someRecord(pool, segment, take, searchedRecords.get(segment) ?? count);
      searchedRecords.set(segment, segment.records);
    }
    return positions.get(id);
  };
}

/** The version of a row among the first records of its segment; -1 if it has none there. */
function versionBelow(pool: Pool, { segment, position }: RowPosition, count: number): number {
  let version = position;
  while (version >= count) version = readRecords(pool, segment, version, 1).previous(0);
  return version;
}

/** The files with the first records of a segment. */
function filesBelow(pool: Pool, segment: Segment, count: number): readonly Extent[] {
  if (count === 0) return [];
  const rowFiles = segment.rowFiles.filter(({ firstRecord }) => firstRecord < count);
  return extentsOf({ rowFiles, filedRecords: count, filedBytes: endOfLine(pool, segment, count - 1) });
}
