import { useState } from "preact/hooks";
import { VERDICTS, type Verdict } from "../../../contracts/engine/verdict.ts";
import { Empty } from "../parts/empty.tsx";
import { FindingCard } from "./finding.tsx";
import { LessThanItSeems } from "./less-than-it-seems.tsx";
import { type ContractReportData, outcomesOf, type RequirementOutcome } from "./requirements.ts";

/** Glyph and tone of a verdict. */
const LOOKS: Readonly<Record<Verdict, readonly [glyph: string, tone: string]>> = {
  PASS: ["●", "good"],
  UNSUPPORTED: ["○", "off"],
  "NON-STRICT": ["◐", "wait"],
  UNSPECIFIED: ["◇", "busy"],
  FAIL: ["✕", "bad"],
};

/** A report of `contract run`: what could make it mean less first, then every requirement, then the findings. */
export function ContractReport({ report }: { readonly report: ContractReportData }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const outcomes = outcomesOf(report.results);
  const shown = chosen === null ? outcomes : outcomes.filter(({ id }) => id === chosen);
  const findings = shown.flatMap((outcome) => outcome.findings);
  return (
    <>
      <p class={`status ${report.ok ? "good" : "bad"}`}>
        <span aria-hidden="true">{report.ok ? "●" : "✕"}</span> {report.target}:{" "}
        {VERDICTS.map((verdict) => `${report.counts[verdict] ?? 0} ${verdict}`).join(" · ")}
      </p>
      <LessThanItSeems report={report} />
      <section class="card" aria-label="Requirements">
        <h2>
          Requirements <span class="muted">{outcomes.length}, by their gravest verdict</span>
        </h2>
        <ul class="grid">
          {outcomes.map((outcome) => (
            <Cell
              key={outcome.id}
              of={outcome}
              text={report.requirements[outcome.id]}
              isChosen={outcome.id === chosen}
              choose={() => setChosen(outcome.id === chosen ? null : outcome.id)}
            />
          ))}
        </ul>
      </section>
      <h2>Findings {chosen !== null && <span class="muted">of {chosen}</span>}</h2>
      {chosen !== null && <p>{report.requirements[chosen]}</p>}
      {findings.length === 0 && <Empty>None.</Empty>}
      {findings.map((finding, index) => (
        <FindingCard key={`${finding.of} ${index}`} finding={finding} />
      ))}
    </>
  );
}

interface CellProps {
  readonly of: RequirementOutcome;
  readonly text: string | undefined;
  readonly isChosen: boolean;
  readonly choose: () => void;
}

function Cell({ of: { id, verdict, findings }, text, isChosen, choose }: CellProps) {
  const [glyph, tone] = LOOKS[verdict];
  const blamed = [...new Set(findings.map(({ blame }) => blame))].join(", ");
  return (
    <li>
      <button
        type="button"
        class={`day ${tone}`}
        aria-pressed={isChosen}
        title={`${verdict}${blamed && ` (${blamed})`}: ${text}`}
        aria-label={`${id}: ${verdict}${blamed && ` (${blamed})`}, ${findings.length} findings`}
        onClick={choose}
      >
        <span aria-hidden="true">{glyph}</span> {id}
      </button>
    </li>
  );
}
