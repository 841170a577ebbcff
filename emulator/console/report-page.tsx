import { render } from "preact";
import type { Comparison } from "../../contracts/engine/compare.ts";
import { ComparisonReport } from "./contract/comparison.tsx";
import { ContractReport } from "./contract/report.tsx";
import type { ContractReportData } from "./contract/requirements.ts";
import { ReplayReport, type ReplayReportData } from "./replay/report.tsx";

/** The data of a one-file report: its kind, and the report as JSON. */
type ReportData =
  | { readonly kind: "contract"; readonly report: ContractReportData }
  | { readonly kind: "comparison"; readonly report: Comparison }
  | { readonly kind: "replay"; readonly report: ReplayReportData };

const TITLES = { contract: "Contract run", comparison: "Two servers compared", replay: "Scenarios" } as const;

function Page({ data }: { readonly data: ReportData }) {
  return (
    <main>
      <h1>{TITLES[data.kind]}</h1>
      {data.kind === "contract" && <ContractReport report={data.report} />}
      {data.kind === "comparison" && <ComparisonReport comparison={data.report} />}
      {data.kind === "replay" && <ReplayReport report={data.report} />}
    </main>
  );
}

const data = JSON.parse(document.getElementById("data")?.textContent ?? "null") as ReportData;
render(<Page data={data} />, document.body);
