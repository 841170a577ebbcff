import { type CaseResult, sectionOfCase } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import { cut, formatValue } from "../engine/shown.ts";
import { VERDICTS } from "../engine/verdict.ts";
import { baselineLines } from "./baseline.ts";
import { fixOf } from "./blame.ts";
import { counted } from "./counted.ts";
import { expiredAddressLine } from "./digest.ts";
import { rerunLine, rowName } from "./findings.ts";
import { ladderLines } from "./ladder.ts";
import { codeBlock, inline, span, table } from "./markdown-text.ts";
import { costLine } from "./pretty.ts";
import { recordedLines, resultNoun } from "./recorded.ts";
import { type BrokenRow, brokenRows, type RowFinding, type Unmet, unmet } from "./rows.ts";
import { countsLine, countsOf, interruptedLines, listIds, stoppedLines } from "./summary.ts";
import { uncheckedLines } from "./unchecked.ts";

/** A Markdown report: the rows that are not met, the findings of each, what was not checked, and a table of sections. */
export function markdownLines(report: RunReport, verbose: boolean): readonly string[] {
  const { results, target, again, temporaryServer } = report;
  const sections = [...new Set(results.map(({ id }) => sectionOfCase(id)))];
  const rows = brokenRows(results);
  return [
    `## Contract: ${inline(target)}`,
    "",
    `${countsLine(countsOf(results))} — ${costLine(report)}`,
    "",
    ...interruptedLines(report),
    ...baselineLines(report).flatMap((line) => [line, ""]),
    ...unmetTable(unmet(results)),
    ...[...stoppedLines(results), ...(rows.length > 0 ? expiredAddressLine(temporaryServer) : [])].flatMap(
      (line) => [inline(line), ""],
    ),
    ...rows.flatMap((broken) => rowLines(broken, again, verbose)),
    ...listLines(uncheckedLines(results, verbose, resultNoun(report))),
    ...recordedLines(report).map(inline),
    ...listLines(ladderLines(results, verbose)),
    ...table(
      ["Section", ...VERDICTS],
      sections.map((section) => sectionCells(section, results)),
    ),
  ];
}

/** Indented lines become a list. */
function listLines(lines: readonly string[]): readonly string[] {
  return lines.map((line) => inline(line).replace(/^ +/, "- "));
}

function sectionCells(section: string, results: readonly CaseResult[]): readonly (string | number)[] {
  const counts = countsOf(results.filter(({ id }) => sectionOfCase(id) === section));
  return [`§${section}`, ...VERDICTS.map((verdict) => counts[verdict] || "")];
}

/** The unmet requirements: many cases may fail for the same reason. */
function unmetTable(rows: readonly Unmet[]): readonly string[] {
  if (rows.length === 0) return [];
  const cells = (row: Unmet) => [
    `§${rowName(row)}`,
    inline(row.statement),
    row.verdict,
    listIds(row.cases, inline),
  ];
  return table(["Not met", "Requirement", "Verdict", "Cases"], rows.map(cells));
}

/** Findings of a row that are shown; the first one in full. */
const MAX_FINDINGS = 5;

function rowLines(broken: BrokenRow, again: string | undefined, verbose: boolean): string[] {
  const { verdict, statement, findings, cases } = broken;
  const listedFindings = verbose ? findings : findings.slice(0, MAX_FINDINGS);
  const rest = findings.length - listedFindings.length;
  return [
    `### ${verdict}${broken.isKnown ? " (in the baseline)" : ""} §${rowName(broken)}`,
    "",
    inline(statement),
    "",
    ...listedFindings.flatMap((finding, index) => findingLines(finding, verbose || index === 0)),
    ...(rest > 0 ? [`- and ${counted(rest, "more finding")}`] : []),
    ...rerunLine(again, cases[0] ?? "").flatMap((line) => [
      "",
      `Rerun: ${span(line.replace("rerun: ", ""))}`,
    ]),
    "",
  ];
}

function findingLines({ finding, cases }: RowFinding, isFull: boolean): string[] {
  const { verdict, text, exchange } = finding;
  const head = `- **${verdict}** ${inline(text)} (${listIds(cases, inline)})  `;
  if (!isFull) return [head];
  return [
    head,
    `  fix: ${inline(fixOf(finding))}  `,
    ...("expected" in finding ? [`  expected ${code(finding.expected)}  `] : []),
    ...("actual" in finding ? [`  actual ${code(finding.actual)}  `] : []),
    ...(exchange
      ? [
          `  reply ${exchange.status} ${span(cut(exchange.replyBody))}`,
          "",
          ...codeBlock([exchange.curl], "sh").map((line) => `  ${line}`),
        ]
      : []),
  ];
}

function code(value: unknown): string {
  return span(formatValue(value));
}
