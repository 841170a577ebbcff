import { gunzipSync } from "node:zlib";
import type { AsyncBuffer, Compressors as Decompressors, FileMetaData, SchemaElement } from "hyparquet";
import { type Column, type ColumnType, FILE_COLUMNS } from "../../contracts/spec/bulk-exports/columns.ts";
import { parseExact } from "../../contracts/spec/exact-json.ts";
import { plainNumeral, plainNumeralOfDouble } from "./plain-numeral.ts";

interface FileColumn {
  readonly name: string;
  /** A column type of the specification's table, or the type in the file when it is not one of these. */
  readonly type: ColumnType | (string & {});
}

/** The columns of a file in their order, and its rows in the representation of `canonicalValue`. */
export interface ParquetFile {
  readonly columns: readonly FileColumn[];
  readonly rowCount: number;
  readonly metadata: FileMetaData;
  /** Rows from `from` to before `to`. */
  rows(from: number, to: number): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** One row group at a time, up to a number of rows. */
  batches(maxRows?: number): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]>;
}

/** With `json: "bytes"`, values of JSON columns are the bytes of their texts, which are neither decoded nor parsed. */
export interface ParquetReadOptions {
  readonly json?: "bytes";
}

interface Leaf extends FileColumn {
  readonly element: SchemaElement;
}

function typeOfLeaf(element: SchemaElement): FileColumn["type"] {
  const { type = "group", converted_type: converted, logical_type: logical } = element;
  if (logical?.type === "TIMESTAMP" && type === "INT64" && logical.unit === "MICROS") {
    return logical.isAdjustedToUTC ? "timestamp" : "local_timestamp";
  }
  if (converted === "DECIMAL" && element.scale === 12) return "decimal";
  if (converted === "JSON") return "json";
  if (converted === "UTF8") return "string";
  const bare = converted === undefined && logical === undefined;
  if (bare && type === "BOOLEAN") return "boolean";
  if (bare && type === "INT64") return "int64";
  if (bare && type === "DOUBLE") return "double";
  return [type, converted, logical?.type].filter((word) => word !== undefined).join(" ");
}

function typeOfList(elements: readonly SchemaElement[]): FileColumn["type"] {
  const [list, repeated, element] = elements;
  const isList = list?.converted_type === "LIST" && repeated?.repetition_type === "REPEATED";
  const item = element === undefined ? "nothing" : typeOfLeaf(element);
  return isList && item === "string" ? "strings" : `group of ${item}`;
}

/** The number of elements in the flat schema that belong to the one at this index, including itself. */
function extentOf(schema: readonly SchemaElement[], at: number): number {
  let extent = 1;
  for (let child = 0; child < (schema[at]?.num_children ?? 0); child += 1) {
    extent += extentOf(schema, at + extent);
  }
  return extent;
}

function leavesOf(schema: readonly SchemaElement[]): Leaf[] {
  const leaves: Leaf[] = [];
  for (let at = 1; at < schema.length; ) {
    const extent = extentOf(schema, at);
    const elements = schema.slice(at, at + extent);
    const element = elements[0] as SchemaElement;
    const type = extent === 1 ? typeOfLeaf(element) : typeOfList(elements);
    leaves.push({ name: element.name, type, element });
    at += extent;
  }
  return leaves;
}

