import type { SchemaElement } from "hyparquet";
import type { ByteWriter, ColumnSource } from "hyparquet-writer";
import { runInSlices, type Steps } from "../../kernel/steps.ts";
import type { EncodedFile, EncodingFailure, FileRequest } from "../../subjects/bulk-exports/encoder.ts";
import { compileFilter, type RowTest } from "../../subjects/filters/compile.ts";
import { parseFilter } from "../../subjects/filters/parse.ts";
import { problemText } from "../../subjects/filters/problem.ts";
import { rowWithTexts, type StoredRow, splitLine } from "../rows/lines.ts";
import { createPartitionReader, type PartitionReader } from "../rows/partition-reader.ts";
import type { PartitionSource } from "../rows/plan.ts";
import type { Plans } from "../rows/plans.ts";
import { StoreError } from "../store-error.ts";
import { yieldToEventLoop } from "../yield-to-event-loop.ts";
import { loadCodec } from "./codecs.ts";
import type { WriteFooter } from "./footer.ts";
import { encodingSchemaOf, schemaOf, typeOf } from "./schema.ts";
import { UnencodableValue, valuesOf } from "./values.ts";

const CREATED_BY = "trace-platform-emulator";
// A row group contains the rows of one read. With a filter, which may select few of them, reads are combined up to this size.
const GROUP_ROWS = 10_000;
const GROUP_BYTES = 8 * 1024 * 1024;
// Most files of a schedule are small: a large buffer for each would take longer than everything else.
const INITIAL_BUFFER_BYTES = 64 * 1024;

/** What the files with the same columns and format share. */
interface Layout {
  readonly schema: SchemaElement[];
  readonly writeFooter: WriteFooter;
}

const layouts = new Map<string, Layout>();
const MAX_LAYOUTS = 64;

/** Loads the encoding library with the first file. */
async function layoutOf({ columns, formatVersion }: FileRequest): Promise<Layout> {
  const key = `${formatVersion} ${columns}`;
  const cached = layouts.get(key);
  if (cached) return cached;
  const { createFooterWriter } = await import("./footer.ts");
  const schema = schemaOf(columns, formatVersion);
  const layout = {
    schema: encodingSchemaOf(schema),
    writeFooter: createFooterWriter(schema, CREATED_BY),
  };
  if (layouts.size >= MAX_LAYOUTS) layouts.clear();
  layouts.set(key, layout);
  return layout;
}

async function startFile(request: FileRequest) {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const { columns, formatVersion, isReversed } = request;
  const { codec, compress } = await loadCodec(request.compression);
  const { schema, writeFooter } = await layoutOf(request);
  const bytes = createFileBytes(new ByteWriter(INITIAL_BUFFER_BYTES));
  const parquet = new ParquetWriter({
    writer: bytes.writer,
    schema,
    codec,
    compressors: compress === undefined ? {} : { [codec]: compress },
  });
  return {
    /**
     * JSON columns contain long texts that rarely repeat: a dictionary and statistics would cost much and help no reader. The
     * default format has no dictionaries: readers that know only the older encodings can read plain values.
     */
    add(group: readonly StoredRow[]): void {
      const rows = isReversed ? group.toReversed() : group;
      const columnData = columns.map((name): ColumnSource => {
        const data = valuesOf(name, typeOf(name, formatVersion), rows, request);
        if (typeOf(name, "v2_beta") === "json") return { name, data, encoding: "PLAIN", statistics: false };
        return formatVersion === "v1" ? { name, data, encoding: "PLAIN" } : { name, data };
      });
      parquet.write({ columnData, rowGroupSize: rows.length });
    },
    finish() {
      writeFooter(bytes.writer, parquet);
      return bytes.joined();
    },
  };
}

/**
 * Encodes the next file of a request; `onRowsRead` is called when all its rows were read and encoded, before
 * the file is complete.
 */
