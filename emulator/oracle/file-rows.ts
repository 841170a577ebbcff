import { yieldToEventLoop } from "../storage/yield-to-event-loop.ts";
import { type ParquetFile, type ParquetReadOptions, readParquetFile } from "./parquet-file.ts";

/** A file that is not a complete Parquet file. */
export class DamagedFile extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "DamagedFile";
  }
}

/** Rejects with `DamagedFile` when the bytes are not a Parquet file. */
export async function openFile(bytes: Uint8Array, options: ParquetReadOptions = {}): Promise<ParquetFile> {
  try {
    return await readParquetFile(bytes, options);
  } catch (error) {
    throw new DamagedFile(error);
  }
}

type RowBatch = readonly Readonly<Record<string, unknown>>[];

const BATCH_ROWS = 500;

/** The rows of a file up to a number of them, in batches smaller than a row group. */
export async function* rowsOf(file: ParquetFile, maxRows?: number): AsyncGenerator<RowBatch, undefined> {
  const groups = file.batches(maxRows);
  for (;;) {
    let group: IteratorResult<RowBatch>;
    try {
      group = await groups.next();
    } catch (error) {
      throw new DamagedFile(error);
    }
    if (group.done) return;
    for (let at = 0; at < group.value.length; at += BATCH_ROWS) {
      yield group.value.slice(at, at + BATCH_ROWS);
      await yieldToEventLoop();
    }
  }
}
