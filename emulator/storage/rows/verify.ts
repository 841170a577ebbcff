import { open } from "node:fs/promises";
import { areSealed } from "../checksum.ts";
import { type LocatedPiece, readSidecar } from "./plan.ts";
import { DATA } from "./segment.ts";
import { viewSidecar } from "./sidecar.ts";

/** A row that is not as it was written. */
export interface DamagedLine {
  readonly id: string;
  /** Of its record in the sidecar. */
  readonly position: number;
  /** Of its line in the data file. */
  readonly byte: number;
}

const BATCH_BYTES = 4 * 1024 * 1024;

/** Reads all rows of a piece, a bounded number of bytes at a time; throws a `StoreError` when the sidecar is damaged. */
export async function* damagedLines(piece: LocatedPiece): AsyncGenerator<DamagedLine> {
  const { path, firstByte, records } = piece;
  const view = viewSidecar(readSidecar(piece));
  const endOf = (position: number): number => view.offset(position) + view.length(position);
  const rows = Array.from({ length: records }, (_, position) => position).filter(view.length);
  const data = await open(path + DATA, "r");
  try {
    while (rows.length > 0) {
      const begin = view.offset(rows[0] ?? 0);
      const past = rows.findIndex((position, at) => at > 0 && endOf(position) - begin > BATCH_BYTES);
      const batch = rows.splice(0, past < 0 ? rows.length : past);
      const bytes = Buffer.allocUnsafe(endOf(batch.at(-1) ?? 0) - begin);
      const { bytesRead } = await data.read(bytes, 0, bytes.length, begin - firstByte);
      for (const position of batch) {
        const start = view.offset(position) - begin;
        const stop = start + view.length(position);
        if (stop <= bytesRead && areSealed(bytes.subarray(start, stop))) continue;
        yield { id: view.id(position), position, byte: view.offset(position) - firstByte };
      }
    }
  } finally {
    await data.close();
  }
}
