import type { Pool } from "../pool/pool.ts";
import { countBelow, hasTail, readRecords, type Segment, someRecord } from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";

/** The `stats` of segments without the records from a mark on. No row may be pending. */
export function sizesBelow(pool: Pool, segments: readonly Segment[], mark: number) {
  let rows = 0;
  let bytes = 0;
  for (const segment of segments) {
    const count = countBelow(pool, segment, mark);
    rows += segment.live - rowsAddedSince(pool, segment, count);
    bytes += tailBytes(pool, segment, count);
  }
  return { rows, bytes };
}

/** The number of rows that the records after the first `count` have added to a segment. */
function rowsAddedSince(pool: Pool, segment: Segment, count: number): number {
  let added = 0;
  someRecord(
    pool,
    segment,
    (view, at) => {
      if (view.length(at) > 0) added += 1;
      if (view.previous(at) >= 0) added -= 1;
      return false;
    },
    count,
  );
  return added;
}

/** The bytes that the own tail of a segment had in both of its files with the first `count` records. */
function tailBytes(pool: Pool, segment: Segment, count: number): number {
  const tail = segment.rowFiles.at(-1);
  if (tail === undefined || !hasTail(segment) || count === 0) return 0;
  const last = readRecords(pool, segment, count - 1, 1);
  // Half the number of a tail is at most the number of the first row written to it, and more than those copied from older files.
  if (last.sequence(0) < Math.floor((tail.tail ?? 0) / 2)) return 0;
  return last.offset(0) + last.length(0) - tail.firstByte + (count - tail.firstRecord) * RECORD_BYTES;
}
