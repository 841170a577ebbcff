import { closeSync, readSync, statSync, truncateSync } from "node:fs";
import { areSealed } from "../checksum.ts";
import type { NamedRows, RowFile } from "../pool/names.ts";
import { openStored, readExactly } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged, readStored, StoreError, tooShort } from "../store-error.ts";
import { type LocatedFile, locateFiles, readSidecar } from "./plan.ts";
import { createSegment, DATA, INDEX, type Segment } from "./segment.ts";
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

const BATCH_BYTES = 4 * 1024 * 1024;

/** Reads all rows of a world and yields the damage. Files in `checkedFiles` are skipped, and other files are added to it. */
export async function* damagedRows(
  pool: Pool,
  { next, segments }: NamedRows,
  checkedFiles: Set<string> = new Set(),
): AsyncGenerator<StoreError> {
  for (const namedSegment of segments)
    try {
      const segment = createSegment(0, namedSegment);
      for (const rowFile of namedSegment.rowFiles) loadRowFile(pool, segment, rowFile, next);
      for (const rowFile of locateFiles(pool, segment)) yield* damagedInFile(rowFile, checkedFiles);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      yield error;
    }
}

async function* damagedInFile(rowFile: LocatedFile, checkedFiles: Set<string>): AsyncGenerator<StoreError> {
  const key = `${rowFile.path} ${rowFile.records}`;
  if (checkedFiles.has(key)) return;
  checkedFiles.add(key);
  for await (const byte of damagedLines(rowFile)) yield damaged(rowFile.path + DATA, `byte ${byte}`);
}

/** Yields the position in the data file of each damaged line. Reads a bounded number of bytes at a time. */
async function* damagedLines(rowFile: LocatedFile): AsyncGenerator<number> {
  const { path, dataSeal, firstByte, records } = rowFile;
  const view = viewSidecar(readSidecar(rowFile));
  const endOf = (position: number): number => view.offset(position) + view.length(position);
  const rows = Array.from({ length: records }, (_, position) => position).filter(view.length);
  const file = path + DATA;
  const data = openStored(file);
  try {
    while (rows.length > 0) {
      const begin = view.offset(rows[0] ?? 0);
      const past = rows.findIndex((position, at) => at > 0 && endOf(position) - begin > BATCH_BYTES);
      const batch = rows.splice(0, past < 0 ? rows.length : past);
      const bytes = Buffer.allocUnsafe(endOf(batch.at(-1) ?? 0) - begin);
      const bytesRead = readStored(file, () => readSync(data, bytes, 0, bytes.length, begin - firstByte));
      for (const position of batch) {
        const start = view.offset(position) - begin;
        const stop = start + view.length(position);
        const byte = view.offset(position) - firstByte;
        const isWhole = stop <= bytesRead && areSealed(bytes.subarray(start, stop), dataSeal, byte);
        if (!isWhole) yield byte;
      }
    }
  } finally {
    closeSync(data);
  }
}
