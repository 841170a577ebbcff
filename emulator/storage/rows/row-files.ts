import { statSync, truncateSync } from "node:fs";
import type { NamedRows, NamedSegment, RowFile } from "../pool/names.ts";
import { readExactly } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { readStored, StoreError, tooShort } from "../store-error.ts";
import { firstRank } from "./first-rank.ts";
import { createSegment, DATA, extentsOf, INDEX, type Segment } from "./segment.ts";
import { checkRecords, RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";
import { partOf, type RowFilePart, resealed } from "./tail.ts";

/** A segment with the rows of its files, the tail below the given mark. `number` is its index among those of its tenant. */
export function loadSegment(pool: Pool, name: NamedSegment, mark: number, number = 0): Segment {
  const segment = createSegment(number, name);
  for (const rowFile of name.rowFiles) loadRowFile(pool, segment, rowFile, mark);
  return segment;
}

/** Adds a file to the end of a segment, with its records below its own mark or, for a tail, below the given mark. */
function loadRowFile(pool: Pool, segment: Segment, rowFile: RowFile, mark: number): void {
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
  const isBelow = (at: number): boolean => record(at).sequence(0) < mark;
  // Most marks are after all records.
  const records = total === 0 || isBelow(total - 1) ? total : firstRank(0, total - 1, isBelow);
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

/** Reads all rows of a world and yields the first damage of each file. Files in `checkedFiles` are skipped, and other files are added to it. */
export function* damagedRows(
  pool: Pool,
  { next, segments }: NamedRows,
  checkedFiles: Set<string> = new Set(),
): Generator<StoreError> {
  for (const namedSegment of segments)
    try {
      for (const extent of extentsOf(loadSegment(pool, namedSegment, next)))
        for (const ending of [INDEX, DATA]) yield* damageIn(partOf(pool, extent, ending), checkedFiles);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      yield error;
    }
}

function* damageIn(part: RowFilePart, checkedFiles: Set<string>): Generator<StoreError> {
  const key = `${part.path} ${part.bytes}`;
  if (checkedFiles.has(key)) return;
  checkedFiles.add(key);
  try {
    for (const _ of resealed(part));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    yield error;
  }
}
