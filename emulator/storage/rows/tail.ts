import { ownerOf } from "../pool/names.ts";
import { readExactly, truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { DATA, extentsOf, INDEX, type Segment, tailName, waitingBytes } from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";

const COPIED_AT_ONCE = 1024 * 1024;
/** To copy so many bytes costs no more than to open their files. */
const SMALL_BYTES = 16 * 1024;
/** A larger file is left alone while it is more than so many times as large as all behind it: rows are copied a few times at most. */
const TIMES_AS_LARGE = 4;

type Extent = ReturnType<typeof extentsOf>[number];

/**
 * Begins the tail of an owner behind the files of others. Those that are small beside what follows are copied into it, since each
 * fork of a fork adds a file, of which there are never many. Positions and offsets go on from file to file, so that no
 * record changes. The files that were named before stay as they are.
 */
export function beginTail(pool: Pool, segment: Segment, owner: number, tail: number): void {
  const { rowFiles, filedRecords: firstRecord, filedBytes: firstByte } = segment;
  const all = extentsOf(segment);
  const first = firstToCopy(all, waitingBytes(segment));
  const file = tailName(owner, segment);
  for (const ending of [DATA, INDEX]) copyInto(pool, file, ending, all.slice(first));
  const start = rowFiles[first] ?? { firstRecord, firstByte };
  const copied = rowFiles.splice(first, rowFiles.length, { ...start, file, below: null, tail });
  for (const rowFile of copied) pool.suspects.add(ownerOf(rowFile.file));
}

function firstToCopy(extents: readonly Extent[], waiting: number): number {
  let first = extents.length;
  for (let size = waiting; first > 0; first -= 1) {
    const { bytes, records } = extents[first - 1] as Extent;
    const before = bytes + records * RECORD_BYTES;
    if (before > Math.max(SMALL_BYTES, TIMES_AS_LARGE * size)) break;
    size += before;
  }
  return first;
}

/** Makes a file of these parts; what lies there was left by a process that ended before its journal line. */
function copyInto(pool: Pool, file: string, ending: string, extents: readonly Extent[]): void {
  const target = pool.path(file + ending);
  truncateTo(pool.files.append(target), 0);
  try {
    for (const { file: from, bytes, records } of extents)
      appendPart(pool, pool.path(from + ending), target, ending === DATA ? bytes : records * RECORD_BYTES);
  } catch (error) {
    // What a full disk took of it would keep that disk full.
    truncateTo(pool.files.append(target), 0);
    throw error;
  }
}

function appendPart({ files }: Pool, from: string, to: string, size: number): void {
  for (let done = 0; done < size; done += COPIED_AT_ONCE) {
    const part = Buffer.allocUnsafe(Math.min(COPIED_AT_ONCE, size - done));
    writeAll(files.append(to), readExactly(files.read(from), part, done));
  }
}
