import type { ColumnChunk, RowGroup } from "hyparquet";
import type { PageOf, ParquetPage } from "../../subjects/control-operation.ts";
import { readParquetFile } from "./read-file.ts";

/** Longer texts of a cell are truncated, so that a page of large rows stays small. */
const MAX_CELL_CHARACTERS = 2_000;

/** The metadata of a Parquet file, and some of its rows. Throws for a damaged file. */
export async function readParquetPage(bytes: Uint8Array, { offset, limit }: PageOf): Promise<ParquetPage> {
  const file = await readParquetFile(bytes);
  const end = Math.min(file.rowCount, offset + limit);
  const rows = offset < end ? await file.rows(offset, end) : [];
  const { created_by, row_groups } = file.metadata;
  return {
    rows_total: file.rowCount,
    offset,
    created_by: created_by ?? null,
    columns: file.columns,
    row_groups: row_groups.map(groupView),
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)])),
    ),
  };
}

function groupView({ num_rows, total_byte_size, columns }: RowGroup): ParquetPage["row_groups"][number] {
  return {
    rows: Number(num_rows),
    bytes: Number(total_byte_size),
    columns: columns.map(chunkView),
  };
}

function chunkView({ meta_data }: ColumnChunk): ParquetPage["row_groups"][number]["columns"][number] {
  const { statistics } = meta_data ?? {};
  return {
    name: meta_data?.path_in_schema.join(".") ?? "",
    codec: meta_data?.codec ?? "",
    encodings: meta_data?.encodings ?? [],
    bytes: Number(meta_data?.total_compressed_size ?? 0),
    bytes_uncompressed: Number(meta_data?.total_uncompressed_size ?? 0),
    min: cell(statistics?.min_value ?? statistics?.min ?? null),
    max: cell(statistics?.max_value ?? statistics?.max ?? null),
    nulls: statistics?.null_count === undefined ? null : Number(statistics.null_count),
  };
}

/** Bytes as hexadecimal, large integers and times as text, long texts truncated. */
function cell(value: unknown): unknown {
  if (value instanceof Uint8Array) return cell(Buffer.from(value).toString("hex"));
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "string") return truncated(value);
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  return text.length > MAX_CELL_CHARACTERS ? truncated(text) : value;
}

function truncated(text: string): string {
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text;
}
