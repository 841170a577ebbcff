import {
  type ColumnType,
  FILE_COLUMNS,
  type FileColumnName,
} from "../../../contracts/spec/bulk-exports/columns.ts";
import type { FileRequest } from "../../subjects/bulk-exports/encoder.ts";
import { epochMicroseconds } from "../rows/instants.ts";
import { isJsonColumn, type StoredRow } from "../rows/lines.ts";
import { unscaled } from "./decimals.ts";
import { DECIMAL } from "./schema.ts";

/** A value of a row that its column cannot represent. */
export class UnencodableValue extends Error {
  constructor(rowId: string, column: FileColumnName, problem: string) {
    super(`row ${rowId}: ${column} ${problem}`);
    this.name = "UnencodableValue";
  }
}

const INT64_BOUND = 2n ** 63n;
const DECIMAL_BOUND = 10n ** BigInt(DECIMAL.precision);
const MAX_SHOWN_CHARACTERS = 40;

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

/** Converts a value that is not null for the library. The message of an error is the problem with the value. */
type Convert = (value: unknown) => bigint | number;

function convertInt64(value: unknown): bigint {
  if (!Number.isInteger(value)) throw new RangeError("is not an integer");
  const integer = BigInt(value as number);
  if (integer >= -INT64_BOUND && integer < INT64_BOUND) return integer;
  throw new RangeError("is outside the range of 64 bits");
}

function convertDouble(value: unknown): number {
  const isNumeral = unscaled(String(value), 0) !== undefined;
  if (isNumeral && Number.isFinite(Number(value))) return Number(value);
  throw new RangeError("is not a finite number");
}

function convertDecimal(value: unknown): bigint {
  const integer = unscaled(String(value), DECIMAL.scale);
  if (integer === undefined) throw new RangeError("is not a decimal number");
  if (integer > -DECIMAL_BOUND && integer < DECIMAL_BOUND) return integer;
  throw new RangeError(`is outside the range of DECIMAL(${DECIMAL.precision},${DECIMAL.scale})`);
}

const convertInstant: Convert = (value) => epochMicroseconds(String(value));

const CONVERT: { readonly [T in ColumnType]?: Convert } = {
  int64: convertInt64,
  double: convertDouble,
  decimal: convertDecimal,
  timestamp: convertInstant,
  local_timestamp: convertInstant,
};

/** The values of a column in the form that the Parquet library needs; null for a missing value. */
export function valuesOf(
  name: FileColumnName,
  type: ColumnType,
  rows: readonly StoredRow[],
  { tenantId, feedbacks }: Pick<FileRequest, "tenantId" | "feedbacks">,
): unknown[] {
  if (name === "tenant_id") return rows.map(() => tenantId);
  if (name === "feedbacks") return rows.map((row) => Buffer.from(feedbacks?.get(row.value("id")) ?? "[]"));
  if (isJsonColumn(name)) {
    return rows.map((row) => row.json(name));
  }
  // In v1 the lists are JSON texts.
  if (type === "string" && FILE_COLUMNS[name].v2 === "strings") {
    return rows.map((row) => JSON.stringify(row.value(name) ?? []));
  }
  const convert = CONVERT[type];
  if (convert === undefined) return rows.map((row) => row.value(name) ?? null);
  return rows.map((row) => {
    const value = row.value(name);
    if (value === null || value === undefined) return null;
    try {
      return convert(value);
    } catch (error) {
      const { message } = error as Error;
      throw new UnencodableValue(row.value("id"), name, `${message}: ${shortened(value)}`);
    }
  });
}
