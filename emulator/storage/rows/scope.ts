import type { ListedRow, RowRange, TraceScope } from "../../subjects/traces/port.ts";
import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import { createLineWriter, type LineWriter } from "../line-writer.ts";
import type { Pool } from "../pool/pool.ts";
import { createIdIndex, type IdIndex } from "./id-index.ts";
import type { Rows } from "./image.ts";
import { dayOf, microsecondsOfDay, withinDay } from "./instants.ts";
import { writeLeft, writeRow } from "./lines.ts";
import { createListing, keepingOrders } from "./listing.ts";
import { addRows, createSegment, type Segment, sealedSegment, someRecord } from "./segment.ts";
import { createSegmentOrder, type GrowingOrder } from "./segment-order.ts";
import { RECORD_BYTES, type SidecarRecord, traceWord } from "./sidecar.ts";
import { findVersion, type RowPosition, readVersion } from "./version.ts";

/** All rows of one tenant in one region, as their world has them. */
export interface Scope {
  /** Where the newest version of a row is. */
  place(id: string): RowPosition | undefined;
  order(segment: Segment): GrowingOrder;
  read(id: string): StoredRow | undefined;
  /** The last version that was written before the mark. */
  readAsOf(id: string, mark: number): StoredRow | undefined;
  /** Adds the rows in memory, numbered from `sequence` on; answers the segments that were changed. */
  write(rows: readonly StoredRow[], sequence: number): Iterable<Segment>;
  days(sessionId: string, start: string, end: string): readonly string[];
  list(range: RowRange): Iterable<ListedRow>;
  segment(sessionId: string, day: string): Segment | undefined;
  readonly segments: readonly Segment[];
  /** Number of rows, each counted once however often it was changed. */
  count(): number;
  /** The rows as they are now, for others to go on from. Nothing may wait. */
  sealed(mark: number): Rows;
}

/** What one call of `write` adds to one segment. */
interface Draft {
  readonly segment: Segment;
  readonly lines: LineWriter;
  bytes: number;
  readonly rows: SidecarRecord[];
  /** Positions whose newest version this call has put into another segment, with their ids. */
  readonly left: { readonly id: string; readonly position: number }[];
}

interface LoadedScope {
  readonly pool: Pool;
  readonly scope: TraceScope;
  readonly index: IdIndex;
  readonly segments: Segment[];
  readonly byName: Map<string, Segment>;
}

/** Those of the first segments of a call, each of which takes what it has written before the call ends. */
const writers = [createLineWriter(), createLineWriter()];

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

/** Puts a row into the draft of its segment, and the place it leaves into the draft of that one. */
function draftRow(
  loaded: LoadedScope,
  draftOf: (segment: Segment) => Draft,
  draft: Draft,
  row: StoredRow,
  sequence: number,
) {
  const { index } = loaded;
  const { segment } = draft;
  const known = index.find(row.id);
  const from = known < 0 ? undefined : loaded.segments[index.segmentOf(known)];
  const position = known < 0 ? -1 : index.positionOf(known);
  const previous = from === segment ? position : -1;
  const length = writeRow(draft.lines, row, { sequence, previous });
  const start = microsecondsOfDay(row.start_time);
  const offset = segment.dataBytes + draft.bytes;
  index.put(row.id, segment.number, segment.records + draft.rows.length);
  draft.rows.push({ id: row.id, start, offset, length, previous, sequence, trace: traceWord(row.trace_id) });
  draft.bytes += length;
  segment.earliest = Math.min(segment.earliest, start);
  segment.latest = Math.max(segment.latest, start);
  if (from === segment) return;
  segment.live += 1;
  if (from === undefined) return;
  from.live -= 1;
  draftOf(from).left.push({ id: row.id, position });
}

/** Rows first, then for each row that has left the segment a record that says so. */
function addDraft({ segment, lines, bytes, rows, left }: Draft, sequence: number): void {
  let offset = segment.dataBytes + bytes;
  const tombstones = left.map(({ id, position: previous }) => {
    offset += writeLeft(lines, id, { sequence, previous });
    return { id, start: 0, offset, length: 0, previous, sequence, trace: 0 };
  });
  addRows(segment, lines.take(), [...rows, ...tombstones]);
}

/** Whether a project has, in a segment, rows that begin in a window. */
function hasRowsIn({ pool, index }: LoadedScope, segment: Segment, start: string, end: string): boolean {
  const { from, until } = withinDay(segment.day, start, end);
  if (segment.live === 0 || segment.latest < from || segment.earliest >= until) return false;
  if (segment.earliest >= from && segment.latest < until) return true;
  return someRecord(pool, segment, (view, at, position) => {
    if (view.length(at) === 0 || view.start(at) < from || view.start(at) >= until) return false;
    const entry = index.findBytes(view.bytes, at * RECORD_BYTES);
    return index.segmentOf(entry) === segment.number && index.positionOf(entry) === position;
  });
}

/** Takes ownership of `rows` and its segments. */
export function openScope(
  pool: Pool,
  scope: TraceScope,
  rows: Rows = { index: createIdIndex(), segments: [] },
): Scope {
  const segments = [...rows.segments];
  const byName = new Map(segments.map((each) => [nameOf(each.sessionId, each.day), each]));
  const loaded: LoadedScope = { pool, scope, index: rows.index, segments, byName };
  const { index } = loaded;
  const order = keepingOrders((segment) => createSegmentOrder(pool, segment));
  const listing = createListing(pool, segments, (each) => (each.live === 0 ? undefined : order(each)));

  function place(id: string): RowPosition | undefined {
    const entry = index.find(id);
    if (entry < 0) return undefined;
    return { segment: segments[index.segmentOf(entry)] as Segment, position: index.positionOf(entry) };
  }

  return {
    segments,
    count: () => index.size,
    segment: (sessionId, day) => byName.get(nameOf(sessionId, day)),
    list: (range) => listing.list(range),
    readAsOf: (id, mark) => (index.find(id) < 0 ? undefined : findVersion(pool, segments, id, mark)),
    place,
    order,
    read(id) {
      const found = place(id);
      return found && readVersion(pool, found);
    },
    sealed: (mark) => ({ index: index.copy(), segments: segments.map((each) => sealedSegment(each, mark)) }),
    write(written, sequence) {
      const drafts = new Map<Segment, Draft>();
      const draftOf = (segment: Segment): Draft => {
        const known = drafts.get(segment);
        if (known) return known;
        const lines = writers[drafts.size] ?? createLineWriter();
        // Of a call that has failed.
        lines.take();
        const draft = { segment, lines, bytes: 0, rows: [], left: [] };
        drafts.set(segment, draft);
        return draft;
      };
      written.forEach((row, at) => {
        const day = dayOf(row.start_time);
        const segment = byName.get(nameOf(row.session_id, day)) ?? addSegment(loaded, row.session_id, day);
        draftRow(loaded, draftOf, draftOf(segment), row, sequence + at);
      });
      for (const draft of drafts.values()) addDraft(draft, sequence + written.length - 1);
      return drafts.keys();
    },
    days(sessionId, start, end) {
      return [...listing.between(sessionId, dayOf(start), dayOf(end))]
        .filter((segment) => hasRowsIn(loaded, segment, start, end))
        .map(({ day }) => day);
    },
  };
}
