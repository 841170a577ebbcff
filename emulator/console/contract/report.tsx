import { useState } from "preact/hooks";
import { VERDICTS, type Verdict } from "../../../contracts/engine/verdict.ts";
import { Empty } from "../parts/empty.tsx";
import { FindingCard } from "./finding.tsx";
import { type ContractReportData, outcomesOf, type RequirementOutcome } from "./requirements.ts";
import { UncheckedCases } from "./unchecked-cases.tsx";

/** Glyph and tone of a verdict. */
const LOOKS: Readonly<Record<Verdict, readonly [glyph: string, tone: string]>> = {
  PASS: ["●", "good"],
  UNSUPPORTED: ["○", "off"],
  "NON-STRICT": ["◐", "wait"],
  UNSPECIFIED: ["◇", "busy"],
  FAIL: ["✕", "bad"],
};

/** A report of `contract run`: first what was not checked, then every requirement, then the findings. */
export function ContractReport({ report }: { readonly report: ContractReportData }) {
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const outcomes = outcomesOf(report.results);
  const visibleOutcomes = selectedId === null ? outcomes : outcomes.filter(({ id }) => id === selectedId);
  const findings = visibleOutcomes.flatMap((outcome) => outcome.findings);
  return (
    <>
      <p class={`status ${report.ok ? "good" : "bad"}`}>
        <span aria-hidden="true">{report.ok ? "●" : "✕"}</span> {report.target}:{" "}
        {VERDICTS.map((verdict) => `${report.counts[verdict] ?? 0} ${verdict}`).join(" · ")}
      </p>
      <UncheckedCases report={report} />
      <section class="card" aria-label="Requirements">
        <h2>
          Requirements <span class="muted">{outcomes.length}, by their gravest verdict</span>
        </h2>
        <ul class="grid">
          {outcomes.map((outcome) => (
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
        title={`${verdict}${blames && ` (${blames})`}: ${text}`}
        aria-label={`${id}: ${verdict}${blames && ` (${blames})`}, ${findings.length} findings`}
        onClick={toggle}
      >
        <span aria-hidden="true">{glyph}</span> {id}
      </button>
    </li>
  );
}
