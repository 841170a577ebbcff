import { type CaseResult, sectionOfCase } from "../engine/case.ts";
import type { RunReport } from "../engine/run.ts";
import { cut, shown } from "../engine/shown.ts";
import { VERDICTS } from "../engine/verdict.ts";
import { whoChanges } from "./blame.ts";
import { expiredAddressLine } from "./digest.ts";
import { rerunLine, rowName } from "./findings.ts";
import { notLookedAtLines } from "./not-looked-at.ts";
import { type BrokenRow, brokenRows, type RowFinding, type Unmet, unmet } from "./rows.ts";
import { counted, countsLine, countsOf, listed, stoppedLines } from "./summary.ts";

/** A Markdown report: a table of sections, the rows that are not met, then the findings of each. */
export function markdownReport(report: RunReport, verbose: boolean): string {
  const { results, target, requests, wallMs, seed, again, fleeting } = report;
  const sections = [...new Set(results.map(({ id }) => sectionOfCase(id)))];
  const rows = brokenRows(results);
  return [
    `## Contract: ${inline(target)}`,
    "",
    `${countsLine(countsOf(results))} — ${counted(results.length, "case")}, ${counted(requests, "request")}, ${(wallMs / 1000).toFixed(1)} s, seed ${seed}`,
    "",
    ...notLookedAtLines(results, verbose).map((line) => inline(line).replace(/^ +/, "- ")),
    `| Section | ${VERDICTS.join(" | ")} |`,
    `|---|${VERDICTS.map(() => "--:|").join("")}`,
    ...sections.map((section) => row(section, results)),
    "",
    ...unmetTable(unmet(results)),
    ...[...stoppedLines(results), ...(rows.length > 0 ? expiredAddressLine(fleeting) : [])].flatMap(
      (line) => [inline(line), ""],
    ),
    ...rows.flatMap((broken) => rowLines(broken, again, verbose)),
  ].join("\n");
}

function row(section: string, all: readonly CaseResult[]): string {
  const counts = countsOf(all.filter(({ id }) => sectionOfCase(id) === section));
  return `| §${section} | ${VERDICTS.map((verdict) => counts[verdict] || "").join(" | ")} |`;
}

/** The unmet requirements: many cases may fail for the same reason. */
function unmetTable(rows: readonly Unmet[]): string[] {
  if (rows.length === 0) return [];
  const line = (row: Unmet) => {
    const cells = [`§${rowName(row)}`, inline(row.says), row.verdict, listed(row.cases, inline)];
    return `| ${cells.join(" | ")} |`;
  };
  return ["| Not met | What is asked for | Verdict | Cases |", "|---|---|---|---|", ...rows.map(line), ""];
}

/** Findings of a row that are shown; the first one in full. */
const FINDINGS_SHOWN = 5;

function rowLines(broken: BrokenRow, again: string | undefined, verbose: boolean): string[] {
  const { verdict, says, findings, cases } = broken;
  const listedFindings = verbose ? findings : findings.slice(0, FINDINGS_SHOWN);
  const rest = findings.length - listedFindings.length;
  return [
    `### ${verdict} §${rowName(broken)}`,
    "",
    inline(says),
    "",
    ...listedFindings.flatMap((found, index) => findingLines(found, verbose || index === 0)),
    ...(rest > 0 ? [`- and ${counted(rest, "more finding")}`] : []),
    ...rerunLine(again, cases[0] ?? "").flatMap((line) => ["", line.replace(/^again: (.*)$/, "Again: `$1`")]),
    "",
  ];
}

function findingLines({ finding, cases }: RowFinding, isFull: boolean): string[] {
  const { verdict, text, exchange } = finding;
  const head = `- **${verdict}** ${inline(text)} (${listed(cases, inline)})  `;
  if (!isFull) return [head];
  return [
    head,
    `  to change: ${inline(whoChanges(finding))}  `,
    ...("expected" in finding ? [`  expected ${code(finding.expected)}  `] : []),
    ...("actual" in finding ? [`  actual ${code(finding.actual)}  `] : []),
    ...(exchange
      ? [
          `  answered ${exchange.status} ${span(cut(exchange.replyBody))}`,
          "",
          "  ```sh",
          ...exchange.curl.split("\n").map((line) => `  ${line}`),
          "  ```",
        ]
      : []),
  ];
}

function code(value: unknown): string {
  return span(shown(value));
}

function span(text: string): string {
  return `\`${text.replaceAll("`", "'").replaceAll("\n", " ")}\``;
}

/** Escapes text of a server, so that it is not rendered. */
export function inline(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|]/g, "\\$&").replaceAll("\n", " ");
}
