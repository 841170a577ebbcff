import type { StoredRow } from "../../subjects/traces/roll-up.ts";
import { rowOf } from "./lines.ts";
import type { LoadedScope } from "./load-scope.ts";
import { readLine, readRecords, type Segment, someRecord } from "./segment.ts";
import { ID_BYTES, RECORD_BYTES } from "./sidecar.ts";

/**
 * The last version of a row that was written before the mark. All sidecars are looked through, since the row
 * may have been in another segment then: in all but one of them its last version has a tombstone.
 */
export function readVersion(loaded: LoadedScope, id: string, mark: number): StoredRow | undefined {
  const wanted = Buffer.from(id.replaceAll("-", ""), "hex");
  for (const segment of loaded.segments) {
    const position = lastBefore(loaded, segment, wanted, mark);
    if (position !== undefined) return readAt(loaded, segment, position);
  }
  return undefined;
}

function lastBefore({ files }: LoadedScope, segment: Segment, id: Buffer, mark: number): number | undefined {
  let last: number | undefined;
  someRecord(files, segment, (view, at, position) => {
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

function readAt({ files }: LoadedScope, segment: Segment, position: number): StoredRow {
  const record = readRecords(files, segment, position, 1);
  return rowOf(readLine(files, segment, record.offset(0), record.length(0)));
}
