import type { ColumnChunk, ColumnMetaData, LogicalType, RowGroup, SchemaElement } from "hyparquet";
import {
  CompressionCodecs,
  ConvertedTypes,
  Encodings,
  FieldRepetitionTypes,
  PageTypes,
  ParquetTypes,
} from "hyparquet/src/constants.js";
import type { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { writeIndexes } from "hyparquet-writer/src/indexes.js";
import { unconvertMinMax } from "hyparquet-writer/src/unconvert.js";
import { CompactWriter, TYPE } from "./compact.ts";

/** Writes everything after the last page of a file. */
export type WriteFooter = (
  writer: ByteWriter,
  rows: Pick<ParquetWriter, "num_rows" | "row_groups" | "pendingIndexes">,
) => void;

const VERSION = 2;
/** `PAR1` */
const MAGIC = 0x31524150;
/** Field ids of the logical types (parquet.thrift, LogicalType). */
const LOGICAL = { STRING: 1, LIST: 3, DECIMAL: 5, TIMESTAMP: 8, JSON: 12 } as const;
const MICROS = 2;

/**
 * Creates a writer for the footers of one schema. The library serializes the schema again for each file and inspects every name and
 * value, which takes a third of the time of a small file. The bytes are the same.
 */
export function createFooterWriter(schema: readonly SchemaElement[], createdBy: string): WriteFooter {
  const leaves = schema.filter(({ type }) => type !== undefined);
  const before = new CompactWriter();
  before.i32(1, VERSION);
  before.list(2, TYPE.struct, schema.length);
  for (const element of schema) before.structItem(() => writeElement(before, element));
  const after = new CompactWriter(4);
  after.binary(6, createdBy);
  after.list(7, TYPE.struct, leaves.length);
  for (const _ of leaves) after.structItem(() => after.struct(1, () => undefined));
  after.end();
  return (writer, { num_rows, row_groups, pendingIndexes }) => {
    writeIndexes(writer, pendingIndexes);
    const to = new CompactWriter();
    to.fields(before.bytes(), 2);
    to.i64(3, num_rows);
    to.list(4, TYPE.struct, row_groups.length);
    for (const group of row_groups) to.structItem(() => writeGroup(to, group, leaves));
    to.fields(after.bytes(), 7);
    const footer = to.bytes();
    writer.appendBytes(footer);
    writer.appendUint32(footer.length);
    writer.appendUint32(MAGIC);
  };
}

function writeElement(to: CompactWriter, element: SchemaElement): void {
  const { type, type_length, repetition_type, name, num_children, converted_type, logical_type } = element;
  to.i32(1, type && ParquetTypes.indexOf(type));
  to.i32(2, type_length);
  to.i32(3, repetition_type && FieldRepetitionTypes.indexOf(repetition_type));
  to.binary(4, name);
  to.i32(5, num_children);
  to.i32(6, converted_type && ConvertedTypes.indexOf(converted_type));
  to.i32(7, element.scale);
  to.i32(8, element.precision);
  if (logical_type) to.struct(10, () => writeLogicalType(to, logical_type));
}

function writeLogicalType(to: CompactWriter, logical: LogicalType): void {
  const field = (LOGICAL as Partial<Record<string, number>>)[logical.type];
  if (field === undefined)
    throw new Error(`Footers with the logical type ${logical.type} are not supported.`);
  to.struct(field, () => {
    if (logical.type === "DECIMAL") {
      to.i32(1, logical.scale);
      to.i32(2, logical.precision);
    } else if (logical.type === "TIMESTAMP") {
      if (logical.unit !== "MICROS")
        throw new Error(`Footers with times in ${logical.unit} are not supported.`);
      to.flag(1, logical.isAdjustedToUTC);
      to.struct(2, () => to.struct(MICROS, () => undefined));
    }
  });
}

function writeGroup(to: CompactWriter, group: RowGroup, leaves: readonly SchemaElement[]): void {
  to.list(1, TYPE.struct, group.columns.length);
  for (const [at, chunk] of group.columns.entries())
    to.structItem(() => writeChunk(to, chunk, leaves[at] as SchemaElement));
  to.i64(2, group.total_byte_size);
  to.i64(3, group.num_rows);
  to.i64(6, group.total_compressed_size);
}

function writeChunk(to: CompactWriter, chunk: ColumnChunk, leaf: SchemaElement): void {
  to.i64(2, chunk.file_offset);
  to.struct(3, () => writeMetadata(to, chunk.meta_data as ColumnMetaData, leaf));
  to.i64(4, chunk.offset_index_offset);
  to.i32(5, chunk.offset_index_length);
}

function writeMetadata(to: CompactWriter, metadata: ColumnMetaData, leaf: SchemaElement): void {
  const { type, encodings, path_in_schema, codec, statistics, encoding_stats } = metadata;
  to.i32(1, ParquetTypes.indexOf(type));
  to.list(2, TYPE.i32, encodings.length);
  for (const encoding of encodings) to.item(Encodings.indexOf(encoding));
  to.list(3, TYPE.binary, path_in_schema.length);
  for (const name of path_in_schema) to.item(name);
  to.i32(4, CompressionCodecs.indexOf(codec));
  to.i64(5, metadata.num_values);
  to.i64(6, metadata.total_uncompressed_size);
  to.i64(7, metadata.total_compressed_size);
  to.i64(9, metadata.data_page_offset);
  to.i64(11, metadata.dictionary_page_offset);
  if (statistics) to.struct(12, () => writeStatistics(to, statistics, leaf));
  if (!encoding_stats) return;
  to.list(13, TYPE.struct, encoding_stats.length);
  for (const { page_type, encoding, count } of encoding_stats)
    to.structItem(() => {
      to.i32(1, PageTypes.indexOf(page_type));
      to.i32(2, Encodings.indexOf(encoding));
      to.i32(3, count);
    });
}

type Statistics = NonNullable<ColumnMetaData["statistics"]> & { readonly nan_count?: bigint };

function writeStatistics(to: CompactWriter, statistics: Statistics, leaf: SchemaElement): void {
  const { min_value, max_value, null_count, nan_count } = statistics;
  const [max, min] = [unconvertMinMax(max_value, leaf, true), unconvertMinMax(min_value, leaf, false)];
  to.i64(3, null_count);
  if (max) to.binary(5, max);
  if (min) to.binary(6, min);
  if (max && isTruncated(max_value, max)) to.flag(7, false);
  if (min && isTruncated(min_value, min)) to.flag(8, false);
  to.i64(9, nan_count);
}

/** Whether a bound is only a prefix of the value. */
function isTruncated(value: unknown, bytes: Uint8Array): boolean {
  const isText = typeof value === "string" || value instanceof Uint8Array;
  return isText && bytes.length !== Buffer.byteLength(value);
}
