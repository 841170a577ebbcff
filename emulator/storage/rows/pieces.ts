import { statSync, truncateSync } from "node:fs";
import type { NamedRows, Piece } from "../pool/names.ts";
import { readExactly } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { tooShort } from "../store-error.ts";
import { DATA, INDEX, type Segment } from "./segment.ts";
import { checkRecords, RECORD_BYTES, type SidecarView, viewSidecar } from "./sidecar.ts";

/** Puts a piece behind what the segment has, as far as it counts: below its own mark, or else below the given one. */
export function loadPiece(pool: Pool, segment: Segment, piece: Piece, mark: number): void {
  refuseShort(pool, piece);
  const { file, below, tail } = piece;
  const [firstRecord, firstByte] = [segment.records, segment.dataBytes];
  const { records, end } = countBelow(pool, piece, below ?? mark);
  segment.pieces.push({ file, below, ...(tail !== undefined && { tail }), firstRecord, firstByte });
  segment.records += records;
  // What counts ends with the last line, but a piece may be all there.
  segment.dataBytes = records === piece.records ? firstByte + piece.bytes : (end ?? firstByte);
  segment.filedRecords = segment.records;
  segment.filedBytes = segment.dataBytes;
}

/** How many records of a piece are numbered below a mark, and where in the segment the line of the last one ends. */
function countBelow(pool: Pool, { file, records: all }: Piece, mark: number) {
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

/** Refuses a piece whose files are not as long as they were when it was named. */
function refuseShort({ path }: Pick<Pool, "path">, piece: Piece): void {
  for (const [file, bytes] of filesOfPiece(piece))
    if (sizeOrZero(path(file)) < bytes) throw tooShort(path(file), bytes);
}

/** The two files of a piece, each with the bytes of it that count. */
function filesOfPiece({ file, records, bytes }: Piece): readonly (readonly [file: string, bytes: number])[] {
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
  for (const piece of segments.flatMap(({ pieces }) => pieces)) {
    if (piece.below !== null) continue;
    refuseShort({ path }, piece);
    for (const [file, bytes] of filesOfPiece(piece))
      if (sizeOrZero(path(file)) > bytes) truncateSync(path(file), bytes);
  }
}
