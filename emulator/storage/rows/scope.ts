import type { ListedRow, RowRange, TraceScope } from "../../subjects/traces/port.ts";
import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import { borrowRows, type InheritedRows, type ScopeRows } from "./inherited-rows.ts";
import { dayOf, microsecondsOfDay, withinDay } from "./instants.ts";
import type { TraceLocation } from "./layers.ts";
import { lineOf, rowOf } from "./lines.ts";
import { createListing } from "./listing.ts";
import { addSegment, type LoadedScope, loadScope, nameOf, tombstone } from "./load-scope.ts";
import type { OpenFiles } from "./open-files.ts";
import { appendRecords, appendRows, readLine, readRecords, type Segment, someRecord } from "./segment.ts";
import { RECORD_BYTES, type SidecarRecord, traceWord } from "./sidecar.ts";
import { readVersion } from "./version.ts";

/** All rows of one tenant in one region, loaded at first use. */
export interface Scope {
  read(id: string): StoredRow | undefined;
  /** The last version that was written before the mark. */
  readAsOf(id: string, mark: number): StoredRow | undefined;
  /** Appends the rows, numbered from `sequence` on; answers how many bytes the files grew by. */
  write(rows: readonly StoredRow[], sequence: number): number;
  days(sessionId: string, start: string, end: string): readonly string[];
  list(range: RowRange): Iterable<ListedRow>;
  /** The rows as they are now, for forks to go on from. */
  rows(): ScopeRows;
}

/** What one call of `write` appends to one segment. */
interface Draft {
  readonly segment: Segment;
  lines: string;
  bytes: number;
  readonly rows: SidecarRecord[];
  /** Positions whose newest version this call has put into another segment, with their ids. */
  readonly left: { readonly id: string; readonly position: number }[];
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
  const line = lineOf(row);
  const length = Buffer.byteLength(line);
  const start = microsecondsOfDay(row.start_time);
  const offset = segment.dataBytes + draft.bytes;
  const previous = from === segment ? position : -1;
  index.put(row.id, segment.number, segment.records + draft.rows.length);
  draft.rows.push({ id: row.id, start, offset, length, previous, sequence, trace: traceWord(row.trace_id) });
  draft.lines += line;
  draft.bytes += length;
  segment.earliest = Math.min(segment.earliest, start);
  segment.latest = Math.max(segment.latest, start);
  if (from === segment) return;
  segment.live += 1;
  if (from === undefined) return;
  from.live -= 1;
  draftOf(from).left.push({ id: row.id, position });
}

/** Answers how many bytes the own files grew by. */
function appendDrafts(loaded: LoadedScope, drafts: readonly Draft[], lastSequence: number): number {
  let grown = 0;
  for (const { segment, lines, rows } of drafts) {
    if (rows.length > 0) appendRows(loaded, segment, lines, rows);
  }
  // Only when the new versions are kept are the old ones given up.
  for (const { segment, left } of drafts) {
    if (left.length === 0) continue;
    const records = left.map(({ id, position }) => tombstone(segment, id, position, lastSequence));
    appendRecords(loaded, segment, records);
  }
  for (const { bytes, rows, left } of drafts) grown += bytes + (rows.length + left.length) * RECORD_BYTES;
  return grown;
}

/** Whether a project has, in a segment, rows that begin in a window. */
function hasRowsIn(loaded: LoadedScope, segment: Segment, start: string, end: string): boolean {
  const { from, until } = withinDay(segment.day, start, end);
  if (segment.live === 0 || segment.latest < from || segment.earliest >= until) return false;
  if (segment.earliest >= from && segment.latest < until) return true;
  const { index } = loaded;
  return someRecord(loaded.files, segment, (view, at, position) => {
    if (view.length(at) === 0 || view.start(at) < from || view.start(at) >= until) return false;
    const entry = index.findBytes(view.bytes, at * RECORD_BYTES);
    return index.segmentOf(entry) === segment.number && index.positionOf(entry) === position;
  });
}

/** Takes up what lies on the disk once; from then on only its own writes change what it knows. */
export function openScope(
  files: OpenFiles,
  location: TraceLocation,
  scope: TraceScope,
  inherited: InheritedRows,
): Scope {
  const loaded = loadScope(files, location, scope, inherited);
  const { index } = loaded;
  const listing = createListing(files, loaded.segments);

  return {
    list: (range) => listing.list(range),
    readAsOf: (id, mark) => (index.find(id) < 0 ? undefined : readVersion(loaded, id, mark)),
    read(id) {
      const entry = index.find(id);
      if (entry < 0) return undefined;
      const segment = loaded.segments[index.segmentOf(entry)] as Segment;
      const record = readRecords(files, segment, index.positionOf(entry), 1);
      return rowOf(readLine(files, segment, record.offset(0), record.length(0)));
    },
    rows: () => borrowRows(loaded),
    write(rows, sequence) {
      const drafts = new Map<Segment, Draft>();
      const draftOf = (segment: Segment): Draft => {
        const draft = drafts.get(segment) ?? { segment, lines: "", bytes: 0, rows: [], left: [] };
        drafts.set(segment, draft);
        return draft;
      };
      rows.forEach((row, at) => {
        const day = dayOf(row.start_time);
        const segment =
          loaded.byName.get(nameOf(row.session_id, day)) ?? addSegment(loaded, row.session_id, day);
        draftRow(loaded, draftOf, draftOf(segment), row, sequence + at);
      });
      return appendDrafts(loaded, [...drafts.values()], sequence + rows.length - 1);
    },
    days(sessionId, start, end) {
      return loaded.segments
        .filter((segment) => segment.sessionId === sessionId && hasRowsIn(loaded, segment, start, end))
        .map(({ day }) => day)
        .sort();
    },
  };
}
