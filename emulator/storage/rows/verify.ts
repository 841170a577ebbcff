import { closeSync, readSync } from "node:fs";
import { areSealed } from "../checksum.ts";
import type { NamedRows } from "../pool/names.ts";
import { openStored } from "../pool/open-files.ts";
import type { Pool } from "../pool/pool.ts";
import { damaged, readStored, StoreError } from "../store-error.ts";
import { type LocatedFile, locateFiles, readSidecar } from "./plan.ts";
import { loadRowFile } from "./row-files.ts";
import { createSegment, DATA } from "./segment.ts";
import { viewSidecar } from "./sidecar.ts";

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
