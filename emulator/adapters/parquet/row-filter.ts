import type { TraceRow } from "../../../contracts/spec/export-columns.ts";

/**
 * What decides whether a row is exported (§2.5-4); null takes every row. Expressions are refused at the
 * API, so that one which comes as far as this is a defect.
 */
export function rowFilter(filter: string | null): ((row: TraceRow) => boolean) | null {
  if (filter === null) return null;
  throw new Error("filters are not supported by the encoder");
}
