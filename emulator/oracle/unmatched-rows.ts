import { createHash } from "node:crypto";
import type { ExportRun } from "../subjects/bulk-exports/records.ts";
import { type ComparableRow, nameOf, type RowForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";
import type { FoundRow } from "./matching.ts";

/** A row that found no like within its run. */
export interface UnmatchedRow {
  readonly identity: string;
  readonly start: string | null;
  readonly name: string;
  readonly digest: string;
  /** The row itself, as long as there is room for it. */
  readonly row: ComparableRow | undefined;
}

/** What is left of a run when all its files were compared; other runs may explain it. */
export interface UnmatchedRows {
  readonly run: ExportRun;
  /** The folder of the run's files. */
  readonly folder: string;
  readonly missing: UnmatchedRow[];
  readonly surplus: (UnmatchedRow & { readonly key: string })[];
  /** Identities among the surplus that the store selects for this run. */
  expected: ReadonlySet<string>;
}

/** Room for the leftovers of all runs of an export; what does not fit in is only counted. */
export interface UnmatchedBudget {
  rows: number;
  bytes: number;
}

/** Room for one check: so many rows, and so many characters of their values. */
export function unmatchedBudget(): UnmatchedBudget {
  return { rows: 100_000, bytes: 32 * 1024 * 1024 };
}

/** Undefined when there is no room for one more. */
function unmatchedRowOf(
  form: RowForm,
  row: ComparableRow,
  budget: UnmatchedBudget,
): UnmatchedRow | undefined {
  if (budget.rows === 0) return undefined;
  budget.rows -= 1;
  const size = row.values.reduce((sum, value) => sum + value.length, 0);
  const fits = size <= budget.bytes;
  if (fits) budget.bytes -= size;
  return {
    identity: row.identity,
    start: row.start,
    name: nameOf(form, row),
    digest: createHash("sha256").update(row.values.join("\n")).digest("base64"),
    row: fits ? row : undefined,
  };
}

/** Keeps a row of the store that is in no file of its run, as far as there is room. */
export function keepMissing(
  left: UnmatchedRows,
  form: RowForm,
  budget: UnmatchedBudget,
  findings: Findings,
  row: ComparableRow,
): void {
  const unmatchedRow = unmatchedRowOf(form, row, budget);
  if (unmatchedRow) left.missing.push(unmatchedRow);
  else findings.addUnseen("missing_row", 1);
}

/** Keeps a row of a file that the run should not have, as far as there is room. */
export function keepSurplus(
  left: UnmatchedRows,
  form: RowForm,
  budget: UnmatchedBudget,
  findings: Findings,
  { key, row }: FoundRow,
): void {
  const unmatchedRow = unmatchedRowOf(form, row, budget);
  if (unmatchedRow) left.surplus.push({ ...unmatchedRow, key });
  else findings.addUnseen(isOutside(left.run, row.start) ? "wrong_partition" : "extra_row", 1);
}

/** Whether a row begins outside of a run's window; one whose file does not say when does not. */
export function isOutside(run: ExportRun, start: string | null): boolean {
  return start !== null && (start < run.start_time || start >= run.end_time);
}
