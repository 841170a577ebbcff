import {
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { appendAll, readExactly } from "./open-files.ts";
import type { Segment } from "./segment.ts";
import { RECORD_BYTES } from "./sidecar.ts";

const PIECE_BYTES = 1024 * 1024;

function copyPieces(from: string, to: string, size: number): void {
  const source = openSync(from, "r");
  try {
    const target = openSync(to, "w", 0o600);
    try {
      const piece = Buffer.allocUnsafe(Math.min(size, PIECE_BYTES));
      for (let done = 0; done < size; ) {
        const bytes = readExactly(source, piece.subarray(0, Math.min(piece.length, size - done)), done);
        appendAll(target, bytes);
        done += bytes.length;
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

/** Copies the beginning of a file; the copy is there whole or not at all. */
export function copyBeginning(from: string, to: string, size: number): void {
  const temporary = `${to}.new`;
  try {
    // Many file systems share the blocks of a whole copy until one of the two is written to.
    if (statSync(from).size === size) copyFileSync(from, temporary, constants.COPYFILE_FICLONE);
    else copyPieces(from, temporary, size);
    renameSync(temporary, to);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Copies what counts of a segment to another path; answers how many bytes that were. */
export function copySegment({ path, records, dataBytes }: Segment, to: string): number {
  const indexBytes = records * RECORD_BYTES;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  // The sidecar comes last: without it the copy does not count, so a process may end in between.
  copyBeginning(`${path}.ndjson`, `${to}.ndjson`, dataBytes);
  copyBeginning(`${path}.index`, `${to}.index`, indexBytes);
  return dataBytes + indexBytes;
}
