import { expect, test } from "vitest";
import type { ColumnName } from "../../contracts/spec/bulk-exports/columns.ts";
import type { ComparableRow } from "../../emulator/oracle/comparable-row.ts";
import { createFindings } from "../../emulator/oracle/findings.ts";
import { createMatching } from "../../emulator/oracle/matching.ts";
import { reconcile } from "../../emulator/oracle/reconciliation.ts";
import {
  keepMissing,
  keepSurplus,
  type UnmatchedBudget,
  type UnmatchedRows,
  unmatchedBudget,
} from "../../emulator/oracle/unmatched-rows.ts";
import type { ExportRun } from "../../emulator/subjects/bulk-exports/records.ts";

const form = {
  columns: ["id", "name"] as readonly ColumnName[],
  formatVersion: "v1",
  tenantId: "t",
  sessionId: "s",
} as const;
const run = { start_time: "2025-03-01", end_time: "2025-03-02" } as ExportRun;

function rowOf(n: number, name = `row ${n}`): ComparableRow {
  return { identity: `id ${n}`, start: "2025-03-01T12", values: [`id ${n}`, name] };
}

/** What is found when all of the store's rows come before all of the file's, with little room to wait in. */
function problemsOf(
  rows: readonly ComparableRow[],
  results: readonly ComparableRow[],
  budget: UnmatchedBudget,
) {
  const findings = createFindings();
  const left: UnmatchedRows = { run, folder: "folder/", missing: [], surplus: [], expected: new Set() };
  const matching = createMatching({
    form,
    findings,
    maxUnpairedBytes: 1000,
    onMissing: (row) => keepMissing(left, form, budget, findings, row),
    onSurplus: (each) => keepSurplus(left, form, budget, findings, each),
  });
  for (const row of rows) matching.expect(row);
  for (const row of results) matching.addFileRow({ key: "key", row });
  matching.end();
  reconcile(form, [left], findings);
  return findings.problems();
}

const MANY = Array.from({ length: 500 }, (_, n) => rowOf(n));

test("rows beyond the waiting bound are still found", () => {
  expect(problemsOf(MANY, MANY.toReversed(), unmatchedBudget())).toStrictEqual([]);
});

test("changes in rows beyond the waiting bound are found too", () => {
  const changed = MANY.with(7, rowOf(7, "changed"));
  expect(problemsOf(MANY, changed.toReversed(), unmatchedBudget())).toStrictEqual([
    { kind: "changed_value", key: "key", detail: 'row id 7: name is "changed" instead of "row 7"' },
  ]);
  expect(problemsOf(MANY, changed.toReversed(), { rows: 100_000, bytes: 0 })).toStrictEqual([
    { kind: "changed_value", key: "key", detail: "row id 7: its values differ from those in the store" },
  ]);
});

test("rows beyond the memory bound are counted", () => {
  const other = Array.from({ length: 500 }, (_, n) => rowOf(n + 1000));
  const problems = problemsOf(MANY, other, { rows: 0, bytes: 0 });
  expect(problems).toStrictEqual([
    { kind: "more", key: "", detail: "1000 more problems: missing_row 500, extra_row 500" },
  ]);
});
