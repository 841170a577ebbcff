import {
  COLUMN_NAMES,
  type ColumnName,
  EXPORT_COLUMNS,
  type TraceRow,
} from "../../../contracts/spec/bulk-exports/columns.ts";
import { JsonText } from "../../subjects/json-text.ts";
import type { StoredRow as DomainRow } from "../../subjects/traces/roll-up.ts";
import { areSealed, SUM_BYTES } from "../checksum.ts";
import type { LineWriter } from "../line-writer.ts";
import { damaged } from "../store-error.ts";

/**
 * A stored row is one line of JSON. The short columns come first (the head), then the JSON columns,
 * then how many bytes each of them has; so an encoder copies the JSON columns as they stand, unparsed. What else its record
 * in the sidecar says stands there too, so that the sidecar can be made anew. A checksum ends it.
 */
type JsonColumn = {
  [N in ColumnName]: (typeof EXPORT_COLUMNS)[N]["v2"] extends "json" ? N : never;
}[ColumnName];

/** The columns of a row that are parsed to be looked at. */
export type RowHead = Omit<TraceRow, JsonColumn>;

const JSON_COLUMNS = COLUMN_NAMES.filter((name): name is JsonColumn => EXPORT_COLUMNS[name].v2 === "json");
/** Members that `JSON.stringify` leaves out. */
const NO_JSON = Object.fromEntries(JSON_COLUMNS.map((name) => [name, undefined]));
/** With what stands before the value of each, in the line and in the sizes. */
const JSON_KEYS = JSON_COLUMNS.map((name) => [name, `,"${name}":`] as const);
const SIZES = `,"sizes":`;
const OPENING_BRACE = 0x7b;
const NULL = "null";
/** No other JSON text begins with it. */
const NULL_BEGIN = 0x6e;

/** Whether the column holds JSON, which is copied and not parsed. */
export function isJsonColumn(name: ColumnName): name is JsonColumn {
  return EXPORT_COLUMNS[name].v2 === "json";
}

/** The place of a version among others, as its record in the sidecar says it. */
export interface LinePlace {
  readonly sequence: number;
  /** Position of the version it replaces in the same segment; -1 for none. */
  readonly previous: number;
}

/** Writes the line that says that a row's newest version is in another segment; answers its bytes. */
export function writeLeft(writer: LineWriter, id: string, { sequence, previous }: LinePlace): number {
  writer.begin();
  writer.write(`{"left":"${id}","row":${sequence},"before":${previous}`);
  return writer.end();
}

/** Writes the line of a row; answers its bytes. */
export function writeRow(writer: LineWriter, row: DomainRow, { sequence, previous }: LinePlace): number {
  writer.begin();
  const bytes = writer.write(JSON.stringify({ ...row, ...NO_JSON }).slice(0, -1));
  let sizes = `{"row":${sequence},"before":${previous},"head":${bytes}`;
  let text = "";
  for (const [name, key] of JSON_KEYS) {
    const value = row[name];
    text += key;
    if (value === null) {
      text += NULL;
      sizes += key + NULL.length;
    } else {
      writer.write(text);
      text = "";
      sizes += key + writer.write(value instanceof JsonText ? value.bytes : JSON.stringify(value));
    }
  }
  writer.write(`${text}${SIZES}${sizes}}`);
  return writer.end();
}

/** Answers a line that was read at a byte of the file of a path, if it is as it was written. */
export function checkedLine(line: Buffer, path: string, byte: number): Buffer {
  if (areSealed(line)) return line;
  throw damaged(path, `byte ${byte}`);
}

/** The whole row of a line. */
export function rowOf(line: Buffer): DomainRow {
  const { sizes: _sizes, sum: _sum, ...row } = JSON.parse(line.toString("utf8"));
  return row as DomainRow;
}

/** A stored row whose JSON columns are still bytes. */
export interface StoredRow {
  readonly line: Buffer;
  readonly head: RowHead;
  /** The JSON text of a column as it was stored; null for the JSON value null. */
  json(column: JsonColumn): Buffer | null;
}

function sizesOf(line: Buffer): Readonly<Record<string, number | undefined>> {
  const start = line.lastIndexOf(OPENING_BRACE);
  return JSON.parse(line.toString("latin1", start, line.length - 1 - SUM_BYTES)) as Record<string, number>;
}

/** Finds the columns of a line without parsing its JSON columns. */
export function splitLine(line: Buffer): StoredRow {
  const sizes = sizesOf(line);
  const headBytes = sizes.head;
  if (headBytes === undefined) throw new SyntaxError("a stored row without sizes");
  const head = JSON.parse(`${line.toString("utf8", 0, headBytes)}}`) as RowHead;
  return {
    line,
    head,
    json(column) {
      let at = headBytes;
      for (const [name, key] of JSON_KEYS) {
        const size = sizes[name];
        if (size === undefined) continue;
        at += key.length + size;
        if (name !== column) continue;
        return line[at - size] === NULL_BEGIN ? null : line.subarray(at - size, at);
      }
      return null;
    },
  };
}