function signedInteger(bytes: Uint8Array): bigint {
  const unsigned = BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`);
  return BigInt.asIntN(bytes.length * 8, unsigned);
}

const text = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

// The library would convert times and decimals to inexact values, so it is configured to return the raw values.
const PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && text.decode(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && text.decode(bytes),
  timestampFromMicroseconds: (micros: bigint | undefined) => micros,
};

/** The types that the library converts are removed where the values are needed unchanged. */
function withoutConversions(
  metadata: FileMetaData,
  isRaw: (element: SchemaElement) => boolean,
): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (element.converted_type !== "DECIMAL" && !isRaw(element)) return element;
    const { converted_type: _, logical_type: __, ...rest } = element;
    return rest;
  });
  return { ...metadata, schema };
}

function integerOf(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Converts the values of a column, other than null, into the representation in which rows are compared; undefined for none. */
function converterOf({ name, type, element }: Leaf): ((value: unknown) => unknown) | undefined {
  if (type === "timestamp" || type === "local_timestamp") return (value) => instantOf(value as bigint);
  if (type === "double") return (value) => plainNumeralOfDouble(value as number);
  if (type === "int64") return (value) => integerOf(value as bigint);
  if (type === "decimal")
    return (value) => {
      const integer = value instanceof Uint8Array ? signedInteger(value) : BigInt(value as bigint);
      return plainNumeral(integer, element.scale ?? 0);
    };
  const column = columnOf(name);
  const isJsonText = column?.v2 === "json" || (column?.v2 === "strings" && type === "string");
  return isJsonText ? (value) => (typeof value === "string" ? parseExact(value) : value) : undefined;
}

function columnOf(name: string): Column | undefined {
  return name in FILE_COLUMNS ? FILE_COLUMNS[name as keyof typeof FILE_COLUMNS] : undefined;
}

/** Bytes in the form that the Parquet reader needs. They may be part of a larger buffer. */
export function bufferOf(bytes: Uint8Array): AsyncBuffer {
  const start = bytes.byteOffset;
  const buffer = bytes.buffer as ArrayBuffer;
  return {
    byteLength: bytes.byteLength,
    slice: (from, to = bytes.byteLength) => buffer.slice(start + from, start + to),
  };
}

/** Opens a Parquet file in memory. A damaged file throws, here or when its rows are read. */
export async function readParquetFile(
  bytes: Uint8Array,
  { json }: ParquetReadOptions = {},
): Promise<ParquetFile> {
  const { parquetMetadataAsync, parquetReadObjects } = await import("hyparquet");
  const file = bufferOf(bytes);
  const compressors = await loadDecompressors();
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const leaves = leavesOf(metadata.schema);
  const converters = leaves.map((leaf) => ({ name: leaf.name, convert: converterOf(leaf) }));
  const isDecoded = json !== "bytes";
  const exact = withoutConversions(
    metadata,
    ({ name, type }) => !isDecoded && type === "BYTE_ARRAY" && columnOf(name)?.v2 === "json",
  );

  async function rows(rowStart: number, rowEnd: number) {
    const options = {
      file,
      metadata: exact,
      compressors,
      parsers: PARSERS,
      rowStart,
      rowEnd,
      utf8: isDecoded,
    };
    const objects = await parquetReadObjects({ ...options, geoparquet: false });
    // In place, column by column: a second object for each row would take as long as reading it.
    for (const { name, convert } of converters)
      for (const row of objects) {
        const value = row[name] ?? null;
        row[name] = value === null || !convert ? value : convert(value);
      }
    return objects;
  }

  async function* batches(maxRows = Number.POSITIVE_INFINITY) {
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = Math.min(maxRows, rowStart + Number(group.num_rows));
      if (rowStart >= rowEnd) return;
      yield await rows(rowStart, rowEnd);
      rowStart = rowEnd;
    }
  }

  const columns = leaves.map(({ name, type }) => ({ name, type }));
  return { columns, rowCount: Number(metadata.num_rows), metadata, rows, batches };
}

/** The text of microseconds since 1970, as rows have it. */
function instantOf(micros: bigint): string {
  const inSecond = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - inSecond) / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(inSecond).padStart(6, "0")}Z`;
}

/** `fzstd` decompresses ten times as fast as the library that compresses. */
async function loadDecompressors(): Promise<Decompressors> {
  const { decompress } = await import("fzstd");
  return { GZIP: (bytes) => gunzipSync(bytes), ZSTD: (bytes) => decompress(bytes) };
}
