import {
  COLUMN_NAMES,
  type ColumnName,
  EXPORT_COLUMNS,
  type FileColumnName,
  type TraceRow,
} from "../../../contracts/spec/bulk-exports/columns.ts";
import { parseExact, printExact } from "../../../contracts/spec/exact-json.ts";
import { JsonText, textOrValue } from "../../subjects/json-text.ts";
import type { StoredRow as DomainRow } from "../../subjects/traces/roll-up.ts";
import { areSealed, type Seal, SUM_BYTES } from "../checksum.ts";
import type { LineWriter } from "../line-writer.ts";
import { damaged } from "../store-error.ts";
import type { SidecarRecord } from "./sidecar.ts";

/**
 * A stored row is one line of JSON: the row header, which has the values of the short columns without their names; the JSON columns;
 * the number of bytes of each of them; and a checksum. So an encoder copies the JSON columns without parsing them. The line also
 * has the sequence number and the previous version, like the record of the row in the sidecar.
 */
type JsonColumn = {
  [N in ColumnName]: (typeof EXPORT_COLUMNS)[N]["v2"] extends "json" ? N : never;
}[ColumnName];

/** A column of the row header, which is parsed. */
export type HeaderColumn = Exclude<ColumnName, JsonColumn | "tenant_id">;

const JSON_COLUMNS = COLUMN_NAMES.filter(isJsonColumn);
/** In the order of their values. */
const HEADER_COLUMNS = COLUMN_NAMES.filter(
  (name): name is HeaderColumn => !isJsonColumn(name) && name !== "tenant_id",
);
/** The row header. It is compiled from the column table, because a loop over the names takes five times as long. */
const headerOf = new Function("row", `return [${HEADER_COLUMNS.map((name) => `row.${name}`)}]`) as (
  row: DomainRow,
) => unknown[];
/** The inverse for a parsed line, compiled for the same reason. */
const columnsOf = new Function(
  "line",
  `return {${[
    ...JSON_COLUMNS.map((name) => `${name}: line.${name}`),
    ...HEADER_COLUMNS.map((name, at) => `${name}: line.head[${at}]`),
  ]}}`,
) as (line: LineColumns) => TraceRow;
const HEADER_POSITIONS = Object.fromEntries(HEADER_COLUMNS.map((name, at) => [name, at])) as Record<
  HeaderColumn,
  number
>;
const HEADER_KEY = Buffer.from(`{"head":`);
const NULL = "null";
/** Each JSON column with the text before its value, and the text for a null value. */
const JSON_KEYS = JSON_COLUMNS.map((name) => {
  const key = Buffer.from(`,"${name}":`);
  return [name, key, Buffer.from(key + NULL)] as const;
});
const SIZES = `,"sizes":`;
const OPENING_BRACKET = 0x5b;
/** The first byte of `null`. No other JSON text begins with it. */
const NULL_BEGIN = 0x6e;

/** Whether a column of the row is JSON, which is copied without parsing. */
export function isJsonColumn(name: FileColumnName): name is JsonColumn {
  return name !== "feedbacks" && EXPORT_COLUMNS[name].v2 === "json";
}

/** Writes the line of a row, with the position of its record in the sidecar. Returns its bytes. */
export function writeRow(
  writer: LineWriter,
  row: DomainRow,
  { sequence, previous }: Pick<SidecarRecord, "sequence" | "previous">,
): number {
  writer.begin();
  writer.write(HEADER_KEY);
  writer.write(JSON.stringify(row.below ? [...headerOf(row), row.below] : headerOf(row)));
  let sizes = `${SIZES}[${sequence},${previous}`;
  for (const [name, key, keyOfNull] of JSON_KEYS) {
    const value = row[name];
    if (value === null) {
      writer.write(keyOfNull);
      sizes += `,${NULL.length}`;
    } else {
      writer.write(key);
      sizes += `,${writer.write(value instanceof JsonText ? value.bytes : printExact(value))}`;
    }
  }
  writer.write(`${sizes}]`);
  return writer.end();
}

/** Returns a line that was read from a file if its checksum matches. */
export function checkedLine(line: Buffer, path: string, seal: Seal, byte: number): Buffer {
  if (areSealed(line, seal, byte)) return line;
  throw damaged(path, `byte ${byte}`);
}

/** The part of a line with the values of the row, without its position and checksum. */
export function contentOf(line: Buffer): Buffer {
  return line.subarray(0, line.lastIndexOf(OPENING_BRACKET) - SIZES.length);
}

/** The columns of a line, as `parseExact` reads them. */
interface LineColumns extends Pick<TraceRow, JsonColumn> {
  readonly head: readonly unknown[];
}

/** The whole row of a line. */
export function rowOf(line: Buffer): DomainRow {
  return rowFrom(parseExact(line.toString("utf8")) as LineColumns);
}

/** The row of a line, with the objects and arrays of its JSON columns as texts (`JsonText`). */
export function rowWithTexts(line: Buffer): DomainRow {
  const { head, json } = splitLine(line);
  const columns: { [Name in JsonColumn]?: unknown } = {};
  for (const name of JSON_COLUMNS) {
    const text = json(name);
    columns[name] = text && textOrValue(text, true);
  }
  return rowFrom({ head, ...columns } as LineColumns);
}

function rowFrom(line: LineColumns): DomainRow {
  const row = columnsOf(line);
  const below = line.head[HEADER_COLUMNS.length] as DomainRow["below"];
  return below ? { ...row, below } : row;
}

/** A stored row whose JSON columns are still bytes. */
export type StoredRow = Readonly<ReturnType<typeof splitLine>>;

/** The position of a row in the order of export. */
export function cursorAt(row: StoredRow): string {
  return `${row.value("start_time")} ${row.value("id")}`;
}

/** Finds the columns of a line without parsing its JSON columns. */
export function splitLine(line: Buffer) {
  const end = line.lastIndexOf(OPENING_BRACKET);
  const [, , ...sizes] = JSON.parse(line.toString("latin1", end, line.length - 1 - SUM_BYTES)) as number[];
  const jsonEnd = end - SIZES.length;
  const jsonStart = JSON_KEYS.reduce((at, [, key], n) => at - key.length - (sizes[n] ?? 0), jsonEnd);
  const head = JSON.parse(line.toString("utf8", HEADER_KEY.length, jsonStart)) as readonly unknown[];
  return {
    line,
    /** The row header. */
    head,
    value: <Name extends HeaderColumn>(column: Name) => head[HEADER_POSITIONS[column]] as TraceRow[Name],
    /** The JSON text of a column in the stored line; null for the JSON value null. */
    json(column: JsonColumn): Buffer | null {
      let at = jsonStart;
      for (const [n, [name, key]] of JSON_KEYS.entries()) {
        const size = sizes[n] ?? 0;
        at += key.length + size;
        if (name !== column) continue;
        return line[at - size] === NULL_BEGIN ? null : line.subarray(at - size, at);
      }
      return null;
    },
  };
}
