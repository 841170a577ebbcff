import type { SchemaElement } from "hyparquet";
import type { ColumnSource } from "hyparquet-writer";
import type { EncodedFile, FileRequest } from "../../subjects/bulk-exports/encoder.ts";
import { rowOf, type StoredRow, splitLine } from "../rows/lines.ts";
import type { PartitionReader } from "../rows/partition-reader.ts";
import { loadCodec } from "./codecs.ts";
import { createFileBytes } from "./file-bytes.ts";
import type { WriteFooter } from "./footer.ts";
import { rowFilter } from "./row-filter.ts";
import { encodingSchemaOf, schemaOf, typeOf } from "./schema.ts";
import { valuesOf } from "./values.ts";

const CREATED_BY = "trace-platform-emulator";
// A row group is what was read at once; with a filter, which may leave little of that, it is encoded once it has so much.
const GROUP_ROWS = 10_000;
const GROUP_BYTES = 8 * 1024 * 1024;
// Most files of a schedule are small: a large buffer for each would cost more than all the rest.
const FIRST_BYTES = 64 * 1024;

/**
 * JSON columns hold long texts that hardly repeat: a dictionary and bounds of them would cost much and say
 * nothing. The default format has no dictionaries at all: readers that know only the older names of
 * the encodings take plain values.
 */
function sourceOf(
  name: ColumnSource["name"],
  data: unknown[],
  isJson: boolean,
  isPlain: boolean,
): ColumnSource {
  return {
    name,
    data,
    ...(isPlain || isJson ? { encoding: "PLAIN" as const } : {}),
    ...(isJson ? { statistics: false } : {}),
  };
}

interface GrowingFile {
  add(rows: readonly StoredRow[]): void;
  finish(): Uint8Array<ArrayBuffer>;
}

/** What the files of some columns have in common. */
interface Layout {
  readonly schema: SchemaElement[];
  readonly writeFooter: WriteFooter;
}

const layouts = new Map<string, Layout>();
const LAYOUTS_MAX = 64;

/** The encoding library is loaded with the first file. */
async function layoutOf({ columns, formatVersion }: FileRequest): Promise<Layout> {
  const key = `${formatVersion} ${columns}`;
  const known = layouts.get(key);
  if (known) return known;
  const { createFooterWriter } = await import("./footer.ts");
  const schema = schemaOf(columns, formatVersion);
  const layout = {
    schema: encodingSchemaOf(schema),
    writeFooter: createFooterWriter(schema, CREATED_BY),
  };
  if (layouts.size >= LAYOUTS_MAX) layouts.clear();
  layouts.set(key, layout);
  return layout;
}

async function startFile(order: FileRequest): Promise<GrowingFile> {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const { columns, formatVersion } = order;
  const { codec, compress } = await loadCodec(order.compression);
  const { schema, writeFooter } = await layoutOf(order);
  const bytes = createFileBytes(new ByteWriter(FIRST_BYTES));
  const parquet = new ParquetWriter({
    writer: bytes.writer,
    schema,
    codec,
    compressors: compress === undefined ? {} : { [codec]: compress },
  });
  return {
    add(rows) {
      const columnData = columns.map((name) => {
        const type = typeOf(name, formatVersion);
        const isJson = typeOf(name, "v2_beta") === "json";
        return sourceOf(name, valuesOf(name, type, rows, order.tenantId), isJson, formatVersion === "v1");
      });
      parquet.write({ columnData, rowGroupSize: rows.length });
    },
    finish() {
      writeFooter(bytes.writer, parquet);
      return bytes.joined();
    },
  };
}

function bytesOf(rows: readonly StoredRow[]): number {
  return rows.reduce((sum, { line }) => sum + line.length, 0);
}

/**
 * Encodes the next file of an order; `rowsRead` is called when all its rows were read and encoded, before
 * the file is complete.
 */
export async function encodeFile(
  reader: PartitionReader,
  order: FileRequest,
  rowsRead: () => void,
): Promise<EncodedFile> {
  const selects = rowFilter(order.filter, order.tenantId);
  const source = reader.open(order, order.cursor);
  const file = await startFile(order);
  let rows = 0;
  let bytes = 0;
  let group: StoredRow[] = [];
  let groupBytes = 0;

  while (rows < order.rowsPerFile) {
    const taken = source.take(order.rowsPerFile - rows, order.bytesPerFile - bytes, rows === 0);
    if (taken.length === 0) break;
    // A selected line is copied, since it waits for others while more is read.
    const selected =
      selects === null
        ? taken
        : taken.filter(({ line }) => selects(rowOf(line))).map(({ line }) => splitLine(Buffer.from(line)));
    const selectedBytes = bytesOf(selected);
    rows += selected.length;
    bytes += selectedBytes;
    groupBytes += selectedBytes;
    for (const row of selected) group.push(row);
    if (selects !== null && group.length < GROUP_ROWS && groupBytes < GROUP_BYTES) continue;
    file.add(group);
    group = [];
    groupBytes = 0;
  }
  if (group.length > 0) file.add(group);
  rowsRead();
  const place = { cursor: source.cursor(), done: source.left() === 0 };
  return rows === 0 ? { bytes: null, rows, ...place } : { bytes: file.finish(), rows, ...place };
}
