import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Writes all bytes at the end of a file that was opened for appending. */
export function appendAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written);
  }
}

/** Reads exactly so many bytes; a shorter file is an error. */
export function readExactly(file: number, bytes: Buffer, position: number): Buffer {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(file, bytes, done, bytes.length - done, position + done);
    if (count === 0)
      throw new Error(`a trace file ends at byte ${position + done}, before its index says so`);
    done += count;
  }
  return bytes;
}

/** Bytes of an open file. */
export function sizeOf(file: number): number {
  return fstatSync(file).size;
}

/** Cuts a file back to what counts of it. */
export function truncateTo(file: number, size: number): void {
  if (sizeOf(file) !== size) ftruncateSync(file, size);
}

/** The two files of a segment. */
interface FilePair {
  readonly data: number;
  readonly index: number;
}

/** Where the files of a segment are. */
export interface SegmentFiles {
  /** Without the ending of either file. */
  readonly path: string;
  /** True for files of another store: they are only read. */
  readonly isBorrowed: boolean;
}

/** Open files, the least recently used of which are closed when there are too many. */
export interface OpenFiles {
  /** The files of a segment; they are created when they are missing, unless they are borrowed. */
  of(location: SegmentFiles): FilePair;
  closeAll(): void;
}

function openForAppending(path: string): number {
  try {
    return openSync(path, "a+", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, "a+", 0o600);
  }
}

function openForReading(path: string): number {
  return openSync(path, "r");
}

function openPair({ path, isBorrowed }: SegmentFiles): FilePair {
  const open = isBorrowed ? openForReading : openForAppending;
  const data = open(`${path}.ndjson`);
  try {
    return { data, index: open(`${path}.index`) };
  } catch (error) {
    closeSync(data);
    throw error;
  }
}

/**
 * What all stores of the process have open, in the order of use: a process may have few files open, and hundreds
 * of forks have a month of days each.
 */
const openPairsOfProcess = new Map<FilePair, () => void>();
const PAIRS_EVERYWHERE_MAX = 256;

function closePair(pair: FilePair): void {
  closeSync(pair.data);
  closeSync(pair.index);
}

/** Holds so many pairs open; the one used longest ago is closed for another. */
export function createOpenFiles(pairsMax: number): OpenFiles {
  // A Map keeps the order of insertion, so its first key is the one used longest ago.
  const pairs = new Map<string, FilePair>();

  function close(path: string): void {
    const pair = pairs.get(path);
    if (pair === undefined) return;
    pairs.delete(path);
    openPairsOfProcess.delete(pair);
    closePair(pair);
  }

  return {
    of(location) {
      const { path } = location;
      const pair = pairs.get(path) ?? openPair(location);
      pairs.delete(path);
      pairs.set(path, pair);
      openPairsOfProcess.delete(pair);
      openPairsOfProcess.set(pair, () => close(path));
      const [oldest] = pairs.keys();
      if (pairs.size > pairsMax && oldest !== undefined) close(oldest);
      const [closeOldest] = openPairsOfProcess.values();
      if (openPairsOfProcess.size > PAIRS_EVERYWHERE_MAX) closeOldest?.();
      return pair;
    },
    closeAll() {
      for (const path of [...pairs.keys()]) close(path);
    },
  };
}
