import type { ReadParquet } from "../../scenarios/environment.ts";

/** Reads exported files with the reader of the oracle. */
export const readParquet: ReadParquet = async (bytes) => {
  const { readParquetFile } = await import("../../emulator/oracle/parquet-file.ts");
  return readParquetFile(bytes);
};
