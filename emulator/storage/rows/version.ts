import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import type { Pool } from "../pool/pool.ts";
import { rowOf } from "./lines.ts";
import { readLine, readRecords, type Segment, someRecord } from "./segment.ts";
import { ID_BYTES, RECORD_BYTES } from "./sidecar.ts";

/** The segment and the record of a version of a row. */
export interface RowPosition {
  readonly segment: Segment;
  readonly position: number;
}

/**
 * The last version of a row before the mark. All sidecars are searched, because the row may have been in another
 * segment then. In all segments but one, a tombstone follows its last version.
 */
export function findVersion(
  pool: Pool,
  segments: readonly Segment[],
  id: string,
  mark: number,
): StoredRow | undefined {
  const idBytes = Buffer.from(id.replaceAll("-", ""), "hex");
  for (const segment of segments) {
    const position = lastBefore(pool, segment, idBytes, mark);
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
    // A tombstone applies only to the version that it names, because the row may have returned to the segment.
    else if (view.previous(at) === last) last = undefined;
    return false;
  });
  return last;
}

/** Reads a version of a row. */
export function readVersion(pool: Pool, { segment, position }: RowPosition): StoredRow {
  const record = readRecords(pool, segment, position, 1);
  return rowOf(readLine(pool, segment, record.offset(0), record.length(0)));
}
