import { typeOf } from "../storage/parquet/schema.ts";
import type { Compression } from "../subjects/bulk-exports/encoder.ts";
import type { ExportedFile } from "../subjects/bulk-exports/records.ts";
import type { Comparable, RowForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";
import { bufferOf, type ParquetFile } from "./parquet-file.ts";

// Defined independently of the encoder, which is under test here.
const CODECS = {
  none: "UNCOMPRESSED",
  snappy: "SNAPPY",
  gzip: "GZIP",
  zstandard: "ZSTD",
} as const satisfies Record<Compression, string>;

/** Compares the schema of a file with the requested one; returns the comparable columns. */
export function checkColumns(form: RowForm, key: string, file: ParquetFile, findings: Findings): Comparable {
  const requestedNames = form.columns.join(", ");
  const fileNames = file.columns.map(({ name }) => name).join(", ");
  if (requestedNames !== fileNames) findings.add("columns", key, columnsDetail(form, file));
  const comparable = new Set<string>();
  for (const name of form.columns) {
    const column = file.columns.find((each) => each.name === name);
    const type = typeOf(name, form.formatVersion);
    if (column?.type === type) comparable.add(name);
    else if (column) findings.add("type", key, `${name} has the type ${column.type} instead of ${type}`);
  }
  return comparable;
}

function columnsDetail({ columns }: RowForm, file: ParquetFile): string {
  const names = new Set(file.columns.map(({ name }) => name));
  const missingColumns = columns.filter((name) => !names.has(name));
  const unrequested = [...names].filter((name) => !(columns as readonly string[]).includes(name));
  const parts = [
    ...(missingColumns.length > 0 ? [`lacks ${missingColumns.join(", ")}`] : []),
    ...(unrequested.length > 0 ? [`has ${unrequested.join(", ")}, which were not requested`] : []),
  ];
  return parts.length > 0 ? parts.join("; ") : "the columns are not in the requested order";
}

/** The codecs that the column chunks of a file name. */
async function codecsOf(bytes: Uint8Array): Promise<ReadonlySet<string>> {
  const { parquetMetadataAsync } = await import("hyparquet");
  const metadata = await parquetMetadataAsync(bufferOf(bytes), { geoparquet: false });
  const chunks = metadata.row_groups.flatMap(({ columns }) => columns);
  return new Set(chunks.map(({ meta_data }) => meta_data?.codec ?? "unknown"));
}

/** Finds column chunks with another compression than requested. */
export async function checkCompression(
  compression: Compression,
  key: string,
  bytes: Uint8Array,
  findings: Findings,
): Promise<void> {
  const codecs = await codecsOf(bytes);
  const others = [...codecs].filter((codec) => codec !== CODECS[compression]);
  if (others.length > 0)
    findings.add("compression", key, `has ${others.join(", ")} instead of ${CODECS[compression]}`);
}

/** Compares the record of a file with the file. */
export function checkSize(record: ExportedFile, key: string, bytes: Uint8Array, findings: Findings): void {
  if (record.bytes === bytes.length) return;
  findings.add("size", key, `has ${bytes.length} bytes, but the record of the run has ${record.bytes}`);
}

/** Compares the number of rows in the file with its footer and with the record of the run. */
export function checkCount(
  record: ExportedFile,
  key: string,
  footer: number,
  rows: number,
  findings: Findings,
): void {
  if (footer !== rows) findings.add("count", key, `has ${rows} rows, but its footer has ${footer}`);
  if (record.rows !== rows)
    findings.add("count", key, `has ${rows} rows, but the record of the run has ${record.rows}`);
}
