import type { ListedRow, RowRange, TraceScope } from "../../subjects/traces/port.ts";
import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import type { Pool } from "../pool/pool.ts";
import { IdIndex } from "./id-index.ts";
import type { Rows } from "./image.ts";
import { dayOf, microsecondsOfDay, withinDay } from "./instants.ts";
import { rowOf, writeRow } from "./lines.ts";
import { cacheOrders, createListing } from "./listing.ts";
import {
  addRecord,
  createSegment,
  readLine,
  readRecords,
  type Segment,
  sealedSegment,
  someRecord,
  waitingOf,
} from "./segment.ts";
import { createSegmentOrder } from "./segment-order.ts";
import { RECORD_BYTES, traceWord } from "./sidecar.ts";

/** A replaced version of a row whose newest version is in another segment. */
interface MovedVersion {
  readonly segment: Segment;
  readonly id: string;
  readonly position: number;
}

interface LoadedScope {
  readonly pool: Pool;
  readonly scope: TraceScope;
  readonly index: IdIndex;
  readonly segments: Segment[];
  readonly byName: Map<string, Segment>;
}

function nameOf(sessionId: string, day: string): string {
  return `${sessionId}/${day}`;
}

function addSegment({ segments, byName, scope }: LoadedScope, sessionId: string, day: string): Segment {
  const { region, tenantId } = scope;
  const segment = createSegment(segments.length, { region, tenantId, sessionId, day });
  segments.push(segment);
  byName.set(nameOf(sessionId, day), segment);
  return segment;
}

function isOf(segment: Segment | undefined, { session_id, start_time }: StoredRow): segment is Segment {
  return segment?.sessionId === session_id && start_time.startsWith(segment.day);
}

/** Adds a row to its segment. Returns the version that another segment has of it. */
function addRow(
  { index, segments }: LoadedScope,
  segment: Segment,
  row: StoredRow,
  sequence: number,
): MovedVersion | undefined {
  const { id } = row;
  const entry = index.find(id);
  const from = entry < 0 ? undefined : segments[index.segmentOf(entry)];
  const position = entry < 0 ? -1 : index.positionOf(entry);
  const previous = from === segment ? position : -1;
  const offset = segment.dataBytes;
  const length = writeRow(waitingOf(segment).lines, row, { sequence, previous });
  index.put(segment.number, segment.records);
  addRecord(segment, length, {
    id,
    start: microsecondsOfDay(row.start_time),
    offset,
    length,
    previous,
    sequence,
    trace: traceWord(row.trace_id),
  });
  if (from === segment) return undefined;
  segment.live += 1;
  if (from === undefined) return undefined;
  from.live -= 1;
  return { segment: from, id, position };
}

/** Adds a tombstone to the segment that a row has left. */
function addTombstone({ segment, id, position: previous }: MovedVersion, sequence: number): void {
  const offset = segment.dataBytes;
  addRecord(segment, 0, { id, start: 0, offset, length: 0, previous, sequence, trace: 0 });
}

/** Whether a segment has current rows that begin in a window. */
function hasRowsIn({ pool, index }: LoadedScope, segment: Segment, start: string, end: string): boolean {
  if (segment.live === 0) return false;
  const { from, until } = withinDay(segment.day, start, end);
  if (from === 0 && dayOf(end) > segment.day) return true;
  return someRecord(pool, segment, (view, at, position) => {
    if (view.length(at) === 0 || view.start(at) < from || view.start(at) >= until) return false;
    const entry = index.findBytes(view.bytes, at * RECORD_BYTES);
    return index.segmentOf(entry) === segment.number && index.positionOf(entry) === position;
  });
}

/** All rows of one tenant in one region of a world. */
export type Scope = ReturnType<typeof openScope>;

/** Takes ownership of `rows` and its segments. */
export function openScope(
  pool: Pool,
  scope: TraceScope,
  rows: Rows = { index: new IdIndex(), segments: [] },
) {
  const segments = [...rows.segments];
  const byName = new Map(segments.map((each) => [nameOf(each.sessionId, each.day), each]));
  const loadedScope: LoadedScope = { pool, scope, index: rows.index, segments, byName };
  const { index } = loadedScope;
  /** The segment of the last written row, which the next row mostly belongs to as well. */
  let latest: Segment | undefined;
  const order = cacheOrders((segment) => createSegmentOrder(pool, segment));
  const listing = createListing(pool, segments, (each) => (each.live === 0 ? undefined : order(each)));

  function find(id: string): RowPosition | undefined {
    const entry = index.find(id);
    if (entry < 0) return undefined;
    return { segment: segments[index.segmentOf(entry)] as Segment, position: index.positionOf(entry) };
  }

  function segmentOf({ session_id, start_time }: StoredRow): Segment {
    const day = dayOf(start_time);
    return byName.get(nameOf(session_id, day)) ?? addSegment(loadedScope, session_id, day);
  }

  return {
    segments,
    segment: (sessionId: string, day: string): Segment | undefined => byName.get(nameOf(sessionId, day)),
    list: (range: RowRange): Iterable<ListedRow> => listing.list(range),
    /** The position of the newest version of a row. */
    find,
    order,
    read(id: string): StoredRow | undefined {
      const position = find(id);
      return position && readVersion(pool, position);
    },
    /** The current rows, for forks. No row may be pending. */
    sealed: (mark: number): Rows => ({
      index: index.copy(),
      segments: segments.map((each) => sealedSegment(each, mark)),
    }),
    /** Adds the rows in memory, numbered from `sequence` on. Returns the changed segments. */
    write(newRows: readonly StoredRow[], sequence: number): Iterable<Segment> {
      const changed = new Set<Segment>();
      const moved: MovedVersion[] = [];
      for (const [at, row] of newRows.entries()) {
        latest = isOf(latest, row) ? latest : segmentOf(row);
        changed.add(latest);
        const movedVersion = addRow(loadedScope, latest, row, sequence + at);
        if (movedVersion) moved.push(movedVersion);
      }
      for (const each of moved) {
        changed.add(each.segment);
        addTombstone(each, sequence + newRows.length - 1);
      }
      return changed;
    },
    days(sessionId: string, start: string, end: string): readonly string[] {
      return [...listing.between(sessionId, dayOf(start), dayOf(end))]
        .filter((segment) => hasRowsIn(loadedScope, segment, start, end))
        .map(({ day }) => day);
    },
  };
}

/** The segment and the record of a version of a row. */
export interface RowPosition {
  readonly segment: Segment;
  readonly position: number;
}

/** Reads a version of a row. */
export function readVersion(pool: Pool, { segment, position }: RowPosition): StoredRow {
  const record = readRecords(pool, segment, position, 1);
  return rowOf(readLine(pool, segment, record.offset(0), record.length(0)));
}