export async function encodeFile(
  reader: PartitionReader,
  request: FileRequest,
  onRowsRead: () => void,
): Promise<EncodedFile> {
  const selects = rowFilter(request.filter, request.tenantId);
  const source = reader.open(request, request.cursor);
  const file = await startFile(request);
  let rows = 0;
  let bytes = 0;
  let group: StoredRow[] = [];
  let groupBytes = 0;

  while (rows < request.rowsPerFile) {
    const batch = source.take(request.rowsPerFile - rows, request.bytesPerFile - bytes, rows === 0);
    if (batch.length === 0) break;
    // A selected line is copied, since its buffer is reused while more lines are read.
    const selected =
      selects === null
        ? batch
        : (await selectedRows(batch, selects)).map(({ line }) => splitLine(Buffer.from(line)));
    const selectedBytes = selected.reduce((sum, { line }) => sum + line.length, 0);
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
  onRowsRead();
  const position = { cursor: source.cursor(), done: source.remaining() === 0 };
  return rows === 0 ? { bytes: null, rows, ...position } : { bytes: file.finish(), rows, ...position };
}

/** The exit code of a thread that an injected crash has ended. */
export const CRASH_CODE = 70;

/** Thrown instead of ending a thread where a file is encoded without one. */
export class InjectedCrash extends Error {}

/** Encodes the next file of a request, or returns the failure; `crash` is called if the request injects a crash. */
export async function encodeRequest(
  request: FileRequest,
  source: PartitionSource,
  plans: Plans,
  crash: () => void,
): Promise<EncodedFile | EncodingFailure> {
  try {
    const reader = createPartitionReader(() => source, plans);
    return await encodeFile(reader, request, request.crash ? crash : () => {});
  } catch (error) {
    return encodingFailureOf(error);
  }
}

/** The failure of a file whose thread has ended. */
export function endedThread(code: number): EncodingFailure {
  return { failure: "worker_crash", message: `the encoding thread ended with code ${code}` };
}

export function encodingFailureOf(error: unknown): EncodingFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StoreError) return { failure: "damaged_rows", message };
  if (error instanceof InjectedCrash) return endedThread(CRASH_CODE);
  if (error instanceof UnencodableValue) return { failure: "serialization_error", message };
  // A buffer that cannot be allocated, or a text that is too long.
  if (error instanceof RangeError) return { failure: "resource_exhausted", message };
  return { failure: "worker_crash", message: `the encoding thread failed: ${message}` };
}

/**
 * Collects the bytes of a file, one row group at a time, and joins them at the end. The library's writer doubles and copies its
 * buffer whenever that is full. Here the buffer is emptied after each row group, so a large file is copied once.
 */
export function createFileBytes(writer: ByteWriter) {
  const chunks: Uint8Array[] = [];

  function flush(): void {
    chunks.push(writer.getBytes().slice());
    writer.index = 0;
  }

  return {
    writer: Object.assign(writer, { flush }),
    joined(): Uint8Array<ArrayBuffer> {
      flush();
      const joined = new Uint8Array(writer.offset);
      let at = 0;
      for (const chunk of chunks.splice(0)) {
        joined.set(chunk, at);
        at += chunk.length;
      }
      return joined;
    },
  };
}

/** The rows that pass the filter of an export; others have their turn while it works. */
export function selectedRows(rows: readonly StoredRow[], selects: RowTest): Promise<readonly StoredRow[]> {
  return runInSlices(passing(rows, selects), yieldToEventLoop);
}

function* passing(rows: readonly StoredRow[], selects: RowTest): Steps<readonly StoredRow[]> {
  const selected: StoredRow[] = [];
  for (const row of rows) if (yield* selects(rowWithTexts(row.line))) selected.push(row);
  return selected;
}

/**
 * The test of whether a row is exported (§2.5-4); null selects every row. The API refuses invalid
 * expressions, so an invalid one here is a defect.
 */
export function rowFilter(filter: string | null, tenantId: string): RowTest | null {
  if (filter === null) return null;
  const result = parseFilter(filter);
  if ("problem" in result)
    throw new Error(`The filter of an export is invalid: ${problemText(result.problem)}`);
  return compileFilter(result.filter, tenantId);
}
