import { type CaseResult, sectionOfCase } from "../engine/case.ts";
import { describeRequirement } from "../engine/requirement-text.ts";
import type { RunReport } from "../engine/run.ts";
import { cut, shown } from "../engine/shown.ts";
import { VERDICTS } from "../engine/verdict.ts";
import { digestOf, type ReportedBefore, type ReportedCase, type ReportedGroup } from "./digest.ts";
import { rerunLine, rowName, type Unmet } from "./findings.ts";
import { counted, countsLine, countsOf, listed } from "./summary.ts";

/** A Markdown report: a table of sections, then the findings. */
export function markdownReport(report: RunReport, verbose: boolean): string {
  const { results, target, requests, wallMs, seed, again } = report;
  const sections = [...new Set(results.map(({ id }) => sectionOfCase(id)))];
  const { cases, reportedBefore: toldBefore, unmet, expiredAddressLines: gone } = digestOf(report, verbose);
  return [
    `## Contract: ${inline(target)}`,
    "",
    `${countsLine(countsOf(results))} — ${counted(results.length, "case")}, ${counted(requests, "request")}, ${(wallMs / 1000).toFixed(1)} s, seed ${seed}`,
    "",
    `| Section | ${VERDICTS.join(" | ")} |`,
    `|---|${VERDICTS.map(() => "--:|").join("")}`,
    ...sections.map((section) => row(section, results)),
    "",
    ...unmetTable(unmet),
    ...gone.flatMap((line) => [inline(line), ""]),
    ...cases.flatMap((each) => findings(each, again)),
    ...reportedBeforeLines(toldBefore),
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

function reportedBeforeLines(reportedBefore: readonly ReportedBefore[]): string[] {
  if (reportedBefore.length === 0) return [];
  return [
    "### More cases met with the same rows (`--verbose` shows them in full)",
    "",
    ...reportedBefore.map(
      ({ verdict, rows, cases }) => `- ${verdict} ${inline(rows)}: ${cases.map(inline).join(" ")}`,
    ),
    "",
  ];
}

function findings({ result, kinds, rest }: ReportedCase, again: string | undefined): string[] {
  const { id, title, verdict } = result;
  return [
    `### ${verdict} ${inline(id)}`,
    "",
    `${title}.`,
    "",
    ...kinds.flatMap(findingLines),
    ...(rest > 0 ? [`- and ${counted(rest, "more finding")}`] : []),
    ...rerunLine(again, id).flatMap((line) => ["", line.replace(/^again: (.*)$/, "Again: `$1`")]),
    "",
  ];
}

function findingLines({ finding, more, isFull }: ReportedGroup): string[] {
  const { requirement, assumption, blame, verdict, text, exchange } = finding;
  const asked =
    requirement === null ? [] : [`  asked for: ${inline(describeRequirement(requirement, assumption))}  `];
  const head = `- **${verdict} §${rowName(finding)}** (${blame}) ${inline(text)}${more > 0 ? ` (and ${more} more like this)` : ""}  `;
  if (!isFull) return [head];
  return [
    head,
    ...asked,
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
