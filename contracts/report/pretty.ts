import type { CaseResult } from "../engine/case.ts";
import { describeRequirement } from "../engine/requirement-text.ts";
import type { RunReport } from "../engine/run.ts";
import { cut, shown } from "../engine/shown.ts";
import type { Finding } from "../engine/verdict.ts";
import { digestOf, type ReportedBefore, type ReportedCase } from "./digest.ts";
import { rerunLine, rowName, type Unmet } from "./findings.ts";
import { counted, countsLine, countsOf, listed } from "./summary.ts";

/** Characters compared to see whether a reply repeats the checked value, which is then shown once. */
const SAME_CHARACTERS = 60;

/** A text report: findings by case and by requirement, then the counts. */
export function prettyReport(report: RunReport, verbose: boolean): string {
  const { results, again } = report;
  const {
    casesWithFindings: wanting,
    cases,
    reportedBefore: toldBefore,
    unmet,
    expiredAddressLines: gone,
  } = digestOf(report, verbose);
  return [
    ...headLines(wanting, results.length),
    ...cases.flatMap((each) => [...caseLines(each, again), ""]),
    ...reportedBeforeLines(toldBefore),
    ...unsupportedLines(results),
    ...unmetLines(unmet, again),
    ...gone,
    `${report.target}: ${countsLine(countsOf(results))}`,
    `${counted(results.length, "case")}, ${counted(report.requests, "request")}, ${(report.wallMs / 1000).toFixed(1)} s, seed ${report.seed}`,
  ].join("\n");
}

function headLines(wanting: number, all: number): string[] {
  if (wanting < 2) return [];
  return [`${wanting} of ${counted(all, "case")} found something; what is not met stands at the end.`, ""];
}

/** A case with its findings and the command to rerun it. */
export function caseLines({ result, kinds, rest }: ReportedCase, again?: string): string[] {
  const { id, title, verdict } = result;
  return [
    `${verdict}  ${id}  ${title}`,
    ...kinds.flatMap(({ finding, more, isFull }) => [
      ...(isFull ? findingLines(finding) : [findingLine(finding)]),
      ...(more > 0 ? [`    and ${more} more like this`] : []),
    ]),
    ...(rest > 0 ? [`  and ${counted(rest, "more finding")}`] : []),
    ...rerunLine(again, id).map((line) => `  ${line}`),
  ];
}

function reportedBeforeLines(reportedBefore: readonly ReportedBefore[]): string[] {
  if (reportedBefore.length === 0) return [];
  return [
    "More cases met with the same rows; --verbose shows them in full:",
    ...reportedBefore.flatMap(({ verdict, rows, cases }) => [
      `  ${verdict} ${rows}`,
      `    ${cases.join(" ")}`,
    ]),
    "",
  ];
}

function findingLine(finding: Finding): string {
  const { verdict, blame, text } = finding;
  return `  ${verdict} §${rowName(finding)} (${blame}): ${text}`;
}

export function findingLines(finding: Finding): string[] {
  const { requirement, assumption, exchange } = finding;
  return [
    findingLine(finding),
    ...(requirement === null ? [] : [`    asked for: ${describeRequirement(requirement, assumption)}`]),
    ...("expected" in finding ? [`    expected ${shown(finding.expected)}`] : []),
    ...("actual" in finding ? [`    actual   ${shown(finding.actual)}`] : []),
    ...(exchange
      ? [`    ${exchange.curl}`, `    answered ${exchange.status} ${replyOf(finding, exchange)}`.trimEnd()]
      : []),
  ];
}

function replyOf(finding: Finding, { replyBody }: NonNullable<Finding["exchange"]>): string {
  const begin = "actual" in finding ? shown(finding.actual).slice(0, SAME_CHARACTERS) : "";
  if (begin.length === SAME_CHARACTERS && replyBody.startsWith(begin)) return "";
  return cut(replyBody);
}

/** The unmet requirements: many cases may fail for the same reason. */
function unmetLines(rows: readonly Unmet[], again: string | undefined): string[] {
  if (rows.length === 0) return [];
  return [
    "What is not met, the gravest first:",
    ...rows.flatMap((row) => [
      `  ${row.verdict} §${rowName(row)}: ${row.says}`,
      `    ${counted(row.cases.length, "case")}: ${listed(row.cases)}`,
    ]),
    ...rerunLine(again, rows[0]?.cases[0] ?? "").map((line) => `Mend the first, then ask ${line}`),
    "",
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
    `UNSUPPORTED  ${counted(ids.length, "case")}: ${reason}`,
    `  ${ids.join(" ")}`,
    "",
  ]);
}
