import { differences, type FileForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";
import { foreignRow } from "./matching.ts";
import { isOutside, type UnmatchedRow, type UnmatchedRows } from "./unmatched-rows.ts";

type Surplus = UnmatchedRows["surplus"][number];

interface MissingRow {
  readonly unmatched: UnmatchedRows;
  readonly unmatchedRow: UnmatchedRow;
}

/** Explains the unmatched rows of all runs. */
export function reconcile(form: FileForm, runs: readonly UnmatchedRows[], findings: Findings): void {
  const missingRows = indexMissingRows(runs);
  const unexplained = runs.map((unmatched) => ({
    unmatched,
    surplus: unmatched.surplus.filter((row) => !explain(form, unmatched, row, missingRows, findings)),
  }));
  for (const { unmatched, surplus } of unexplained) {
    const missingFromRuns = missingRows.of(unmatched);
    const pairs = form.columns.includes("id") ? 0 : Math.min(missingFromRuns.length, surplus.length);
    for (const [at, row] of surplus.slice(0, pairs).entries())
      reportChange(form, missingFromRuns[at] as UnmatchedRow, row, findings);
    for (const { key, name } of surplus.slice(pairs))
      findings.add("extra_row", key, `${name} is not one of the rows that the export selects`);
    for (const { name, start } of missingFromRuns.slice(pairs))
      findings.add("missing_row", unmatched.folder, `${name} with the start time ${start} is in no file`);
  }
}

/** Classifies a surplus row; false if nothing explains it. */
function explain(
  form: FileForm,
  unmatched: UnmatchedRows,
  row: Surplus,
  missingRows: ReturnType<typeof indexMissingRows>,
  findings: Findings,
): boolean {
  const { key, name } = row;
  const like = missingRows.take(unmatched, row.identity);
  const foreign = row.foreign ?? like?.unmatchedRow.foreign;
  if (foreign !== undefined) {
    findings.add("wrong_project", key, foreignRow(name, foreign));
    return true;
  }
  if (like?.unmatched === unmatched) {
    if (like.unmatchedRow.digest !== row.digest) reportChange(form, like.unmatchedRow, row, findings);
    return true;
  }
  const { start_time, end_time } = unmatched.run;
  if (like || isOutside(unmatched.run, row.start)) {
    const begin = like?.unmatchedRow.start ?? row.start;
    findings.add(
      "wrong_partition",
      key,
      `${name} has the start time ${begin}, outside ${start_time} to ${end_time}`,
    );
    return true;
  }
  if (!unmatched.expected.has(row.identity)) return false;
  findings.add("duplicate_row", key, `${name} is in the files of this run more than once`);
  return true;
}

function reportChange(form: FileForm, storedRow: UnmatchedRow, row: Surplus, findings: Findings): void {
  const differing =
    storedRow.row && row.row
      ? differences(form, storedRow.row, row.row)
      : "its values differ from those in the store";
  if (differing) findings.add("changed_value", row.key, `${storedRow.name}: ${differing}`);
}

/** The missing rows of all runs, by identity. */
function indexMissingRows(runs: readonly UnmatchedRows[]) {
  const byIdentity = new Map<string, MissingRow[]>();
  const explainedRows = new Set<UnmatchedRow>();
  for (const unmatched of runs) {
    for (const unmatchedRow of unmatched.missing) {
      const like = byIdentity.get(unmatchedRow.identity);
      if (like) like.push({ unmatched, unmatchedRow });
      else byIdentity.set(unmatchedRow.identity, [{ unmatched, unmatchedRow }]);
    }
  }
  return {
    /** A missing row of this identity, of the same run if there is one. */
    take(unmatched: UnmatchedRows, identity: string): MissingRow | undefined {
      const likes =
        byIdentity.get(identity)?.filter(({ unmatchedRow }) => !explainedRows.has(unmatchedRow)) ?? [];
      const like = likes.find((each) => each.unmatched === unmatched) ?? likes[0];
      if (like) explainedRows.add(like.unmatchedRow);
      return like;
    },
    /** The remaining rows. */
    of: (unmatched: UnmatchedRows) =>
      unmatched.missing.filter((unmatchedRow) => !explainedRows.has(unmatchedRow)),
  };
}
