import { partLabel, type ReportModel, type ReportRow, type ReportSuite } from "./model.ts";
import { printable } from "./printable.ts";

/** A JUnit report: each result has its full text, since build servers show each result alone. */
export function junitReport(model: ReportModel): string {
  const suites = model.suites();
  const rows = suites.flatMap((suite) => suite.rows);
  const name = [model.name, partLabel(model)].filter(Boolean).join(", ");
  const open = { name, time: seconds(model.durationMs ?? durationOf(rows)), ...totals(rows) };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes(open)}>`,
    ...suites.flatMap(suiteLines),
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteLines({ name, rows }: ReportSuite): readonly string[] {
  const open = { name, time: seconds(durationOf(rows)), ...totals(rows) };
  return [`  <testsuite ${attributes(open)}>`, ...rows.map(testCase), "  </testsuite>"];
}

function testCase(row: ReportRow): string {
  const { name, className, file, durationMs, remarks = [] } = row;
  const time = durationMs === undefined ? undefined : seconds(durationMs);
  const open = `    <testcase ${attributes({ classname: className, name, file: file?.path, time })}`;
  const output = remarks.length === 0 ? "" : `<system-out>${escapedLines(remarks)}</system-out>`;
  const inner = resultElement(row) + output;
  return inner === "" ? `${open}/>` : `${open}>${inner}</testcase>`;
}

function resultElement({ outcome, verdict, message, details }: ReportRow): string {
  if (outcome === "passed") return "";
  if (outcome === "skipped") return `<skipped ${attributes({ message })}/>`;
  const tag = outcome === "error" ? "error" : "failure";
  return `<${tag} ${attributes({ type: verdict, message })}>${escapedLines(details)}</${tag}>`;
}

function totals(rows: readonly ReportRow[]) {
  const count = (outcome: ReportRow["outcome"]) => rows.filter((row) => row.outcome === outcome).length;
  return {
    tests: String(rows.length),
    failures: String(count("failed")),
    errors: String(count("error")),
    skipped: String(count("skipped")),
  };
}

function durationOf(rows: readonly ReportRow[]): number {
  return rows.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${escaped(value)}"`]))
    .join(" ");
}

function escapedLines(lines: readonly string[]): string {
  return lines.map(escaped).join("\n");
}

/** Escapes a line for XML 1.0, which cannot represent most control characters. */
function escaped(line: string): string {
  return printable(line)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
