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
import { type Segment, sizesOf } from "./segment.ts";

/** The beginning of a file. */
interface Part {
  readonly from: string;
  readonly size: number;
}

const BYTES_AT_A_TIME = 1024 * 1024;

function appendPart(target: number, { from, size }: Part): void {
  const source = openSync(from, "r");
  try {
    const room = Buffer.allocUnsafe(Math.min(size, BYTES_AT_A_TIME));
    for (let done = 0; done < size; ) {
      const bytes = readExactly(source, room.subarray(0, Math.min(room.length, size - done)), done);
      appendAll(target, bytes);
      done += bytes.length;
    }
  } finally {
    closeSync(source);
  }
}

function appendParts(parts: readonly Part[], to: string): void {
  const target = openSync(to, "w", 0o600);
  try {
    for (const part of parts) appendPart(target, part);
  } finally {
    closeSync(target);
  }
}

/** Copies the beginnings of files into one; the copy is there whole or not at all. */
export function copyBeginnings(parts: readonly Part[], to: string): void {
  const temporary = `${to}.new`;
  const [only, another] = parts;
  try {
    // Many file systems share the blocks of a whole copy until one of the two is written to.
    if (only !== undefined && another === undefined && statSync(only.from).size === only.size)
      copyFileSync(only.from, temporary, constants.COPYFILE_FICLONE);
    else appendParts(parts, temporary);
    renameSync(temporary, to);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Copies what counts of a segment, in however many pieces it is, to two files of one path. */
export function copySegment(segment: Segment, to: string): void {
  const sizes = sizesOf(segment);
  const data = sizes.map(({ path, dataBytes: size }) => ({ from: `${path}.ndjson`, size }));
  const index = sizes.map(({ path, indexBytes: size }) => ({ from: `${path}.index`, size }));
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  // The sidecar comes last: without it the copy does not count, so a process may end in between.
  copyBeginnings(data, `${to}.ndjson`);
  copyBeginnings(index, `${to}.index`);
}
