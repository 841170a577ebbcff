import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { markedNumeral, plainName, printExact } from "../../../contracts/spec/exact-json.ts";
import { JsonText, valueOf } from "../json-text.ts";
import { isJsonObject } from "../traces/json.ts";

export type RowTexts = ReturnType<typeof createRowTexts>;

/** The texts of the row that a filter looks at: made once for all of its conditions. */
export function createRowTexts() {
  let current: TraceRow | undefined;
  let columns = new Map<keyof TraceRow, string | null>();
  let lowerCase: readonly string[] | undefined;

  function begin(row: TraceRow): void {
    if (row === current) return;
    [current, columns, lowerCase] = [row, new Map(), undefined];
  }

  function textOf(row: TraceRow, column: keyof TraceRow): string | null {
    begin(row);
    const cached = columns.get(column);
    if (cached !== undefined) return cached;
    const text = jsonTextOf(row[column]);
    columns.set(column, text);
    return text;
  }

  return {
    /** The JSON text of a column, as in an export; null for an absent one. */
    textOf,
    /** About the number of characters of a column. */
    sizeOf(row: TraceRow, column: keyof TraceRow): number {
      const value: unknown = row[column];
      if (value instanceof JsonText) return value.bytes.length;
      if (typeof value === "object") return textOf(row, column)?.length ?? 0;
      return typeof value === "string" ? value.length : 0;
    },
    /** The keys and values of the inputs and outputs. */
    lowerCaseTexts(row: TraceRow): readonly string[] {
      begin(row);
      lowerCase ??= [...textsIn(row.inputs), ...textsIn(row.outputs)];
      return lowerCase;
    },
  };
}

function textsIn(column: unknown): readonly string[] {
  const texts: string[] = [];
  const add = (value: unknown): void => {
    if (Array.isArray(value)) for (const inner of value) add(inner);
    else if (isJsonObject(value)) {
      for (const name in value) {
        texts.push(plainName(name).toLowerCase());
        add(value[name]);
      }
    } else if (value !== null && value !== undefined)
      texts.push((markedNumeral(value) ?? String(value)).toLowerCase());
  };
  add(valueOf(column));
  return texts;
}

function jsonTextOf(value: unknown): string | null {
  if (value === null) return null;
  return value instanceof JsonText ? value.bytes.toString() : (printExact(value) ?? null);
}
