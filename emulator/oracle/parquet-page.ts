import type { ColumnChunk, RowGroup } from "hyparquet";
import { textOrJson } from "../../contracts/spec/exact-json.ts";
import { nearest } from "../kernel/nearest.ts";
import { invalidRequest } from "../kernel/refusal.ts";
import type { PageOf, ParquetPage } from "../subjects/object-storage/parquet-page.ts";
import { rowsOf } from "./file-rows.ts";
import { type ParquetFile, readParquetFile } from "./parquet-file.ts";

/**
 * The metadata of a Parquet file, and some of its rows. A search and a sort read at most `maxRows` rows. Throws for a
 * damaged file, and a `Refusal` (422) for a column that the file does not have.
 */
export async function readParquetPage(
  bytes: Uint8Array,
  page: PageOf,
  maxRows: number,
): Promise<ParquetPage> {
  const file = await readParquetFile(bytes);
  const isSelection = page.sort !== undefined || (page.text ?? "") !== "";
  const { rows, matching } = isSelection
    ? await selectedRows(file, page, maxRows)
    : await rowRange(file, page);
  const { created_by, row_groups } = file.metadata;
  return {
    rows_total: file.rowCount,
    rows_matching: matching,
    rows_read: isSelection ? Math.min(maxRows, file.rowCount) : file.rowCount,
    offset: page.offset,
    created_by: created_by ?? null,
    columns: file.columns,
    row_groups: row_groups.map(groupView),
    rows: rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cell(value)])),
    ),
  };
}

type Row = Readonly<Record<string, unknown>>;

interface Selection {
  readonly rows: readonly Row[];
  readonly matching: number;
}

async function rowRange(file: ParquetFile, { offset, limit }: PageOf): Promise<Selection> {
  const end = Math.min(file.rowCount, offset + limit);
  return { rows: offset < end ? await file.rows(offset, end) : [], matching: file.rowCount };
}

/** A page of the rows that contain a text, sorted. It reads the file twice, so that it holds the rows of one page only. */
async function selectedRows(
  file: ParquetFile,
  { offset, limit, text = "", sort, order }: PageOf,
  maxRows: number,
): Promise<Selection> {
  const keyOf = sort === undefined ? () => undefined : sortKeyOf(file, sort);
  const needle = text.toLowerCase();
  const matches: { readonly row: number; readonly key: SortKey }[] = [];
  await forEachRow(file, maxRows, (row, number) => {
    if (needle === "" || contains(row, needle)) matches.push({ row: number, key: keyOf(row) });
  });
  const sign = order === "desc" ? -1 : 1;
  matches.sort((a, b) => compareKeys(a.key, b.key, sign) || a.row - b.row);
  const slots = new Map(matches.slice(offset, offset + limit).map(({ row }, slot) => [row, slot]));
  const rows: Row[] = [];
  await forEachRow(file, Math.max(0, ...[...slots.keys()].map((row) => row + 1)), (row, number) => {
    const slot = slots.get(number);
    if (slot !== undefined) rows[slot] = row;
  });
  return { rows, matching: matches.length };
}

async function forEachRow(
  file: ParquetFile,
  maxRows: number,
  visit: (row: Row, number: number) => void,
): Promise<void> {
  let number = 0;
  for await (const batch of rowsOf(file, maxRows))
    for (const row of batch) {
      visit(row, number);
      number += 1;
    }
}

function contains(row: Row, needle: string): boolean {
  return Object.values(row).some((value) => {
    if (value === null || value === undefined) return false;
    return textOrJson(plain(value)).toLowerCase().includes(needle);
  });
}

const NUMBERS = ["int64", "double", "decimal"];

/** Undefined for null, which is last in both orders. */
type SortKey = string | number | bigint | undefined;

/** The key of a row by which a column sorts. Throws a `Refusal` (422) for an unknown column. */
function sortKeyOf({ columns }: ParquetFile, sort: string): (row: Row) => SortKey {
  const column = columns.find(({ name }) => name === sort);
  if (!column) {
    const names = columns.map(({ name }) => name);
    const suggestion = nearest(sort, names);
    throw invalidRequest(
      `sort: the file does not have the column ${JSON.stringify(sort)}.`,
      suggestion === undefined ? `Its columns: ${names.join(", ")}.` : `Did you mean ${suggestion}?`,
    );
  }
  const isNumber = NUMBERS.includes(column.type);
  return ({ [sort]: value }) => {
    if (value === null || value === undefined) return undefined;
    if (typeof value === "bigint") return value;
    if (isNumber) return Number(value);
    return textOrJson(plain(value));
  };
}

function compareKeys(one: SortKey, other: SortKey, sign: 1 | -1): number {
  if (one === undefined || other === undefined)
    return Number(other !== undefined) - Number(one !== undefined);
  return one === other ? 0 : one < other ? -sign : sign;
}

/** Longer texts of a cell are truncated, so that a page of large rows stays small. */
const MAX_CELL_CHARACTERS = 2_000;

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

/** Long texts truncated. */
function cell(raw: unknown): unknown {
  const value = plain(raw) ?? null;
  const text = textOrJson(value);
  return text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : value;
}

/** Bytes as hexadecimal, large integers and times as text. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (typeof value === "bigint") return String(value);
  return value instanceof Date ? value.toISOString() : value;
}
