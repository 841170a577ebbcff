import { useState } from "preact/hooks";
import type { Outcome } from "../../../scenarios/replay.ts";
import { ResultFilter } from "../parts/result-filter.tsx";

/** A report of `replay --report json`. */
export interface ReplayReportData {
  readonly summary: Readonly<Record<Outcome["verdict"], number>>;
  readonly scenarios: readonly Outcome[];
}

const LOOKS = {
  passed: ["●", "good"],
  failed: ["✕", "bad"],
  drifted: ["◇", "wait"],
  broken: ["⊘", "bad"],
  "not run": ["–", "wait"],
} as const satisfies Record<Outcome["verdict"], readonly [string, string]>;

const GRAVITY = ["broken", "failed", "drifted", "not run", "passed"] as const;

/** The scenarios of a replay, those that did not pass first. */
export function ReplayReport({ report }: { readonly report: ReplayReportData }) {
  const { scenarios, summary } = report;
  const [selected, select] = useState<Outcome["verdict"] | null>(null);
  const sortedScenarios = scenarios
    .filter(({ verdict }) => selected === null || verdict === selected)
    .sort((a, b) => GRAVITY.indexOf(a.verdict) - GRAVITY.indexOf(b.verdict));
  return (
    <>
      <ResultFilter
        counts={summary}
        results={GRAVITY.filter((verdict) => summary[verdict] > 0)}
        selected={selected}
        select={select}
      />
      {scenarios.length === 0 && <p class="why wait">No scenario was run, so nothing was checked.</p>}
      {sortedScenarios.map((outcome) => (
        <ScenarioCard key={outcome.file} outcome={outcome} />
      ))}
    </>
  );
}

function ScenarioCard({ outcome }: { readonly outcome: Outcome }) {
  const { name, sentence, verdict, steps, durationMs, failure, drift, problem, again } = outcome;
  const [glyph, tone] = LOOKS[verdict];
  return (
    <details class="card run" open={verdict !== "passed"}>
      <summary>
        <span class={`status ${tone}`}>
          <span aria-hidden="true">{glyph}</span> {verdict}
        </span>
        <strong>{name}</strong> <span>{sentence}</span>{" "}
        <span class="muted">
          {steps} steps, {Math.round(durationMs)} ms
        </span>
      </summary>
      {problem !== undefined && <p class="problem">{problem}</p>}
      {failure && (
        <>
          <p>
            <span class="mono key">
              {failure.place.file}:{failure.place.line}
            </span>{" "}
            {failure.label}
          </p>
          {failure.note !== undefined && <p class="muted">{failure.note}</p>}
          <Lines lines={failure.differences} />
          {failure.curl !== undefined && <Lines lines={[failure.curl]} />}
        </>
      )}
      {drift?.kind === "drifted" && <Lines lines={drift.differences} />}
      <p class="muted">
        Again: <code>{again}</code>
      </p>
    </details>
  );
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <pre class="json" tabIndex={0}>
      {lines.join("\n")}
    </pre>
  );
}
