import { type ColumnName, EXPORT_COLUMNS } from "../../contracts/spec/bulk-exports/columns.ts";
import { unscaled } from "../storage/parquet/decimals.ts";
import { DECIMAL, typeOf } from "../storage/parquet/schema.ts";
import { wellFormedJson } from "../storage/parquet/values.ts";
import type { FormatVersion } from "../subjects/bulk-exports/encoder.ts";
import { plainNumeral, plainNumeralOfDouble } from "./plain-numeral.ts";

function canonicalCost(text: string, formatVersion: FormatVersion): string {
  if (formatVersion === "v1") return plainNumeralOfDouble(Number(text));
  return plainNumeral(unscaled(text, DECIMAL.scale) ?? 0n, DECIMAL.scale);
}

function canonicalJson(value: unknown): unknown {
  const json = JSON.stringify(value);
  const wellFormed = wellFormedJson(json);
  return wellFormed === json ? value : JSON.parse(wellFormed);
}

/**
 * A value of a stored row in the representation of `readParquetFile`: costs rounded to the type of the column, texts as
 * valid UTF-8, unsafe integers as bigint.
 */
export function canonicalValue(name: ColumnName, value: unknown, formatVersion: FormatVersion): unknown {
  if (value === null || value === undefined) return null;
  const type = typeOf(name, formatVersion);
  if (type === "double" || type === "decimal") return canonicalCost(String(value), formatVersion);
  if (type === "int64") return Number.isSafeInteger(value) ? value : BigInt(value as number);
  if (type === "boolean" || type === "timestamp" || type === "local_timestamp") return value;
  if (EXPORT_COLUMNS[name].v2 === "string") return String(value).toWellFormed();
  return canonicalJson(value);
}
