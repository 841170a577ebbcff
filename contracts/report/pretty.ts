import { describeRequirement } from "../engine/requirement-text.ts";
import type { RunReport } from "../engine/run.ts";
import { cut, shown } from "../engine/shown.ts";
import type { Finding } from "../engine/verdict.ts";
import { fixOf } from "./blame.ts";
import { expiredAddressLine, type ReportedCase } from "./digest.ts";
import { bySeverity, rerunLine, rowName } from "./findings.ts";
import { notLookedAtLines } from "./not-looked-at.ts";
import { type BrokenRow, brokenRows, type RowFinding } from "./rows.ts";
import { counted, countsLine, countsOf, listed, stoppedLines } from "./summary.ts";

/** Characters compared to see whether a reply repeats the checked value, which is then shown once. */
const SAME_CHARACTERS = 60;

/** Findings of a row that are shown; the first one in full. */
const FINDINGS_SHOWN = 5;
const CHOICES_SHOWN = 2;

/** A text report: what was not looked at, what was found by the row that it breaks, the gravest last, then the counts. */
export function prettyLines(report: RunReport, strict: boolean, verbose: boolean): readonly string[] {
  const { results, again } = report;
  // The end is what a terminal shows.
  const rows = [...brokenRows(results)].sort((a, b) => bySeverity(b, a));
  return [
    ...notLookedAtLines(results, verbose),
    ...rows.flatMap((row) => [
      ...(row.verdict === "FAIL" || strict || verbose ? rowLines(row, again, verbose) : choiceLines(row)),
      "",
    ]),
    ...stoppedLines(results),
    ...(rows.length > 0 ? expiredAddressLine(report.fleeting) : []),
    `${report.target}: ${countsLine(countsOf(results))}`,
    `${counted(results.length, "case")}, ${counted(report.requests, "request")}, ${(report.wallMs / 1000).toFixed(1)} s, seed ${report.seed}`,
  ];
}

/** A row that is broken, its first finding in full, and the command that asks about it again. */
function rowLines(row: BrokenRow, again: string | undefined, verbose: boolean): string[] {
  const [first, ...others] = row.findings as readonly [RowFinding, ...RowFinding[]];
  const rest = verbose ? [] : others.slice(FINDINGS_SHOWN - 1);
  return [
    `${row.verdict} §${rowName(row)}: ${row.says}`,
    ...fullLines(first),
    ...others.slice(0, verbose ? undefined : FINDINGS_SHOWN - 1).flatMap(verbose ? fullLines : shortLine),
    ...(rest.length > 0 ? [`  and ${counted(rest.length, "more finding")} (--verbose shows them)`] : []),
    `  fix: ${fixOf(first.finding)}`,
    ...rerunLine(again, row.cases[0] ?? "").map((line) => `  ${line}`),
  ];
}

/** A row that is no failure without --strict, in brief. */
function choiceLines(row: BrokenRow): string[] {
  const rest = row.findings.length - CHOICES_SHOWN;
  return [
    `${row.verdict} §${rowName(row)}: ${row.says}`,
    ...row.findings.slice(0, CHOICES_SHOWN).flatMap(shortLine),
    ...(rest > 0 ? [`  and ${counted(rest, "more finding")}`] : []),
  ];
}

function fullLines({ finding, cases }: RowFinding): string[] {
  return [`  ${finding.text} (${listed(cases)})`, ...evidenceLines(finding)];
}

function shortLine({ finding, cases }: RowFinding): string[] {
  return [`  ${finding.text}${comparedText(finding)} (${listed(cases)})`];
}

function comparedText(finding: Finding): string {
  if (!("actual" in finding)) return "";
  const expected = "expected" in finding ? `expected ${shown(finding.expected)}, ` : "";
  return `: ${cut(`${expected}actual ${shown(finding.actual)}`, 2 * SAME_CHARACTERS)}`;
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
    ...evidenceLines(finding),
    `    fix: ${fixOf(finding)}`,
  ];
}

function evidenceLines(finding: Finding): string[] {
  const { exchange } = finding;
  return [
    ...("expected" in finding ? [`    expected ${shown(finding.expected)}`] : []),
    ...("actual" in finding ? [`    actual   ${shown(finding.actual)}`] : []),
    ...(exchange
      ? [`    ${exchange.curl}`, `    reply    ${exchange.status} ${replyOf(finding, exchange)}`.trimEnd()]
      : []),
  ];
}

/** The reply in one line; nothing where it begins with the checked value. */
function replyOf(finding: Finding, { replyBody }: NonNullable<Finding["exchange"]>): string {
  const begin = "actual" in finding ? shown(finding.actual).slice(0, SAME_CHARACTERS) : "";
  if (begin.length === SAME_CHARACTERS && replyBody.startsWith(begin)) return "";
  return cut(replyBody.replaceAll(/\s+/g, " "));
}
