import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { FileDrop } from "../parts/file-drop.tsx";
import { ContractReport } from "./report.tsx";
import type { ContractReportData } from "./requirements.ts";

/** The report that was opened last, until the page is closed. */
const lastReport = signal<ContractReportData | null>(null);

/** A run of the contract suites, from its report file. */
export function ContractView() {
  const [problem, setProblem] = useState("");
  const openReport = async (file: File) => {
    const report = await readReport(file);
    lastReport.value = report ?? lastReport.value;
    setProblem(report ? "" : `${file.name} is not a report of contract run --report json.`);
  };
  return (
    <>
      <h1>Contract</h1>
      <p class="muted">
        <code>emulator contract run --report json --output report.json</code> writes this report.
      </p>
      <FileDrop
        name="Open a report"
        hint="drop the JSON file here; it stays on this page"
        accept=".json"
        onFile={openReport}
      />
      {problem !== "" && <p class="problem">{problem}</p>}
      {lastReport.value && <ContractReport report={lastReport.value} />}
    </>
  );
}

async function readReport(file: File): Promise<ContractReportData | null> {
  try {
    const value: Partial<ContractReportData> = JSON.parse(await file.text());
    const isReport =
      Array.isArray(value.results) && value.counts !== undefined && value.requirements !== undefined;
    return isReport ? (value as ContractReportData) : null;
  } catch {
    return null;
  }
}
