import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import type { ComparisonProgress } from "../../subjects/work-progress.ts";
import type { NamedRows, NamedSegment } from "../pool/names.ts";
import type { Pool } from "../pool/pool.ts";
import { IdIndex } from "./id-index.ts";
import { instantAt } from "./instants.ts";
import { contentOf, rowOf } from "./lines.ts";
import { loadSegment } from "./row-files.ts";
import { fillRecords, readLine, readRecords, type Segment } from "./segment.ts";
import { RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";

/** A row that only one of two worlds has, or of which each has a version of its own. */
export interface RowPair {
  readonly id: string;
  readonly startTime: string;
  readonly before: ReturnType<typeof versionOf> | undefined;
  readonly after: ReturnType<typeof versionOf> | undefined;
}

/** A record of a segment's sidecar. */
interface Version {
  readonly segment: Segment;
  readonly view: SidecarView;
  readonly at: number;
}

/** The records of a segment after those that it shares with another world. */
interface UnsharedRecords {
  readonly segment: Segment;
  readonly view: SidecarView;
  /** The position in `view` of the last record of each row. */
  readonly index: IdIndex;
  /** By position in `view`: the version of the row in the shared records, or -1. */
  readonly shared: Int32Array;
}

const RECORDS_AT_A_TIME = 4096;

/** The records that two segments do not share. */
type RecordCount = Pick<ComparisonProgress, "rows" | "rows_total">;

/**
 * The rows that may differ. Files only grow, so the records that two segments have in the same files are equal, and only the
 * later ones are read. Yields undefined where the caller may let other work run. Counts in `count`.
 */
export function* differingRows(
  pool: Pool,
  [a, b]: readonly [NamedRows, NamedRows],
  count: RecordCount,
): Generator<RowPair | undefined> {
  const [left, right] = [byName(a), byName(b)];
  const pairs: { readonly one: Segment; readonly other: Segment; readonly unshared: number }[] = [];
  for (const [key, name] of new Map([...left, ...right])) {
    yield undefined;
    if (filesOf(left.get(key)) === filesOf(right.get(key))) continue;
    const one = loadSegment(pool, left.get(key) ?? { ...name, rowFiles: [] }, a.next);
    const other = loadSegment(pool, right.get(key) ?? { ...name, rowFiles: [] }, b.next);
    const unshared = one.records + other.records - 2 * countShared(one, other);
    pairs.push({ one, other, unshared });
    count.rows_total += unshared;
  }
  for (const { one, other, unshared } of pairs) {
    const until = count.rows + unshared;
    for (const pair of pairsOf(pool, one, other)) {
      count.rows = Math.min(until, count.rows + 1);
      yield pair;
    }
    // A row may have several records.
    count.rows = until;
  }
}

function byName({ segments }: NamedRows): ReadonlyMap<string, NamedSegment> {
  return new Map(
    segments.map((each) => [[each.region, each.tenantId, each.sessionId, each.day].join(" "), each]),
  );
}

/** Equal texts mean equal rows. */
function filesOf(segment: NamedSegment | undefined): string {
  const filled = segment?.rowFiles.filter(({ records }) => records > 0) ?? [];
  return filled.map(({ file, records, below }) => `${file} ${records} ${below}`).join("\n");
}

function* pairsOf(pool: Pool, one: Segment, other: Segment): Generator<RowPair | undefined> {
  const first = countShared(one, other);
  const left = yield* readUnshared(pool, one, first);
  const right = yield* readUnshared(pool, other, first);
  for (let entry = 0; entry < left.index.size; entry += 1) {
    const at = left.index.positionOf(entry);
    const position = right.index.findBytes(left.view.bytes, at * RECORD_BYTES);
    const after =
      position < 0
        ? sharedVersion(pool, other, left.shared[at])
        : newest(right, right.index.positionOf(position));
    yield pairOf(pool, newest(left, at), after);
  }
  for (let entry = 0; entry < right.index.size; entry += 1) {
    const at = right.index.positionOf(entry);
    const isInBoth = left.index.findBytes(right.view.bytes, at * RECORD_BYTES) >= 0;
    yield isInBoth ? undefined : pairOf(pool, sharedVersion(pool, one, right.shared[at]), newest(right, at));
  }
}

/** The number of first records that two segments have in the same files. */
function countShared(one: Segment, other: Segment): number {
  let count = 0;
  for (const [n, { file }] of one.rowFiles.entries()) {
    const [end, otherEnd] = [endOf(one, n), endOf(other, n)];
    if (other.rowFiles[n]?.file !== file) break;
    count = Math.min(end, otherEnd);
    if (end !== otherEnd) break;
  }
  return count;
}

/** The number of records up to the end of the nth file. */
function endOf({ rowFiles, records }: Segment, n: number): number {
  return rowFiles[n + 1]?.firstRecord ?? records;
}

function* readUnshared(pool: Pool, segment: Segment, first: number): Generator<undefined, UnsharedRecords> {
  const count = segment.records - first;
  const bytes = Buffer.allocUnsafeSlow(count * RECORD_BYTES);
  const view = viewSidecar(bytes);
  const records = { segment, view, index: new IdIndex(count), shared: new Int32Array(count) };
  for (let from = 0; from < count; from += RECORDS_AT_A_TIME) {
    const until = Math.min(count, from + RECORDS_AT_A_TIME);
    fillRecords(pool, segment, bytes.subarray(from * RECORD_BYTES, until * RECORD_BYTES), first + from);
    for (let at = from; at < until; at += 1) addRecord(records, first, at);
    yield undefined;
  }
  return records;
}

/** Adds a record after those before it; `first` is the number of shared records. */
function addRecord({ view, index, shared }: UnsharedRecords, first: number, at: number): void {
  const previous = view.previous(at);
  const entry = index.findBytes(view.bytes, at * RECORD_BYTES);
  const last = entry < 0 ? -1 : index.positionOf(entry);
  const isNamed = previous >= 0 && previous < first;
  shared[at] = isNamed ? previous : (shared[last] ?? -1);
  // A tombstone applies only to the version that it names, because the row may have returned to the segment.
  const hasReturned = view.length(at) === 0 && last >= 0 && previous !== first + last;
  if (hasReturned) shared[last] = shared[at];
  else index.put(0, at);
}

/** Undefined for a row that has moved to another segment. */
function newest({ segment, view }: UnsharedRecords, at: number): Version | undefined {
  return view.length(at) === 0 ? undefined : { segment, view, at };
}

function sharedVersion(pool: Pool, segment: Segment, position = -1): Version | undefined {
  return position < 0 ? undefined : { segment, view: readRecords(pool, segment, position, 1), at: 0 };
}

function pairOf(pool: Pool, before: Version | undefined, after: Version | undefined): RowPair | undefined {
  const version = after ?? before;
  if (!version) return undefined;
  const { segment, view, at } = version;
  return {
    id: view.id(at),
    startTime: instantAt(segment.day, view.start(at)),
    before: before && versionOf(pool, before),
    after: after && versionOf(pool, after),
  };
}

function versionOf(pool: Pool, { segment, view, at }: Version) {
  const line = () => readLine(pool, segment, view.offset(at), view.length(at));
  return {
    /** The bytes of its values. Equal bytes mean equal rows. */
    content: (): Buffer => contentOf(line()),
    read: (): StoredRow => rowOf(line()),
  };
}
