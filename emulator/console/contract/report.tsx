import { useState } from "preact/hooks";
import { VERDICTS, type Verdict } from "../../../contracts/engine/verdict.ts";
import { ResultFilter } from "../parts/result-filter.tsx";
import { Empty } from "../parts/states.tsx";
import { FindingCard } from "./finding.tsx";
import {
  type CaseFinding,
  type ContractReportData,
  outcomesOf,
  type RequirementOutcome,
} from "./requirements.ts";

/** Glyph and tone of a verdict. */
const LOOKS: Readonly<Record<Verdict, readonly [glyph: string, tone: string]>> = {
  PASS: ["●", "good"],
  UNSUPPORTED: ["○", "off"],
  "NON-STRICT": ["◐", "wait"],
  UNSPECIFIED: ["◇", "busy"],
  FAIL: ["✕", "bad"],
};

const bySeverity = (a: CaseFinding, b: CaseFinding) =>
  VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict) ||
  Number(a.isKnown ?? 0) - Number(b.isKnown ?? 0);

/** A report of `contract run`: every requirement, the findings with FAIL first, then what was not checked. */
export function ContractReport({ report }: { readonly report: ContractReportData }) {
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [selectedVerdict, setSelectedVerdict] = useState<Verdict | null>(null);
  const isSelected = ({ verdict }: { readonly verdict: Verdict }) =>
    selectedVerdict === null || verdict === selectedVerdict;
  const outcomes = outcomesOf(report.results);
  const listedOutcomes = outcomes.filter(isSelected);
  const visibleOutcomes = selectedId === null ? outcomes : outcomes.filter(({ id }) => id === selectedId);
  const findings = visibleOutcomes
    .flatMap((outcome) => outcome.findings)
    .filter(isSelected)
    .sort(bySeverity);
  return (
    <>
      <p class={`status ${report.ok ? "good" : "bad"}`}>
        <span aria-hidden="true">{report.ok ? "●" : "✕"}</span> {report.target}
      </p>
      <ResultFilter
        counts={report.counts}
        results={[...VERDICTS].reverse()}
        selected={selectedVerdict}
        select={setSelectedVerdict}
      />
      <section class="card" aria-label="Requirements">
        <h2>
          Requirements <span class="muted">{listedOutcomes.length}, by their gravest verdict</span>
        </h2>
        <ul class="grid sentences">
          {listedOutcomes.map((outcome) => (
            <Cell
              key={outcome.id}
              outcome={outcome}
              text={report.requirements[outcome.id]}
              isSelected={outcome.id === selectedId}
              toggle={() => setSelectedId(outcome.id === selectedId ? null : outcome.id)}
            />
          ))}
        </ul>
      </section>
      <h2>Findings {selectedId !== null && <span class="muted">of {selectedId}</span>}</h2>
      {selectedId !== null && <p>{report.requirements[selectedId]}</p>}
      {findings.length === 0 && <Empty>None.</Empty>}
      {findings.map((finding, index) => (
        <FindingCard key={`${finding.caseId} ${index}`} finding={finding} />
      ))}
      <UncheckedCases report={report} />
    </>
  );
}

interface CellProps {
  readonly outcome: RequirementOutcome;
  readonly text: string | undefined;
  readonly isSelected: boolean;
  readonly toggle: () => void;
}

function Cell({ outcome: { id, verdict, findings }, text, isSelected, toggle }: CellProps) {
  const [glyph, tone] = LOOKS[verdict];
  const blames = [...new Set(findings.map(({ blame }) => blame))].join(", ");
  return (
    <li>
      <button
        type="button"
        class={`day ${tone}`}
        aria-pressed={isSelected}
        aria-label={`${id} ${text ?? ""} ${verdict}${blames && ` (${blames})`}, ${findings.length} findings`}
        onClick={toggle}
      >
        <span aria-hidden="true">{glyph}</span> {id} <span class="sentence">{text}</span>
      </button>
    </li>
  );
}

/** What a run did not check: cases that could not run, cases that ended early, or all of them. */
function UncheckedCases({ report }: { readonly report: ContractReportData }) {
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
