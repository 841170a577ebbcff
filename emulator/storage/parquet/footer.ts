import type { ColumnChunk, ColumnMetaData, RowGroup, SchemaElement } from "hyparquet";
import { CompressionCodecs, Encodings, PageTypes, ParquetTypes } from "hyparquet/src/constants.js";
import { ByteWriter, type ParquetWriter } from "hyparquet-writer";
import { writeIndexes } from "hyparquet-writer/src/indexes.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { serializeTCompactProtocol, ThriftStruct } from "hyparquet-writer/src/thrift.js";
import { unconvertMinMax } from "hyparquet-writer/src/unconvert.js";

/** Writes everything after the last page of a file. */
export type WriteFooter = (
  writer: ByteWriter,
  rows: Pick<ParquetWriter, "num_rows" | "row_groups" | "pendingIndexes">,
) => void;

const VERSION = 2;
/** `PAR1` */
const MAGIC = 0x31524150;
/** Type codes of the compact protocol of Thrift. */
const [FALSE, I32, I64, BINARY, LIST, STRUCT] = [2, 5, 6, 8, 9, 12] as const;
/** The members for the number of rows and the row groups of a file without rows. */
const NO_ROWS = Buffer.of(0x16, 0, 0x19, 0);
const LENGTH_BYTES = 4;

/**
 * Creates a writer for the footers of one schema. The library serializes the schema again for each file and inspects every name and
 * value, which takes a third of the time of a small file. The bytes are the same.
 */
export function createFooterWriter(schema: SchemaElement[], createdBy: string): WriteFooter {
  const leaves = schema.filter(({ type }) => type !== undefined);
  const [before, after] = partsAroundRows(schema, createdBy);
  const rows = new ByteWriter();
  return (writer, { num_rows, row_groups, pendingIndexes }) => {
    writeIndexes(writer, pendingIndexes);
    rows.index = 0;
    // The distances between ids are the same as those of the members 3 and 4 after 2.
    const groups = row_groups.map((group) => groupOf(group, leaves));
    serializeTCompactProtocol(rows, { field_1: num_rows, field_2: groups });
    const footer = Buffer.concat([before, rows.getBytes().subarray(0, -1), after]);
    writer.appendBytes(footer);
    writer.appendUint32(footer.length);
    writer.appendUint32(MAGIC);
  };
}

/** The bytes of a footer before and after the members with its rows. */
function partsAroundRows(schema: SchemaElement[], createdBy: string): readonly [Buffer, Buffer] {
  const writer = new ByteWriter();
  const noRows = { num_rows: 0n, row_groups: [], metadata_length: 0 };
  writeMetadata(writer, { version: VERSION, schema, created_by: createdBy, ...noRows });
  const bytes = Buffer.from(writer.getBytes());
  const at = bytes.lastIndexOf(NO_ROWS, bytes.lastIndexOf(createdBy));
  return [bytes.subarray(0, at), bytes.subarray(at + NO_ROWS.length, -LENGTH_BYTES)];
}

/** The types are given, because the library would infer that of each value. */
function groupOf(group: RowGroup, leaves: readonly SchemaElement[]): ThriftStruct {
  const columns = group.columns.map((chunk, at) => chunkOf(chunk, leaves[at] as SchemaElement));
  return new ThriftStruct([
    [1, LIST, columns],
    [2, I64, group.total_byte_size],
    [3, I64, group.num_rows],
    [6, I64, group.total_compressed_size],
  ]);
}

function chunkOf(chunk: ColumnChunk, leaf: SchemaElement): ThriftStruct {
  return new ThriftStruct([
    [2, I64, chunk.file_offset],
    [3, STRUCT, metadataOf(chunk.meta_data as ColumnMetaData, leaf)],
    [4, I64, chunk.offset_index_offset],
    [5, I32, chunk.offset_index_length],
  ]);
}

function metadataOf(metadata: ColumnMetaData, leaf: SchemaElement): ThriftStruct {
  const { statistics, encoding_stats } = metadata;
  return new ThriftStruct([
    [1, I32, ParquetTypes.indexOf(metadata.type)],
    [2, LIST, metadata.encodings.map((encoding) => Encodings.indexOf(encoding))],
    [3, LIST, metadata.path_in_schema],
    [4, I32, CompressionCodecs.indexOf(metadata.codec)],
    [5, I64, metadata.num_values],
    [6, I64, metadata.total_uncompressed_size],
    [7, I64, metadata.total_compressed_size],
    [9, I64, metadata.data_page_offset],
    [11, I64, metadata.dictionary_page_offset],
    [12, STRUCT, statistics && statisticsOf(statistics, leaf)],
    [13, LIST, encoding_stats?.map(statsOf)],
  ]);
}

function statsOf({ page_type, encoding, count }: NonNullable<ColumnMetaData["encoding_stats"]>[number]) {
  return new ThriftStruct([
    [1, I32, PageTypes.indexOf(page_type)],
    [2, I32, Encodings.indexOf(encoding)],
    [3, I32, count],
  ]);
}

type Statistics = NonNullable<ColumnMetaData["statistics"]> & { readonly nan_count?: bigint };

function statisticsOf({ min_value, max_value, null_count, nan_count }: Statistics, leaf: SchemaElement) {
  const [max, min] = [unconvertMinMax(max_value, leaf, true), unconvertMinMax(min_value, leaf, false)];
  return new ThriftStruct([
    [3, I64, null_count],
    [5, BINARY, max],
    [6, BINARY, min],
    [7, FALSE, isTruncated(max_value, max) ? false : undefined],
    [8, FALSE, isTruncated(min_value, min) ? false : undefined],
    [9, I64, nan_count],
  ]);
}

/** Whether a bound is only a prefix of the value. */
function isTruncated(value: unknown, bytes: Uint8Array | undefined): boolean {
  const isText = typeof value === "string" || value instanceof Uint8Array;
  return isText && bytes?.length !== Buffer.byteLength(value);
}
