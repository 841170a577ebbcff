import { type CaseResult, sectionOfCase } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import { expiredAddressLine, reportSingleCase } from "./digest.ts";
import { rowName } from "./findings.ts";
import { caseLines } from "./pretty.ts";
import { countsOf } from "./summary.ts";

/** A JUnit report: a suite for each section. */
export function junitReport(report: RunReport, strict: boolean): string {
  const { target, results, wallMs } = report;
  const sections = [...new Set(results.map(({ id }) => sectionOfCase(id)))];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(target)}" time="${seconds(wallMs)}" ${totals(results, strict)}>`,
    ...sections.flatMap((section) => suiteOf(section, report, strict)),
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteOf(section: string, report: RunReport, strict: boolean): string[] {
  const results = report.results.filter(({ id }) => sectionOfCase(id) === section);
  const time = results.reduce((sum, { wallMs }) => sum + wallMs, 0);
  return [
    `  <testsuite name="§${escaped(section)}" time="${seconds(time)}" ${totals(results, strict)}>`,
    ...results.map((result) => testCase(section, result, strict, report)),
    "  </testsuite>",
  ];
}

/** The full text of a case, since build servers show each case alone. */
function testCase(
  section: string,
  result: CaseResult,
  strict: boolean,
  { again, fleeting }: RunReport,
): string {
  const { id, title, wallMs, verdict } = result;
  const open = `    <testcase classname="§${escaped(section)}" name="${escaped(`${id}: ${title}`)}" time="${seconds(wallMs)}"`;
  if (verdict === "PASS") return `${open}/>`;
  const written = reportSingleCase(result);
  const text = escaped([...caseLines(written, again), ...expiredAddressLine(fleeting)].join("\n"));
  if (verdict === "UNSUPPORTED")
    return `${open}><skipped message="${escaped(result.findings[0]?.text ?? verdict)}"/></testcase>`;
  const [gravest] = written.kinds;
  const message = gravest ? `§${rowName(gravest.finding)}: ${gravest.finding.text}` : verdict;
  const inner = isFailure(result, strict)
    ? `<failure type="${verdict}" message="${escaped(message)}">${text}</failure>`
    : `<system-out>${text}</system-out>`;
  return `${open}>${inner}</testcase>`;
}

function isFailure({ verdict }: CaseResult, strict: boolean): boolean {
  return verdict === "FAIL" || (strict && verdict !== "PASS" && verdict !== "UNSUPPORTED");
}

function totals(results: readonly CaseResult[], strict: boolean): string {
  const failures = results.filter((result) => isFailure(result, strict)).length;
  return `tests="${results.length}" failures="${failures}" errors="0" skipped="${countsOf(results).UNSUPPORTED}"`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Removes characters that XML does not allow. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
