import { areSealed, type Seal, sealBlocks, sealLines } from "../checksum.ts";
import { ownerOf } from "../pool/names.ts";
import { readExactly, truncateTo, writeAll } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged, unlessDamaged } from "../store-error.ts";
import { DATA, type Extent, extentsOf, INDEX, type Segment, tailName, waitingBytes } from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";

const CHUNK_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Checks the content of a data or index file and seals it for an offset of another file, if one is given. */
export function createResealer(path: string, from: Seal, to?: Seal, offset = 0) {
  const isData = path.endsWith(DATA);
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let at = 0;

  /** The bytes after the last whole line or record. */
  function restAfter(chunk: Uint8Array): number {
    if (!isData) return waitingBytes % RECORD_BYTES;
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    return end === 0 ? waitingBytes : chunk.length - end;
  }

  /** Throws for the first damaged line or record. */
  function check(whole: Buffer): void {
    if (areSealed(whole, from, at)) return;
    for (let start = 0, stop = 0; start < whole.length; start = stop) {
      stop = isData ? whole.indexOf(LINE_FEED, start) + 1 : start + RECORD_BYTES;
      if (!areSealed(whole.subarray(start, stop), from, at + start))
        throw damaged(path, `byte ${at + start}`);
    }
  }

  return {
    /** Adds a chunk. Returns the whole lines or records so far. Throws a `StoreError` when they are damaged. */
    add(chunk: Uint8Array): Buffer {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      const rest = restAfter(chunk);
      if (rest > MAX_LINE_BYTES) throw damaged(path, `byte ${at}`);
      if (rest === waitingBytes) return NOTHING;
      const all = Buffer.concat(waiting);
      const whole = all.subarray(0, waitingBytes - rest);
      check(whole);
      if (to !== undefined && isData) sealLines(whole, to, offset + at);
      else if (to !== undefined) sealBlocks(whole, RECORD_BYTES, to, offset + at);
      at += whole.length;
      waiting = [all.subarray(whole.length)];
      waitingBytes = rest;
      return whole;
    },
    /** Throws a `StoreError` when the last line or record is incomplete. */
    end(): void {
      if (waitingBytes > 0) throw damaged(path, `byte ${at}`);
    },
  };
}

/** The first bytes of a data or index file. */
export interface RowFilePart {
  readonly file: string;
  readonly bytes: number;
}

/** Reads a part in chunks, sealed for an offset of another file. Throws a `StoreError` for damage. */
export function* resealed(
  pool: Pool,
  { file, bytes }: RowFilePart,
  to?: Seal,
  offset = 0,
): Generator<Buffer> {
  const path = pool.path(file);
  const resealer = createResealer(path, pool.sealOf(file), to, offset);
  for (let at = 0; at < bytes; at += CHUNK_BYTES) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - at));
    yield resealer.add(readExactly(pool.files.read(path), chunk, at, path));
  }
  resealer.end();
}

/** Copying this many bytes costs no more than opening their files. */
const SMALL_BYTES = 16 * 1024;
/** A larger file is not copied while it is this many times as large as all data after it, so rows are copied only a few times. */
const MAX_SIZE_RATIO = 4;

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
  const copy = (parts: readonly Extent[]): true => {
    for (const ending of [DATA, INDEX]) copyInto(pool, file, ending, parts);
    return true;
  };
  const isCopied = unlessDamaged(() => copy(extents)) === true;
  if (!isCopied) copy([]);
  return isCopied;
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
      for (const chunk of resealed(pool, partOf(extent, ending), seal, offset)) {
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
export function partOf({ file, bytes, records }: Extent, ending: string): RowFilePart {
  return { file: file + ending, bytes: ending === DATA ? bytes : records * RECORD_BYTES };
}
