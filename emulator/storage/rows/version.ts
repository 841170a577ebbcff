import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import type { Pool } from "../pool/pool.ts";
import { rowOf } from "./lines.ts";
import { readLine, readRecords, type Segment, someRecord } from "./segment.ts";
import { ID_BYTES, RECORD_BYTES } from "./sidecar.ts";

/** Which record of which segment a version of a row is. */
export interface RowPosition {
  readonly segment: Segment;
  readonly position: number;
}

/**
 * The last version of a row that was written before the mark. All sidecars are looked through, since the row
 * may have been in another segment then: in all but one of them its last version has a tombstone.
 */
export function findVersion(
  pool: Pool,
  segments: readonly Segment[],
  id: string,
  mark: number,
): StoredRow | undefined {
  const wanted = Buffer.from(id.replaceAll("-", ""), "hex");
  for (const segment of segments) {
    const position = lastBefore(pool, segment, wanted, mark);
    if (position !== undefined) return readVersion(pool, { segment, position });
  }
  return undefined;
}

function lastBefore(pool: Pool, segment: Segment, id: Buffer, mark: number): number | undefined {
  let last: number | undefined;
  someRecord(pool, segment, (view, at, position) => {
    if (view.sequence(at) >= mark) return true;
    const from = at * RECORD_BYTES;
    if (view.bytes.compare(id, 0, ID_BYTES, from, from + ID_BYTES) !== 0) return false;
    if (view.length(at) > 0) last = position;
    // A tombstone is of the version that it names: a row that has come back meanwhile stays.
    else if (view.previous(at) === last) last = undefined;
    return false;
  });
  return last;
}

/** The row in this version. */
export function readVersion(pool: Pool, { segment, position }: RowPosition): StoredRow {
  const record = readRecords(pool, segment, position, 1);
  return rowOf(readLine(pool, segment, record.offset(0), record.length(0)));
}
