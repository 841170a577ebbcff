import { CASES, coverage, uncovered } from "../../contracts/index.ts";
import { type Invocation, UsageError } from "../command.ts";
import { print, printError } from "../terminal.ts";

const ID_WIDTH = 8;

/** `contract coverage`: the ledger with the cases of each row; 1 when a row has none that could report it. */
export async function showCoverage({ flags }: Invocation, selectors: readonly string[]): Promise<number> {
  const all = coverage(CASES);
  const rows =
    selectors.length === 0 ? all : all.filter(({ section }) => selectors.some((one) => isIn(section, one)));
  if (rows.length === 0) throw new UsageError(`${selectors.join(", ")}: the ledger has no such section`);
  const missing = uncovered(rows);
  if (flags.json === true) print(JSON.stringify({ ok: missing.length === 0, rows }));
  else if (flags.quiet !== true) {
    for (const { id, kind, text, elsewhere, cases } of rows) {
      print(`${id.padEnd(ID_WIDTH)}${kind}  ${text}`);
      print(`${" ".repeat(ID_WIDTH + 3)}${cases.length > 0 ? cases.join(" ") : "no case"}`);
      if (elsewhere !== undefined) print(`${" ".repeat(ID_WIDTH + 3)}NOT BY A CASE: ${elsewhere}`);
    }
    const covered = rows.filter(({ cases }) => cases.length > 0).length;
    print(`${covered} of ${rows.length} rows have a case; ${CASES.length} cases`);
  }
  for (const { id, kind } of missing) printError(`${id}: ${kind} without a case that could report it`);
  return missing.length === 0 ? 0 : 1;
}

function isIn(section: string, selector: string): boolean {
  return section === selector || section.startsWith(`${selector}.`);
}
