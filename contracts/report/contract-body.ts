import { type CaseResult, sectionOfCase } from "../engine/case.ts";
import { describeRequirement } from "../engine/requirement-text.ts";
import type { RunReport } from "../engine/run.ts";
import { cut, formatValue } from "../engine/shown.ts";
import { type Blame, type Finding, VERDICTS } from "../engine/verdict.ts";
import { baselineLines } from "./baseline.ts";
import type { ReportBody } from "./body.ts";
import { counted } from "./counted.ts";
import { type ReportedCase, rerunLine, rowName } from "./findings.ts";
import { groupedBy } from "./grouping.ts";
import { ladderLines } from "./ladder.ts";
import { type BrokenRow, brokenRows, type RowFinding } from "./rows.ts";
import {
  countsLine,
  countsOf,
  expiredAddressLine,
  interruptedLines,
  listIds,
  recordedLines,
  resultNoun,
  stoppedLines,
} from "./summary.ts";
import { uncheckedLines } from "./unchecked.ts";

/** Characters compared to see whether a reply repeats the checked value, which is then shown once. */
const MAX_COMPARED_CHARACTERS = 60;

/** Findings of a row that are shown; the first one in full. */
const MAX_FINDINGS = 5;
const MAX_CHOICES = 2;

const FIXES: Readonly<Record<Blame, string>> = {
  target: "change the server",
  caller: "change the request",
  specification: "none needed; the specification does not define this, and the emulator behaves differently",
  harness: "please report this bug of the contract suites",
};

/** What a report says: what was found by the row that it breaks, the most severe first, what was not checked, how to check more, and the counts. */
export function contractBody(report: RunReport, strict: boolean, verbose: boolean): ReportBody {
  const { results, again } = report;
  const rows = brokenRows(results);
  return {
    columns: [],
    rows: [],
    sections: rows.map((row) => ({
      title: `${row.verdict}${row.isKnown ? " (in the baseline)" : ""} §${rowName(row)}: ${row.statement}`,
      lines: row.verdict === "FAIL" || strict || verbose ? rowLines(row, again, verbose) : choiceLines(row),
    })),
    notes: [
      ...uncheckedLines(results, verbose, resultNoun(report)),
      ...recordedLines(report),
      ...stoppedLines(results),
      ...ladderLines(results, verbose),
      ...(rows.length > 0 ? expiredAddressLine(report.temporaryServer) : []),
      ...baselineLines(report),
      costLine(report),
      ...interruptedLines(report),
    ],
    counts: `${report.target}: ${countsLine(countsOf(results))}`,
  };
}

/** The cases of each section by verdict. */
export function sectionTable(results: readonly CaseResult[]): Pick<ReportBody, "columns" | "rows"> {
  const sections = groupedBy(results, ({ id }) => sectionOfCase(id));
  return {
    columns: ["Section", ...VERDICTS],
    rows: [...sections].map(([section, cases]) => {
      const counts = countsOf(cases);
      return [`§${section}`, ...VERDICTS.map((verdict) => String(counts[verdict] || ""))];
    }),
  };
}

/** `3 cases, 12 requests, 0.4 s, seed 1`; recorded exchanges have neither requests of ours nor a seed. */
function costLine({ recorded, results, requests, wallMs, seed }: RunReport): string {
  const seconds = `${(wallMs / 1000).toFixed(1)} s`;
  if (recorded) return `${counted(results.length, "exchange")} of the API, ${seconds}`;
  return `${counted(results.length, "case")}, ${counted(requests, "request")}, ${seconds}, seed ${seed}`;
}

/** A row that is broken, its first finding in full, and the command that asks about it again. */
function rowLines(row: BrokenRow, again: string | undefined, verbose: boolean): string[] {
  const [first, ...others] = row.findings as readonly [RowFinding, ...RowFinding[]];
  const rest = verbose ? [] : others.slice(MAX_FINDINGS - 1);
  return [
    ...fullLines(first),
    ...others.slice(0, verbose ? undefined : MAX_FINDINGS - 1).flatMap(verbose ? fullLines : shortLine),
    ...(rest.length > 0 ? [`and ${counted(rest.length, "more finding")} (--verbose shows them)`] : []),
    `fix: ${fixOf(first.finding)}`,
    ...rerunLine(again, row.cases[0] ?? ""),
  ];
}

/** A row that is not a failure without --strict, in brief. */
function choiceLines(row: BrokenRow): string[] {
  const rest = row.findings.length - MAX_CHOICES;
  return [
    ...row.findings.slice(0, MAX_CHOICES).flatMap(shortLine),
    ...(rest > 0 ? [`and ${counted(rest, "more finding")}`] : []),
  ];
}

function fullLines({ finding, cases }: RowFinding): string[] {
  return [`${finding.text} (${listIds(cases)})`, ...evidenceLines(finding).map((line) => `  ${line}`)];
}

function shortLine({ finding, cases }: RowFinding): string[] {
  return [`${finding.text}${comparedText(finding)} (${listIds(cases)})`];
}

function comparedText(finding: Finding): string {
  if (!("actual" in finding)) return "";
  const expected = "expected" in finding ? `expected ${briefValue(finding.expected)}, ` : "";
  return `: ${expected}actual ${briefValue(finding.actual)}`;
}

function briefValue(value: unknown): string {
  return cut(formatValue(value), MAX_COMPARED_CHARACTERS);
}

/** A case with its findings and the command to rerun it, for reports that show each case alone. */
export function caseLines({ result, kinds, rest }: ReportedCase, again?: string): string[] {
  const { id, title, verdict } = result;
  return [
    `${verdict}  ${id}  ${title}`,
    ...kinds.flatMap(({ finding, more }) => [
      ...findingLines(finding),
      ...(more > 0 ? [`    and ${more} more like this`] : []),
    ]),
    ...(rest > 0 ? [`  and ${counted(rest, "more finding")}`] : []),
    ...rerunLine(again, id).map((line) => `  ${line}`),
  ];
}

/** A finding by itself. */
export function findingLines(finding: Finding): string[] {
  const { verdict, text, requirement, assumption } = finding;
  return [
    `  ${verdict} §${rowName(finding)}: ${text}`,
    ...(requirement === null ? [] : [`    requirement: ${describeRequirement(requirement, assumption)}`]),
    ...evidenceLines(finding).map((line) => `    ${line}`),
    `    fix: ${fixOf(finding)}`,
  ];
}

function evidenceLines(finding: Finding): string[] {
  const { exchange } = finding;
  return [
    ...("expected" in finding ? [`expected ${formatValue(finding.expected)}`] : []),
    ...("actual" in finding ? [`actual   ${formatValue(finding.actual)}`] : []),
    ...(exchange
      ? [exchange.curl, `reply    ${exchange.status} ${replyOf(finding, exchange)}`.trimEnd()]
      : []),
  ];
}

/** The reply in one line; nothing where it begins with the checked value. */
function replyOf(finding: Finding, { replyBody }: NonNullable<Finding["exchange"]>): string {
  const begin = "actual" in finding ? formatValue(finding.actual).slice(0, MAX_COMPARED_CHARACTERS) : "";
  if (begin.length === MAX_COMPARED_CHARACTERS && replyBody.startsWith(begin)) return "";
  return cut(replyBody.replaceAll(/\s+/g, " "));
}

/** Who has to change what to resolve a finding. */
function fixOf({ blame, exchange }: Finding): string {
  if (blame !== "target" || !exchange) return FIXES[blame];
  const { pathname } = URL.canParse(exchange.url) ? new URL(exchange.url) : { pathname: exchange.url };
  return `change the server's reply to ${exchange.method} ${pathname}`;
}
