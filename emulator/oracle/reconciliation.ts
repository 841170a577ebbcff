import { differences, type RowForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";
import { foreignRow } from "./matching.ts";
import { isOutside, type UnmatchedRow, type UnmatchedRows } from "./unmatched-rows.ts";

type Surplus = UnmatchedRows["surplus"][number];

interface MissingRow {
  readonly left: UnmatchedRows;
  readonly unmatchedRow: UnmatchedRow;
}

/** Explains the unmatched rows of all runs. */
export function reconcile(form: RowForm, runs: readonly UnmatchedRows[], findings: Findings): void {
  const lost = indexMissingRows(runs);
  const unexplained = runs.map((left) => ({
    left,
    surplus: left.surplus.filter((found) => !explain(form, left, found, lost, findings)),
  }));
  for (const { left, surplus } of unexplained) {
    const missing = lost.of(left);
    const pairs = form.columns.includes("id") ? 0 : Math.min(missing.length, surplus.length);
    for (const [at, found] of surplus.slice(0, pairs).entries())
      reportChange(form, missing[at] as UnmatchedRow, found, findings);
    for (const { key, name } of surplus.slice(pairs))
      findings.add("extra_row", key, `${name} is not one of the rows that the export selects`);
    for (const { name, start } of missing.slice(pairs))
      findings.add("missing_row", left.folder, `${name} with the start time ${start} is in no file`);
  }
}

/** Classifies a surplus row; false if nothing explains it. */
function explain(
  form: RowForm,
  left: UnmatchedRows,
  found: Surplus,
  lost: ReturnType<typeof indexMissingRows>,
  findings: Findings,
): boolean {
  const { key, name } = found;
  const like = lost.take(left, found.identity);
  const foreign = found.foreign ?? like?.unmatchedRow.foreign;
  if (foreign !== undefined) {
    findings.add("wrong_project", key, foreignRow(name, foreign));
    return true;
  }
  if (like?.left === left) {
    if (like.unmatchedRow.digest !== found.digest) reportChange(form, like.unmatchedRow, found, findings);
    return true;
  }
  const { start_time, end_time } = left.run;
  if (like || isOutside(left.run, found.start)) {
    const begin = like?.unmatchedRow.start ?? found.start;
    findings.add(
      "wrong_partition",
      key,
      `${name} has the start time ${begin}, outside ${start_time} to ${end_time}`,
    );
    return true;
  }
  if (!left.expected.has(found.identity)) return false;
  findings.add("duplicate_row", key, `${name} is in the files of this run more than once`);
  return true;
}

function reportChange(form: RowForm, stored: UnmatchedRow, found: Surplus, findings: Findings): void {
  const differing =
    stored.row && found.row
      ? differences(form, stored.row, found.row)
      : "its values differ from those in the store";
  if (differing) findings.add("changed_value", found.key, `${stored.name}: ${differing}`);
}

/** The missing rows of all runs, by identity. */
function indexMissingRows(runs: readonly UnmatchedRows[]) {
  const byIdentity = new Map<string, MissingRow[]>();
  const taken = new Set<UnmatchedRow>();
  for (const left of runs) {
    for (const unmatchedRow of left.missing) {
      const like = byIdentity.get(unmatchedRow.identity);
      if (like) like.push({ left, unmatchedRow });
      else byIdentity.set(unmatchedRow.identity, [{ left, unmatchedRow }]);
    }
  }
  return {
    /** A missing row of this identity, of the same run if there is one. */
    take(left: UnmatchedRows, identity: string): MissingRow | undefined {
      const likes = byIdentity.get(identity)?.filter(({ unmatchedRow }) => !taken.has(unmatchedRow)) ?? [];
      const like = likes.find((each) => each.left === left) ?? likes[0];
      if (like) taken.add(like.unmatchedRow);
      return like;
    },
    /** The remaining rows. */
    of: (left: UnmatchedRows) => left.missing.filter((unmatchedRow) => !taken.has(unmatchedRow)),
  };
}
