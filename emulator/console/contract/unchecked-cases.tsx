import type { ContractReportData } from "./requirements.ts";

/** What a run did not check: cases that could not run, cases that ended early, or all of them. */
export function UncheckedCases({ report }: { readonly report: ContractReportData }) {
  const uncheckedSections = report.notChecked;
  const stoppedCases = report.results.filter((result) => result.stopped === true);
  if (uncheckedSections.length === 0 && stoppedCases.length === 0 && report.results.length > 0) return null;
  return (
    <section class="why wait" aria-label="What this run did not check">
      <strong>
        <span aria-hidden="true">◇</span> What this run did not check
      </strong>
      <ul>
        {report.results.length === 0 && <li>No contract case was run, so nothing was checked.</li>}
        {uncheckedSections.map(({ section, cases, of, needs }) => (
          <li key={section}>
            §{section}: {cases.length} of {of} cases, which need {needs.map(([need]) => need).join(", ")}
          </li>
        ))}
        {stoppedCases.length > 0 && (
          <li>{stoppedCases.length} cases ended early because of their findings: there may be more.</li>
        )}
      </ul>
    </section>
  );
}
