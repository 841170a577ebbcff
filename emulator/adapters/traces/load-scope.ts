import type { TraceScope } from "../../domain/traces/port.ts";
import { copySegment } from "./copy.ts";
import { createIdIndex, type IdIndex } from "./id-index.ts";
import { type LocatedSegment, locateAll, type TracePlace } from "./layers.ts";
import { scopesIn } from "./marks.ts";
import type { OpenFiles } from "./open-files.ts";
import { scopeFolder, segmentPath } from "./places.ts";
import {
  appendRecords,
  createSegment,
  limitSegment,
  readRecords,
  type Segment,
  settleSegment,
  someRecord,
} from "./segment.ts";
import { RECORD_BYTES, type SidecarRecord } from "./sidecar.ts";

/** The segments of a tenant and where in them the newest version of each row is. */
export interface Loaded {
  /** The tenant's part of the own folder. */
  readonly path: string;
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

/** Takes up a segment that is there, or begins a new one in the own folder. */
export function addSegment(
  loaded: Loaded,
  sessionId: string,
  day: string,
  { path, mark }: LocatedSegment = {
    path: segmentPath(loaded.path, sessionId, day),
    mark: Number.POSITIVE_INFINITY,
  },
): Segment {
  const isBorrowed = mark !== Number.POSITIVE_INFINITY;
  const segment = createSegment(loaded.segments.length, { path, isBorrowed }, sessionId, day);
  if (isBorrowed) limitSegment(loaded.files, segment, mark);
  else settleSegment(loaded.files, segment);
  loaded.segments.push(segment);
  loaded.byName.set(nameOf(sessionId, day), segment);
  return segment;
}

/** Makes a borrowed segment an own one, as must be before anything is appended; answers the bytes copied. */
export function copyUp(loaded: Loaded, segment: Segment): number {
  if (!segment.isBorrowed) return 0;
  const path = segmentPath(loaded.path, segment.sessionId, segment.day);
  const bytes = copySegment(segment, path);
  segment.path = path;
  segment.isBorrowed = false;
  return bytes;
}

/**
 * A process that ended between the two steps of a move has left a row in two segments. The version with
 * the higher sequence number stays; the other gets the tombstone that was not written any more.
 */
function endMove(loaded: Loaded, id: string, loser: Segment, position: number, winnerSequence: number): void {
  const last = readRecords(loaded.files, loser, loser.records - 1, 1).sequence(0);
  const record = tombstone(loser, id, position, Math.max(last, winnerSequence));
  copyUp(loaded, loser);
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

function openSegments(files: OpenFiles, place: TracePlace, scope: TraceScope): Loaded {
  const path = scopeFolder(place.folder, scope);
  const loaded: Loaded = { path, files, index: createIdIndex(), segments: [], byName: new Map() };
  for (const located of locateAll(place, scope)) {
    addSegment(loaded, located.sessionId, located.day, located);
  }
  return loaded;
}

/** Reads all sidecars of a tenant. */
export function loadScope(files: OpenFiles, place: TracePlace, scope: TraceScope): Loaded {
  const loaded = openSegments(files, place, scope);
  for (const segment of loaded.segments) indexSegment(loaded, segment);
  return loaded;
}

/** Makes all borrowed segments own ones, without reading what is in them. */
export function copyUpAll(files: OpenFiles, place: TracePlace): void {
  for (const { folder } of place.layers ?? []) {
    for (const scope of scopesIn(folder)) {
      const loaded = openSegments(files, place, scope);
      for (const segment of loaded.segments) copyUp(loaded, segment);
    }
  }
}
