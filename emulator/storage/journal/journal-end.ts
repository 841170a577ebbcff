import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { areSealed, sealBlocks } from "../checksum.ts";
import { numberOf, ownerOf } from "../pool/names.ts";
import { writeAll } from "../pool/open-files.ts";
import type { Pool, PoolNames } from "../pool/pool.ts";

/** The number of a journal (u32), the end of its lines (f64) and the checksum. */
const BYTES = 16;
const END = 4;

/** The file with the end of the journal that an owner writes. With it, a journal that was replaced by an earlier version is found. */
export function endFileOf(journal: string): string {
  return `${ownerOf(journal)}/journal-end`;
}

/** Creates the file, in place of an existing one. */
export function beginJournalEnd(pool: PoolNames, journal: string, end: number): void {
  const path = pool.path(endFileOf(journal));
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, bytesOf(pool, journal, end), { mode: 0o600 });
}

/** Writes the end of the lines of a journal, after the lines. */
export function writeJournalEnd(
  pool: Pick<Pool, keyof PoolNames | "files">,
  journal: string,
  end: number,
): void {
  writeAll(pool.files.change(pool.path(endFileOf(journal))), bytesOf(pool, journal, end), 0);
}

function bytesOf({ sealOf }: PoolNames, journal: string, end: number): Buffer {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeUInt32LE(numberOf(journal), 0);
  bytes.writeDoubleLE(end, END);
  sealBlocks(bytes, BYTES, sealOf(endFileOf(journal)), 0);
  return bytes;
}

/** The end of the acknowledged lines of a journal; 0 when the file cannot be used, since it has no data. */
export function readJournalEnd({ path, sealOf }: PoolNames, journal: string): number {
  const name = endFileOf(journal);
  const bytes = contentOf(path(name));
  const isOfJournal =
    bytes.length === BYTES &&
    areSealed(bytes, sealOf(name), 0) &&
    bytes.readUInt32LE(0) === numberOf(journal);
  return isOfJournal ? bytes.readDoubleLE(END) : 0;
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
