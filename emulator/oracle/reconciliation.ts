import { differences, type RowForm } from "./comparable-row.ts";
import type { Findings } from "./findings.ts";
import { isOutside, type Leftover, type RunLeftovers } from "./leftovers.ts";

type Surplus = RunLeftovers["surplus"][number];

interface Lost {
  readonly left: RunLeftovers;
  readonly leftover: Leftover;
}

/** Says what became of the rows that found no like in their own run. */
export function reconcile(form: RowForm, runs: readonly RunLeftovers[], findings: Findings): void {
  const lost = createLost(runs);
  const unexplained = runs.map((left) => ({
    left,
    surplus: left.surplus.filter((found) => !explain(form, left, found, lost, findings)),
  }));
  for (const { left, surplus } of unexplained) {
    const missing = lost.of(left);
    const pairs = form.columns.includes("id") ? 0 : Math.min(missing.length, surplus.length);
    for (const [at, found] of surplus.slice(0, pairs).entries())
      reportChange(form, missing[at] as Leftover, found, findings);
    for (const { key, name } of surplus.slice(pairs))
      findings.add("extra_row", key, `${name} is not among the rows that the store selects`);
    for (const { name, start } of missing.slice(pairs))
      findings.add("missing_row", left.folder, `${name}, which begins at ${start}, is in no file`);
  }
}

/** Finds what a surplus row is, unless it is a row that nothing explains. */
function explain(
  form: RowForm,
  left: RunLeftovers,
  found: Surplus,
  lost: ReturnType<typeof createLost>,
  findings: Findings,
): boolean {
  const { key, name } = found;
  const like = lost.take(left, found.identity);
  if (like?.left === left) {
    if (like.leftover.digest !== found.digest) reportChange(form, like.leftover, found, findings);
    return true;
  }
  const { start_time, end_time } = left.run;
  if (like || isOutside(left.run, found.start)) {
    const begin = like?.leftover.start ?? found.start;
    findings.add(
      "wrong_partition",
      key,
      `${name} begins at ${begin}, outside of ${start_time} to ${end_time}`,
    );
    return true;
  }
  if (!left.expected.has(found.identity)) return false;
  findings.add("duplicate_row", key, `${name} is in the files of this run more than once`);
  return true;
}

function reportChange(form: RowForm, stored: Leftover, found: Surplus, findings: Findings): void {
  const differing =
    stored.row && found.row
      ? differences(form, stored.row, found.row)
      : "it has other values than in the store";
  if (differing) findings.add("changed_value", found.key, `${stored.name}: ${differing}`);
}

/** The missing rows of all runs, by what they are told apart by. */
function createLost(runs: readonly RunLeftovers[]) {
  const byIdentity = new Map<string, Lost[]>();
  const taken = new Set<Leftover>();
  for (const left of runs) {
    for (const leftover of left.missing) {
      const like = byIdentity.get(leftover.identity);
      if (like) like.push({ left, leftover });
      else byIdentity.set(leftover.identity, [{ left, leftover }]);
    }
  }
  return {
    /** A missing row of this identity, of the same run if there is one. */
    take(left: RunLeftovers, identity: string): Lost | undefined {
      const likes = byIdentity.get(identity)?.filter(({ leftover }) => !taken.has(leftover)) ?? [];
      const like = likes.find((each) => each.left === left) ?? likes[0];
      if (like) taken.add(like.leftover);
      return like;
    },
    /** What was not taken. */
    of: (left: RunLeftovers) => left.missing.filter((leftover) => !taken.has(leftover)),
  };
}
