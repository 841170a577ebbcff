import { type CaseResult, type Finding, sectionOfCase, VERDICTS } from "../case.ts";
import type { RunReport } from "../run.ts";
import { saysOf } from "../says.ts";
import {
  againLine,
  type Fold,
  folded,
  goneLine,
  isToldBefore,
  rowName,
  shownInFull,
  type ToldBefore,
  toldBefore,
  type Unmet,
  unmet,
} from "./findings.ts";
import { counted, countsLine, countsOf, cut, shown } from "./summary.ts";

const FINDINGS_SHOWN = 10;
const CASES_SHOWN = 5;

/** A report for the summary of a job: a table of sections, then what was found. */
export function markdownReport(report: RunReport, verbose: boolean): string {
  const { results, target, requests, wallMs, seed, again, fleeting } = report;
  const sections = [...new Set(results.map(({ id }) => sectionOfCase(id)))];
  const wanting = results.filter(({ verdict }) => verdict !== "PASS" && verdict !== "UNSUPPORTED");
  const full = shownInFull(wanting, verbose);
  return [
    `## Contract: ${inline(target)}`,
    "",
    `${countsLine(countsOf(results))} — ${counted(results.length, "case")}, ${counted(requests, "request")}, ${(wallMs / 1000).toFixed(1)} s, seed ${seed}`,
    "",
    `| Section | ${VERDICTS.join(" | ")} |`,
    `|---|${VERDICTS.map(() => "--:|").join("")}`,
    ...sections.map((section) => row(section, results)),
    "",
    ...unmetTable(unmet(results)),
    ...(wanting.length > 0 ? goneLine(fleeting).flatMap((line) => [inline(line), ""]) : []),
    ...wanting
      .filter((result) => !isToldBefore(result, full))
      .flatMap((result) => findings(result, again, full)),
    ...toldLines(toldBefore(wanting, full)),
  ].join("\n");
}

function row(section: string, all: readonly CaseResult[]): string {
  const counts = countsOf(all.filter(({ id }) => sectionOfCase(id) === section));
  return `| §${section} | ${VERDICTS.map((verdict) => counts[verdict] || "").join(" | ")} |`;
}

/** The list to work through: many cases may meet with the same fault. */
function unmetTable(rows: readonly Unmet[]): string[] {
  if (rows.length === 0) return [];
  const line = (row: Unmet) => {
    const first = `${row.cases.slice(0, CASES_SHOWN).map(inline).join(" ")}`;
    const rest = row.cases.length - CASES_SHOWN;
    const cells = [
      `§${rowName(row)}`,
      inline(row.says),
      row.verdict,
      first + (rest > 0 ? ` and ${rest} more` : ""),
    ];
    return `| ${cells.join(" | ")} |`;
  };
  return ["| Not met | What is asked for | Verdict | Cases |", "|---|---|---|---|", ...rows.map(line), ""];
}

function toldLines(told: readonly ToldBefore[]): string[] {
  if (told.length === 0) return [];
  return [
    "### More cases met with the same rows (`--verbose` shows them in full)",
    "",
    ...told.map(({ verdict, rows, cases }) => `- ${verdict} ${inline(rows)}: ${cases.map(inline).join(" ")}`),
    "",
  ];
}

function findings(result: CaseResult, again: string | undefined, full: ReadonlySet<Finding>): string[] {
  const { id, title, verdict } = result;
  const kinds = folded(result);
  const rest = kinds.length - FINDINGS_SHOWN;
  return [
    `### ${verdict} ${inline(id)}`,
    "",
    `${title}.`,
    "",
    ...kinds.slice(0, FINDINGS_SHOWN).flatMap((fold) => findingLines(fold, full.has(fold.finding))),
    ...(rest > 0 ? [`- and ${counted(rest, "more finding")}`] : []),
    ...againLine(again, id).flatMap((line) => ["", line.replace(/^again: (.*)$/, "Again: `$1`")]),
    "",
  ];
}

function findingLines({ finding, more }: Fold, isWhole: boolean): string[] {
  const { requirement, assumption, blame, verdict, text, exchange } = finding;
  const asked = requirement === null ? [] : [`  asked for: ${inline(saysOf(requirement, assumption))}  `];
  const head = `- **${verdict} §${rowName(finding)}** (${blame}) ${inline(text)}${more > 0 ? ` (and ${more} more like this)` : ""}  `;
  if (!isWhole) return [head];
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

/** Text of a server is nothing to render. */
export function inline(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|]/g, "\\$&").replaceAll("\n", " ");
}
