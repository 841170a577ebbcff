import { CASES, coverage, uncovered } from "../../contracts/index.ts";
import { type Invocation, UsageError } from "../command.ts";
import { printError, printResult } from "../terminal.ts";

const ID_WIDTH = 8;

/** `contract coverage`: prints the requirements with their cases; exit code 1 when a requirement has none. */
export async function showCoverage(invocation: Invocation, selectors: readonly string[]): Promise<number> {
  const all = coverage(CASES);
  const rows =
    selectors.length === 0 ? all : all.filter(({ section }) => selectors.some((one) => isIn(section, one)));
  if (rows.length === 0)
    throw new UsageError(
      `${selectors.join(", ")}: no such section; run "emulator contract coverage" for a list`,
    );
  const missing = uncovered(rows);
  const covered = rows.filter(({ cases }) => cases.length > 0).length;
  const indent = " ".repeat(ID_WIDTH + 3);
  const lines = rows.flatMap(({ id, kind, text, elsewhere, coveredBy, cases }) => [
    `${id.padEnd(ID_WIDTH)}${kind}  ${text}`,
    `${indent}${cases.length > 0 ? cases.join(" ") : "no case"}`,
    ...(coveredBy === undefined ? [] : [`${indent}covered by: ${coveredBy ?? "no test yet"}`]),
    ...(elsewhere === undefined ? [] : [`${indent}not covered by a case: ${elsewhere}`]),
  ]);
  const sum = `${covered} of ${rows.length} requirements have a case; ${CASES.length} cases`;
  printResult(invocation, { ok: missing.length === 0, rows }, [...lines, sum]);
  for (const { id, kind, coveredBy } of missing)
    printError(`${id}: no ${coveredBy === null ? "test" : "case"} covers this requirement (kind ${kind})`);
  return missing.length === 0 ? 0 : 1;
}

function isIn(section: string, selector: string): boolean {
  return section === selector || section.startsWith(`${selector}.`);
}
