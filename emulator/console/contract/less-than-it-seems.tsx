import type { ContractReportData } from "./requirements.ts";

/** What could make a pass meaningless: cases that could not ask, cases that ended early, a run of nothing. */
export function LessThanItSeems({ report }: { readonly report: ContractReportData }) {
  const skipped = report.notLookedAt;
  const stopped = report.results.filter((result) => result.stopped === true);
  if (skipped.length === 0 && stopped.length === 0 && report.results.length > 0) return null;
  return (
    <section class="why wait" aria-label="What this run did not look at">
      <strong>
        <span aria-hidden="true">◇</span> What this run did not look at
      </strong>
      <ul>
        {report.results.length === 0 && <li>No case was run: a run that asks nothing proves nothing.</li>}
        {skipped.map(({ section, cases, of, needs }) => (
          <li key={section}>
            §{section}: {cases.length} of {of} cases, for want of {needs.map(([what]) => what).join(", ")}
          </li>
        ))}
        {stopped.length > 0 && (
          <li>{stopped.length} cases ended early because of what they found: more may be wrong.</li>
        )}
      </ul>
    </section>
  );
}
