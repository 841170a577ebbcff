import { gunzipSync } from "node:zlib";
import type { SchemaElement, SchemaTree } from "hyparquet";
import type { ParquetColumn, ReadFile } from "../engine/target.ts";

/** Times as ISO 8601 text, with as many decimals as they need: the library would cut them to milliseconds. */
const PARSERS = {
  timestampFromMilliseconds: (value: bigint) => timeText(value * 1000n),
  timestampFromMicroseconds: timeText,
  timestampFromNanoseconds: (value: bigint) => timeText(value / 1000n),
};

function timeText(micros: bigint): string {
  const inSecond = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - inSecond) / 1000n)).toISOString().slice(0, 19);
  const decimals = String(inSecond)
    .padStart(6, "0")
    .replace(/(000)+$/, "");
  return `${seconds}${decimals && `.${decimals}`}Z`;
}

/** Reads a Parquet file with a library that is independent of the tested writer. */
export async function readParquet(bytes: Uint8Array): Promise<ReadFile> {
  const [{ parquetMetadata, parquetReadObjects, parquetSchema }, { decompress }] = await Promise.all([
    import("hyparquet"),
    import("fzstd"),
  ]);
  const file = new Uint8Array(bytes).buffer;
  const compressors = {
    GZIP: (input: Uint8Array) => new Uint8Array(gunzipSync(input)),
    ZSTD: (input: Uint8Array, length: number) => decompress(input, new Uint8Array(length)),
  };
  const metadata = parquetMetadata(file);
  const rows = await parquetReadObjects({ file, compressors, parsers: PARSERS });
  const codec = metadata.row_groups[0]?.columns[0]?.meta_data?.codec ?? "UNCOMPRESSED";
  return { columns: parquetSchema(metadata).children.map(columnOf), codec, rows };
}

function columnOf(column: SchemaTree): ParquetColumn {
  const elements = elementsOf(column);
  return {
    name: column.element.name,
    type: typeOf(elements.at(-1) ?? column.element),
    repeated: elements.some(({ repetition_type }) => repetition_type === "REPEATED"),
  };
}

/** A column and what is below it; the last one has its type. */
function elementsOf({ element, children }: SchemaTree): readonly SchemaElement[] {
  return [element, ...children.flatMap(elementsOf)];
}

function typeOf({ type = "BYTE_ARRAY", logical_type, converted_type }: SchemaElement): string {
  if (logical_type?.type === "TIMESTAMP") return logical_type.isAdjustedToUTC ? "TIMESTAMP_UTC" : "TIMESTAMP";
  return logical_type?.type ?? converted_type ?? type;
}
