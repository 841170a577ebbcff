import type { ColumnName } from "../../contracts/spec/bulk-exports/columns.ts";
import { unscaled } from "../storage/parquet/decimals.ts";
import { DECIMAL, typeOf } from "../storage/parquet/schema.ts";
import type { FormatVersion } from "../subjects/bulk-exports/encoder.ts";
import { plainNumeral, plainNumeralOfDouble } from "./plain-numeral.ts";

function canonicalCost(text: string, formatVersion: FormatVersion): string {
  if (formatVersion === "v1") return plainNumeralOfDouble(Number(text));
  return plainNumeral(unscaled(text, DECIMAL.scale) ?? 0n, DECIMAL.scale);
}

/**
 * A value of a stored row in the representation of `readParquetFile`: costs rounded to the type of the column, unsafe
 * integers as bigint.
 */
export function canonicalValue(name: ColumnName, value: unknown, formatVersion: FormatVersion): unknown {
  if (value === null || value === undefined) return null;
  const type = typeOf(name, formatVersion);
  if (type === "double" || type === "decimal") return canonicalCost(String(value), formatVersion);
  if (type === "int64") return Number.isSafeInteger(value) ? value : BigInt(value as number);
  return value;
}
