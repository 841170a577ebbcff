import { createIdIndex, type IdIndex } from "./id-index.ts";
import { segmentsIn } from "./marks.ts";
import type { OpenFiles } from "./open-files.ts";
import { segmentPath } from "./places.ts";
import {
  appendRecords,
  createSegment,
  readRecords,
  type Segment,
  settleSegment,
  someRecord,
} from "./segment.ts";
import { RECORD_BYTES, type SidecarRecord } from "./sidecar.ts";

/** The segments of a tenant and where in them the newest version of each row is. */
export interface Loaded {
  readonly files: OpenFiles;
  readonly index: IdIndex;
  readonly segments: Segment[];
  readonly byName: Map<string, Segment>;
}

export function tombstone(segment: Segment, id: string, previous: number, sequence: number): SidecarRecord {
  return { id, start: 0, offset: segment.dataBytes, length: 0, previous, sequence, trace: 0 };
}

export function nameOf(sessionId: string, day: string): string {
  return `${sessionId}/${day}`;
}

/** Takes up a segment that is there, or begins a new one. */
export function addSegment(loaded: Loaded, path: string, sessionId: string, day: string): Segment {
  const segment = createSegment(loaded.segments.length, path, sessionId, day);
  settleSegment(loaded.files, segment);
  loaded.segments.push(segment);
  loaded.byName.set(nameOf(sessionId, day), segment);
  return segment;
}

/**
 * A process that ended between the two steps of a move has left a row in two segments. The version with
 * the higher sequence number stays; the other gets the tombstone that was not written any more.
 */
function endMove(loaded: Loaded, id: string, loser: Segment, position: number, winnerSequence: number): void {
  const last = readRecords(loaded.files, loser, loser.records - 1, 1).sequence(0);
  const record = tombstone(loser, id, position, Math.max(last, winnerSequence));
  appendRecords(loaded.files, loser, [record]);
  loser.live -= 1;
}

/** Takes the rows of a segment into the index. */
function indexSegment(loaded: Loaded, segment: Segment): void {
  const { files, index } = loaded;
  const superseded = new Uint8Array(segment.records);
  someRecord(files, segment, (view, at) => {
    const previous = view.previous(at);
    if (previous >= 0) superseded[previous] = 1;
    return false;
  });
  const unfinished: (() => void)[] = [];
  someRecord(files, segment, (view, at, position) => {
    if (view.length(at) === 0) return false;
    segment.earliest = Math.min(segment.earliest, view.start(at));
    segment.latest = Math.max(segment.latest, view.start(at));
    if (superseded[position] === 1) return false;
    segment.live += 1;
    const known = index.findBytes(view.bytes, at * RECORD_BYTES);
    if (known < 0) {
      index.putBytes(view.bytes, at * RECORD_BYTES, segment.number, position);
      return false;
    }
    const other = loaded.segments[index.segmentOf(known)] as Segment;
    const otherPosition = index.positionOf(known);
    const otherSequence = readRecords(files, other, otherPosition, 1).sequence(0);
    const sequence = view.sequence(at);
    const id = view.id(at);
    if (sequence > otherSequence) {
      index.putBytes(view.bytes, at * RECORD_BYTES, segment.number, position);
      unfinished.push(() => endMove(loaded, id, other, otherPosition, sequence));
    } else {
      unfinished.push(() => endMove(loaded, id, segment, position, otherSequence));
    }
    return false;
  });
  for (const end of unfinished) end();
}

/** Reads all sidecars of a tenant. */
export function loadScope(files: OpenFiles, path: string): Loaded {
  const loaded: Loaded = { files, index: createIdIndex(), segments: [], byName: new Map() };
  for (const { sessionId, day } of segmentsIn(path)) {
    addSegment(loaded, segmentPath(path, sessionId, day), sessionId, day);
  }
  for (const segment of loaded.segments) indexSegment(loaded, segment);
  return loaded;
}
