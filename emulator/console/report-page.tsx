import { render } from "preact";
import type { Comparison } from "../../contracts/engine/compare.ts";
import { ComparisonReport } from "./contract/comparison.tsx";
import { ContractReport } from "./contract/report.tsx";
import type { ContractReportData } from "./contract/requirements.ts";
import { showStoredTextSafely } from "./parts/stored-text.ts";
import { ReplayReport, type ReplayReportData } from "./replay/report.tsx";

/** The data of a one-file report: its kind, the report as JSON, and what wrote it when. */
type ReportData = {
  /** Version of the emulator. */
  readonly version: string;
  /** Date and time, UTC. */
  readonly date: string;
} & (
  | { readonly kind: "contract"; readonly report: ContractReportData }
  | { readonly kind: "comparison"; readonly report: Comparison }
  | { readonly kind: "replay"; readonly report: ReplayReportData }
);

const TITLES = { contract: "Contract run", comparison: "Two servers compared", replay: "Scenarios" } as const;

/** `seed 1 · emulator 0.1.0 · 2026-03-01T00:00:00Z` */
function originOf({ report, version, date }: ReportData): string {
  const seed = "seed" in report ? [`seed ${report.seed}`] : [];
  return [...seed, `emulator ${version}`, date.replace(/\.\d+Z$/, "Z")].join(" · ");
}

function Page({ data }: { readonly data: ReportData }) {
  return (
    <main>
      <h1>{TITLES[data.kind]}</h1>
      <p class="muted">{originOf(data)}</p>
      {data.kind === "contract" && <ContractReport report={data.report} />}
      {data.kind === "comparison" && <ComparisonReport comparison={data.report} />}
      {data.kind === "replay" && <ReplayReport report={data.report} />}
    </main>
  );
}

showStoredTextSafely();
const data = JSON.parse(document.getElementById("data")?.textContent ?? "null") as ReportData;
render(<Page data={data} />, document.body);
