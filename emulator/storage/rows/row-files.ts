import { statSync, truncateSync } from "node:fs";
import type { NamedRows, RowFile } from "../pool/names.ts";
import { readExactly } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { readStored, tooShort } from "../store-error.ts";
import { DATA, INDEX, type Segment } from "./segment.ts";
import { checkRecords, RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";

/** Adds a file to the end of a segment, with its records below its own mark or, for a tail, below the given mark. */
export function loadRowFile(pool: Pool, segment: Segment, rowFile: RowFile, mark: number): void {
  refuseShort(pool, rowFile);
  const { file, below, tail } = rowFile;
  const [firstRecord, firstByte] = [segment.records, segment.dataBytes];
  const { records, end } = countBelow(pool, rowFile, below ?? mark);
  segment.rowFiles.push({ file, below, ...(tail !== undefined && { tail }), firstRecord, firstByte });
  segment.records += records;
  // The part that counts ends with its last line; of a whole file, the length is stored.
  segment.dataBytes = records === rowFile.records ? firstByte + rowFile.bytes : (end ?? firstByte);
  segment.filedRecords = segment.records;
  segment.filedBytes = segment.dataBytes;
}

/** The number of records of a file below a mark, and the offset in the segment where the line of the last one ends. */
function countBelow(pool: Pool, { file, records: total }: RowFile, mark: number) {
  const path = pool.path(file + INDEX);
  const seal = pool.sealOf(file + INDEX);
  const bytes = Buffer.allocUnsafe(RECORD_BYTES);
  const record = (at: number): SidecarView => {
    checkRecords(readExactly(pool.files.read(path), bytes, at * RECORD_BYTES, path), path, seal, at);
    return viewSidecar(bytes);
  };
  let [records, high] = [total, total - 1];
  // Most marks are after all records.
  if (total > 0 && record(high).sequence(0) >= mark) {
    let low = 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (record(middle).sequence(0) < mark) low = middle + 1;
      else high = middle;
    }
    records = low;
  }
  const last = records > 0 ? record(records - 1) : undefined;
  return { records, end: last && last.offset(0) + last.length(0) };
}

/** Refuses a row file that is shorter than when it was named. */
function refuseShort({ path }: Pool, rowFile: RowFile): void {
  for (const [file, bytes] of pathsOfRowFile(rowFile))
    if (sizeOrZero(path(file)) < bytes) throw tooShort(path(file), bytes);
}

/** The data and the index of a row file, with the bytes that count. */
function pathsOfRowFile({
  file,
  records,
  bytes,
}: RowFile): readonly (readonly [file: string, bytes: number])[] {
  return [
    [file + DATA, bytes],
    [file + INDEX, records * RECORD_BYTES],
  ];
}

function sizeOrZero(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Removes rows without a journal line from the tails of a world that may have lost turns. A missing or shorter tail is refused
 * when its rows are read.
 */
export function cutTails({ path }: Pool, { segments }: NamedRows): void {
  for (const rowFile of segments.flatMap(({ rowFiles }) => rowFiles)) {
    if (rowFile.below !== null) continue;
    for (const [file, bytes] of pathsOfRowFile(rowFile))
      if (sizeOrZero(path(file)) > bytes) readStored(path(file), () => truncateSync(path(file), bytes));
  }
}
