import type { ExportRun } from "../subjects/bulk-exports/records.ts";
import { bytesOf, type ComparableRow, digestOf, nameOf, type RowForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";
import type { FileRow } from "./matching.ts";

/** An unmatched row of a run. */
export interface UnmatchedRow {
  readonly identity: string;
  readonly start: string | null;
  readonly name: string;
  readonly digest: string;
  readonly foreign?: string;
  /** Undefined beyond the memory limit. */
  readonly row: ComparableRow | undefined;
}

/** The unmatched rows of a run; other runs may explain them. */
export interface UnmatchedRows {
  readonly run: ExportRun;
  /** The folder of the run's files. */
  readonly folder: string;
  readonly missing: UnmatchedRow[];
  readonly surplus: (UnmatchedRow & { readonly key: string })[];
  /** Identities among the surplus that the store selects for this run. */
  expected: ReadonlySet<string>;
}

/** Memory limit for the unmatched rows of an export; further rows are only counted. */
export interface UnmatchedBudget {
  rows: number;
  bytes: number;
}

/** Creates the limit for one check: a number of rows and of characters. */
export function unmatchedBudget(): UnmatchedBudget {
  return { rows: 100_000, bytes: 32 * 1024 * 1024 };
}

/** Undefined when the limit is reached. */
function unmatchedRowOf(
  form: RowForm,
  row: ComparableRow,
  budget: UnmatchedBudget,
): UnmatchedRow | undefined {
  if (budget.rows === 0) return undefined;
  budget.rows -= 1;
  const size = bytesOf(row);
  const fits = size <= budget.bytes;
  if (fits) budget.bytes -= size;
  return {
    identity: row.identity,
    start: row.start,
    name: nameOf(form, row),
    ...(row.foreign !== undefined && { foreign: row.foreign }),
    digest: digestOf(row),
    row: fits ? row : undefined,
  };
}

/** Keeps a missing row of a run, within the limit. */
export function keepMissing(
  unmatchedRows: UnmatchedRows,
  form: RowForm,
  budget: UnmatchedBudget,
  findings: Findings,
  row: ComparableRow,
): void {
  const unmatchedRow = unmatchedRowOf(form, row, budget);
  if (unmatchedRow) unmatchedRows.missing.push(unmatchedRow);
  else findings.addCount("missing_row", 1);
}

/** Keeps a surplus row of a run, within the limit. */
export function keepSurplus(
  unmatchedRows: UnmatchedRows,
  form: RowForm,
  budget: UnmatchedBudget,
  findings: Findings,
  { key, row }: FileRow,
): void {
  const unmatchedRow = unmatchedRowOf(form, row, budget);
  if (unmatchedRow) unmatchedRows.surplus.push({ ...unmatchedRow, key });
  else findings.addCount(isOutside(unmatchedRows.run, row.start) ? "wrong_partition" : "extra_row", 1);
}

/** Whether a row starts outside the window of a run; false when the start is unknown. */
export function isOutside(run: ExportRun, start: string | null): boolean {
  return start !== null && (start < run.start_time || start >= run.end_time);
}
