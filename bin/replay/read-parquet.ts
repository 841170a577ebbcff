import type { ReadParquet } from "../../scenarios/environment.ts";

/** Reads exported files with the reader of the oracle. */
export const readParquet: ReadParquet = async (bytes) => {
  const { readParquetFile } = await import("../../emulator/storage/parquet/read-file.ts");
  return readParquetFile(bytes);
};
