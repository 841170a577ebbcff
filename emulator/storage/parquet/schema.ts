import type { SchemaElement } from "hyparquet";
import {
  type ColumnType,
  FILE_COLUMNS,
  type FileColumnName,
} from "../../../contracts/spec/bulk-exports/columns.ts";
import type { FormatVersion } from "../../subjects/bulk-exports/encoder.ts";

/** Costs in `v2_beta`: DECIMAL(38,12), which is large enough for any sum of money. */
export const DECIMAL = { precision: 38, scale: 12, bytes: 16 } as const;

/** The type of a column in this version of the format (§2.7). */
export function typeOf(name: FileColumnName, formatVersion: FormatVersion): ColumnType {
  return formatVersion === "v1" ? FILE_COLUMNS[name].v1 : FILE_COLUMNS[name].v2;
}

const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } } as const;

const LEAVES = {
  string: TEXT,
  json: { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
  boolean: { type: "BOOLEAN" },
  int64: { type: "INT64" },
  double: { type: "DOUBLE" },
  decimal: {
    type: "FIXED_LEN_BYTE_ARRAY",
    type_length: DECIMAL.bytes,
    converted_type: "DECIMAL",
    scale: DECIMAL.scale,
    precision: DECIMAL.precision,
    logical_type: { type: "DECIMAL", precision: DECIMAL.precision, scale: DECIMAL.scale },
  },
  timestamp: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
  // TIMESTAMP_MICROS would mean UTC, so this type has the newer annotation only.
  local_timestamp: {
    type: "INT64",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "MICROS" },
  },
} as const satisfies Record<Exclude<ColumnType, "strings">, Omit<SchemaElement, "name">>;

function elementsOf(name: FileColumnName, type: ColumnType): SchemaElement[] {
  const repetition_type = name === "id" ? "REQUIRED" : "OPTIONAL";
  if (type !== "strings") return [{ name, repetition_type, ...LEAVES[type] }];
  return [
    { name, repetition_type, num_children: 1, converted_type: "LIST", logical_type: { type: "LIST" } },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", repetition_type: "OPTIONAL", ...TEXT },
  ];
}

/** The schema of a file, as in its footer. */
export function schemaOf(columns: readonly FileColumnName[], formatVersion: FormatVersion): SchemaElement[] {
  const elements = columns.flatMap((name) => elementsOf(name, typeOf(name, formatVersion)));
  return [{ name: "schema", num_children: columns.length }, ...elements];
}

/**
 * The schema for encoding. The library would parse and serialize JSON columns again; without the older
 * annotation it writes their bytes unchanged. The footer still marks them as JSON.
 */
export function encodingSchemaOf(schema: readonly SchemaElement[]): SchemaElement[] {
  return schema.map((element) => {
    if (element.converted_type !== "JSON") return element;
    const { converted_type: _, ...rest } = element;
    return rest;
  });
}
