import type { ScopeRows } from "./inherited-rows.ts";
import type { OpenFiles } from "./open-files.ts";
import { readRecords, type Segment, someRecord } from "./segment.ts";
import { RECORD_BYTES, type SidecarView } from "./sidecar.ts";

/**
 * A process that ended between the two steps of a move has left a row in two segments: this is the version with
 * the lower sequence number, which still has to get its tombstone.
 */
export interface UnfinishedMove {
  readonly id: string;
  readonly segment: Segment;
  readonly position: number;
  /** The number of the version that stays. */
  readonly sequence: number;
}

/** What of a segment was not read before, and which of its versions have been replaced there. */
interface Unread {
  readonly segment: Segment;
  readonly from: number;
  readonly replaced: Uint8Array;
  /** Of what was read before. */
  readonly replacedBefore: Set<number>;
}

/** Takes into the index what segments hold, from the record on that is given for each, or else from the first. */
export function readRows(
  files: OpenFiles,
  rows: ScopeRows,
  readUntil: ReadonlyMap<Segment, number>,
): readonly UnfinishedMove[] {
  const firstOf = (segment: Segment): number => readUntil.get(segment) ?? 0;
  const grown = rows.segments.filter((segment) => firstOf(segment) < segment.records);
  const all = grown.map((segment) => scanSegment(files, segment, firstOf(segment)));
  const bySegment = new Map(all.map((unread) => [unread.segment, unread]));
  const isReplaced = (segment: Segment, position: number): boolean => {
    const unread = bySegment.get(segment);
    if (unread === undefined) return false;
    const { from, replaced, replacedBefore } = unread;
    return position < from ? replacedBefore.has(position) : replaced[position - from] === 1;
  };
  const moves: UnfinishedMove[] = [];
  for (const { segment, from } of all) {
    const take = (view: SidecarView, at: number, position: number): boolean => {
      if (view.length(at) === 0) return false;
      segment.earliest = Math.min(segment.earliest, view.start(at));
      segment.latest = Math.max(segment.latest, view.start(at));
      if (isReplaced(segment, position)) return false;
      segment.live += 1;
      const move = indexRow(files, rows, { segment, view, at, position }, isReplaced);
      if (move !== undefined) moves.push(move);
      return false;
    };
    someRecord(files, segment, take, from);
  }
  return moves;
}

function scanSegment(files: OpenFiles, segment: Segment, from: number): Unread {
  const replaced = new Uint8Array(segment.records - from);
  const replacedBefore = new Set<number>();
  const look = (view: SidecarView, at: number): boolean => {
    const previous = view.previous(at);
    if (previous >= from) replaced[previous - from] = 1;
    else if (previous >= 0) replacedBefore.add(previous);
    return false;
  };
  someRecord(files, segment, look, from);
  segment.live -= replacedBefore.size;
  return { segment, from, replaced, replacedBefore };
}

interface Version {
  readonly segment: Segment;
  readonly view: SidecarView;
  readonly at: number;
  readonly position: number;
}

/** Puts a version into the index, unless a later one is there of which it is the unended move. */
function indexRow(
  files: OpenFiles,
  { index, segments }: ScopeRows,
  { segment, view, at, position }: Version,
  isReplaced: (segment: Segment, position: number) => boolean,
): UnfinishedMove | undefined {
  const known = index.findBytes(view.bytes, at * RECORD_BYTES);
  const other = known < 0 ? undefined : (segments[index.segmentOf(known)] as Segment);
  const otherPosition = known < 0 ? -1 : index.positionOf(known);
  const put = (): void => index.putBytes(view.bytes, at * RECORD_BYTES, segment.number, position);
  if (other === undefined || isReplaced(other, otherPosition)) {
    put();
    return undefined;
  }
  const id = view.id(at);
  const sequence = view.sequence(at);
  const otherSequence = readRecords(files, other, otherPosition, 1).sequence(0);
  if (sequence <= otherSequence) return { id, segment, position, sequence: otherSequence };
  put();
  return { id, segment: other, position: otherPosition, sequence };
}
