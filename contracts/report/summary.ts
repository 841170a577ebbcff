import { type CaseResult, VERDICTS, type Verdict } from "../case.ts";
import type { RunReport } from "../run.ts";

export type Counts = Readonly<Record<Verdict, number>>;

export function countsOf(results: readonly Pick<CaseResult, "verdict">[]): Counts {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** Whether a run is good: nothing failed, something was asked, and under `strict` nothing differs at all. */
export function isGood({ results }: RunReport, strict: boolean): boolean {
  const counts = countsOf(results);
  if (counts.FAIL > 0 || counts.PASS + counts["NON-STRICT"] + counts.UNSPECIFIED === 0) return false;
  return !strict || counts["NON-STRICT"] + counts.UNSPECIFIED === 0;
}

/** `151 PASS · 2 FAIL`, the gravest last. */
export function countsLine(counts: Counts): string {
  return VERDICTS.filter((verdict) => counts[verdict] > 0)
    .map((verdict) => `${counts[verdict]} ${verdict}`)
    .join(" · ");
}

/** A value as it is shown beside another one. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`;
}
