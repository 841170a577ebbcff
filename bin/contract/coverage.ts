import { CASES, coverage, uncovered } from "../../contracts/index.ts";
import { type Invocation, UsageError } from "../command.ts";
import { printError, printResult } from "../terminal.ts";

const ID_WIDTH = 8;

/** `contract coverage`: prints the requirements with their cases; exit code 1 when a requirement has none. */
export async function showCoverage(invocation: Invocation, selectors: readonly string[]): Promise<number> {
  const allRows = coverage(CASES);
  const rows =
    selectors.length === 0
      ? allRows
      : allRows.filter(({ section }) => selectors.some((selector) => isIn(section, selector)));
  if (rows.length === 0)
    throw new UsageError(
      `${selectors.join(", ")}: no such section; run "emulator contract coverage" for a list`,
    );
  const uncoveredRows = uncovered(rows);
  const coveredCount = rows.filter(({ cases }) => cases.length > 0).length;
  const indent = " ".repeat(ID_WIDTH + 3);
  const lines = rows.flatMap(({ id, kind, text, elsewhere, coveredBy, cases }) => [
    `${id.padEnd(ID_WIDTH)}${kind}  ${text}`,
    `${indent}${cases.length > 0 ? cases.join(" ") : "no case"}`,
    ...(coveredBy === undefined ? [] : [`${indent}covered by: ${coveredBy ?? "no test yet"}`]),
    ...(elsewhere === undefined ? [] : [`${indent}not covered by a case: ${elsewhere}`]),
  ]);
  const sum = `${coveredCount} of ${rows.length} requirements have a case; ${CASES.length} cases`;
  printResult(invocation, { ok: uncoveredRows.length === 0, rows }, [...lines, sum]);
  for (const { id, kind, coveredBy } of uncoveredRows)
    printError(`${id}: no ${coveredBy === null ? "test" : "case"} covers this requirement (kind ${kind})`);
  return uncoveredRows.length === 0 ? 0 : 1;
}

function isIn(section: string, selector: string): boolean {
  return section === selector || section.startsWith(`${selector}.`);
}
