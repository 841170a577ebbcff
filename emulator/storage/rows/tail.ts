import { ownerOf } from "../pool/names.ts";
import { truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { StoreError } from "../store-error.ts";
import { type RowFilePart, resealed } from "./resealed.ts";
import { DATA, extentsOf, INDEX, type Segment, tailName, waitingBytes } from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";

/** Copying this many bytes costs no more than opening their files. */
const SMALL_BYTES = 16 * 1024;
/** A larger file is not copied while it is this many times as large as all data after it, so rows are copied only a few times. */
const MAX_SIZE_RATIO = 4;

/** The part of a row file that counts. */
type Extent = ReturnType<typeof extentsOf>[number];

/**
 * Begins the tail of an owner after the files of others. Files that are small compared with the data after them are copied into it,
 * which bounds the number of files after many forks. Positions and offsets continue from file to file, so no record changes. Existing
 * files do not change either.
 */
export function beginTail(pool: Pool, segment: Segment, owner: number, tail: number): void {
  const { rowFiles, filedRecords: firstRecord, filedBytes: firstByte } = segment;
  const extents = extentsOf(segment);
  const file = tailName(owner, segment);
  let first = firstToCopy(extents, waitingBytes(segment));
  if (!copyParts(pool, file, extents.slice(first))) first = extents.length;
  const start = rowFiles[first] ?? { firstRecord, firstByte };
  const copied = rowFiles.splice(first, rowFiles.length, { ...start, file, below: null, tail });
  for (const rowFile of copied) pool.suspects.add(ownerOf(rowFile.file));
}

function firstToCopy(extents: readonly Extent[], waiting: number): number {
  let first = extents.length;
  for (let size = waiting; first > 0; first -= 1) {
    const { bytes, records } = extents[first - 1] as Extent;
    const before = bytes + records * RECORD_BYTES;
    if (before > Math.max(SMALL_BYTES, MAX_SIZE_RATIO * size)) break;
    size += before;
  }
  return first;
}

/** Makes the tail of these parts. False, with an empty tail, when one of them cannot be read: it is refused when its rows are read. */
function copyParts(pool: Pool, file: string, extents: readonly Extent[]): boolean {
  try {
    for (const ending of [DATA, INDEX]) copyInto(pool, file, ending, extents);
    return true;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    for (const ending of [DATA, INDEX]) copyInto(pool, file, ending, []);
    return false;
  }
}

/** Makes a file of these parts. Existing content is from a process that was killed before its journal line. */
function copyInto(pool: Pool, file: string, ending: string, extents: readonly Extent[]): void {
  const { files } = pool;
  const target = pool.path(file + ending);
  const seal = pool.sealOf(file + ending);
  truncateTo(files.append(target), 0);
  let offset = 0;
  try {
    for (const extent of extents)
      for (const chunk of resealed(partOf(pool, extent, ending), seal, offset)) {
        writeAll(files.append(target), chunk);
        offset += chunk.length;
      }
  } catch (error) {
    // A part that fits on a full disk would keep the disk full.
    truncateTo(pool.files.append(target), 0);
    throw error;
  }
}

/** The part of a data or index file that counts. */
export function partOf(pool: Pool, { file, bytes, records }: Extent, ending: string): RowFilePart {
  const path = pool.path(file + ending);
  return {
    open: () => pool.files.read(path),
    path,
    seal: pool.sealOf(file + ending),
    bytes: ending === DATA ? bytes : records * RECORD_BYTES,
  };
}
