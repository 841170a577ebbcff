import type { ContractReportData } from "./requirements.ts";

/** What could make a pass meaningless: cases that could not ask, cases that ended early, a run of nothing. */
export function LessThanItSeems({ report }: { readonly report: ContractReportData }) {
  const skipped = report.notChecked;
  const stopped = report.results.filter((result) => result.stopped === true);
  if (skipped.length === 0 && stopped.length === 0 && report.results.length > 0) return null;
  return (
    <section class="why wait" aria-label="What this run did not check">
      <strong>
        <span aria-hidden="true">◇</span> What this run did not check
      </strong>
      <ul>
        {report.results.length === 0 && <li>No contract case was run, so nothing was checked.</li>}
        {skipped.map(({ section, cases, of, needs }) => (
          <li key={section}>
            §{section}: {cases.length} of {of} cases, which need {needs.map(([what]) => what).join(", ")}
          </li>
        ))}
        {stopped.length > 0 && (
          <li>{stopped.length} cases ended early because of their findings: there may be more.</li>
        )}
      </ul>
    </section>
  );
}
