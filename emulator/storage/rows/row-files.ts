import { statSync, truncateSync } from "node:fs";
import type { NamedRows, RowFile } from "../pool/names.ts";
import { readExactly } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { tooShort } from "../store-error.ts";
import { DATA, INDEX, type Segment } from "./segment.ts";
import { checkRecords, RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";

/** Puts a file behind what the segment has, as far as it counts: below its own mark, or else below the given one. */
export function loadRowFile(pool: Pool, segment: Segment, rowFile: RowFile, mark: number): void {
  refuseShort(pool, rowFile);
  const { file, below, tail } = rowFile;
  const [firstRecord, firstByte] = [segment.records, segment.dataBytes];
  const { records, end } = countBelow(pool, rowFile, below ?? mark);
  segment.rowFiles.push({ file, below, ...(tail !== undefined && { tail }), firstRecord, firstByte });
  segment.records += records;
  // What counts ends with the last line, but a file may be all there.
  segment.dataBytes = records === rowFile.records ? firstByte + rowFile.bytes : (end ?? firstByte);
  segment.filedRecords = segment.records;
  segment.filedBytes = segment.dataBytes;
}

/** How many records of a file are numbered below a mark, and where in the segment the line of the last one ends. */
function countBelow(pool: Pool, { file, records: all }: RowFile, mark: number) {
  const path = pool.path(file + INDEX);
  const bytes = Buffer.allocUnsafe(RECORD_BYTES);
  const record = (at: number): SidecarView => {
    checkRecords(readExactly(pool.files.read(path), bytes, at * RECORD_BYTES), path, at);
    return viewSidecar(bytes);
  };
  let [records, high] = [all, all - 1];
  // A mark is most often behind all that is there.
  if (all > 0 && record(high).sequence(0) >= mark) {
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

/** Refuses a file whose files are not as long as they were when it was named. */
function refuseShort({ path }: Pick<Pool, "path">, rowFile: RowFile): void {
  for (const [file, bytes] of pathsOfRowFile(rowFile))
    if (sizeOrZero(path(file)) < bytes) throw tooShort(path(file), bytes);
}

/** The two files of a file, each with the bytes of it that count. */
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

/** Drops what was never committed from the tails of a world that may have lost turns. */
export function cutTails({ path }: Pool, { segments }: NamedRows): void {
  for (const rowFile of segments.flatMap(({ rowFiles }) => rowFiles)) {
    if (rowFile.below !== null) continue;
    refuseShort({ path }, rowFile);
    for (const [file, bytes] of pathsOfRowFile(rowFile))
      if (sizeOrZero(path(file)) > bytes) truncateSync(path(file), bytes);
  }
}
