import type { CaseResult, Finding } from "../case.ts";
import type { RunReport } from "../run.ts";
import { countsLine, countsOf, shown } from "./summary.ts";

const FINDINGS_SHOWN = 10;

/** A report for a person: what is not as it should be, then the counts. */
export function prettyReport(report: RunReport): string {
  const wanting = report.results.filter(({ verdict }) => verdict !== "PASS" && verdict !== "UNSUPPORTED");
  return [
    ...wanting.flatMap((result) => [...caseLines(result), ""]),
    ...unsupportedLines(report.results),
    `${report.target}: ${countsLine(countsOf(report.results))}`,
    `${report.results.length} cases, ${report.requests} requests, ${(report.wallMs / 1000).toFixed(1)} s, seed ${report.seed}`,
  ].join("\n");
}

export function caseLines({ id, title, verdict, findings }: CaseResult): string[] {
  const rest = findings.length - FINDINGS_SHOWN;
  return [
    `${verdict}  ${id}  ${title}`,
    ...findings.slice(0, FINDINGS_SHOWN).flatMap(findingLines),
    ...(rest > 0 ? [`  and ${rest} more findings`] : []),
  ];
}

export function findingLines(finding: Finding): string[] {
  const { verdict, blame, requirement, assumption, section, text, exchange } = finding;
  const row = [requirement ?? section, ...(assumption ? [assumption] : [])].join(", ");
  return [
    `  ${verdict} §${row} (${blame}): ${text}`,
    ...("expected" in finding ? [`    expected ${shown(finding.expected)}`] : []),
    ...("actual" in finding ? [`    actual   ${shown(finding.actual)}`] : []),
    ...(exchange
      ? [
          `    ${exchange.method} ${exchange.url} → ${exchange.status} ${exchange.replyBody.slice(0, 300)}`,
          `    ${exchange.curl}`,
        ]
      : []),
  ];
}

function unsupportedLines(results: readonly CaseResult[]): string[] {
  const reasons = new Map<string, string[]>();
  for (const { id, verdict, findings } of results) {
    if (verdict !== "UNSUPPORTED") continue;
    const reason = findings[0]?.text ?? "";
    reasons.set(reason, [...(reasons.get(reason) ?? []), id]);
  }
  return [...reasons].flatMap(([reason, ids]) => [
    `UNSUPPORTED  ${ids.length} cases: ${reason}`,
    `  ${ids.join(" ")}`,
    "",
  ]);
}
