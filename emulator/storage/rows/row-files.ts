import { truncateSync } from "node:fs";
import type { NamedRows, NamedSegment, RowFile } from "../pool/names.ts";
import { sizeAt } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { readStored, type StoreError, tooShort, unlessDamaged } from "../store-error.ts";
import {
  countBelow,
  createSegment,
  DATA,
  endOfLine,
  extentsOf,
  INDEX,
  type Segment,
  sealedNames,
} from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";
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
  const { file, below, tail, records, bytes } = rowFile;
  const [firstRecord, firstByte] = [segment.records, segment.dataBytes];
  segment.rowFiles.push({ file, below, ...(tail !== undefined && { tail }), firstRecord, firstByte });
  setLength(segment, firstRecord + records, firstByte + bytes);
  const count = countBelow(pool, segment, below ?? mark);
  // The part that counts ends with its last line.
  if (count === firstRecord) setLength(segment, count, firstByte);
  else if (count < segment.records) setLength(segment, count, endOfLine(pool, segment, count - 1));
}

function setLength(segment: Segment, records: number, bytes: number): void {
  segment.records = records;
  segment.filedRecords = records;
  segment.dataBytes = bytes;
  segment.filedBytes = bytes;
}

/** Refuses a row file that is shorter than when it was named. */
function refuseShort({ path }: Pool, rowFile: RowFile): void {
  for (const [file, bytes] of pathsOfRowFile(rowFile))
    if (sizeAt(path(file)) < bytes) throw tooShort(path(file), bytes);
}

/** The data and the index of a row file, with the bytes that count. */
function pathsOfRowFile({ file, records, bytes }: RowFile): readonly (readonly [string, number])[] {
  return [
    [file + DATA, bytes],
    [file + INDEX, records * RECORD_BYTES],
  ];
}

/**
 * Removes rows without a journal line from the tails of a world that may have lost turns. A missing or shorter tail is refused
 * when its rows are read.
 */
export function cutTails({ path }: Pool, { segments }: NamedRows): void {
  for (const rowFile of segments.flatMap(({ rowFiles }) => rowFiles)) {
    if (rowFile.below !== null) continue;
    for (const [file, bytes] of pathsOfRowFile(rowFile))
      if (sizeAt(path(file)) > bytes) readStored(path(file), () => truncateSync(path(file), bytes));
  }
}

/** Reads all rows of a world and reports the first damage of each file. Files in `checkedFiles` are skipped, and other files are added to it. */
export function checkRows(
  pool: Pool,
  { next, segments }: NamedRows,
  report: (damage: StoreError) => void,
  checkedFiles: Set<string> = new Set(),
): void {
  for (const namedSegment of segments)
    unlessDamaged(() => {
      for (const extent of extentsOf(loadSegment(pool, sealedNames(namedSegment, next), next)))
        for (const part of [partOf(extent, INDEX), partOf(extent, DATA)])
          unlessDamaged(() => checkPart(pool, part, checkedFiles), report);
    }, report);
}

function checkPart(pool: Pool, part: RowFilePart, checkedFiles: Set<string>): void {
  const key = `${part.file} ${part.bytes}`;
  if (checkedFiles.has(key)) return;
  checkedFiles.add(key);
  for (const _ of resealed(pool, part));
}
