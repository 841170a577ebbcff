import { emptySelectors, selectCases } from "../../contracts/engine/selection.ts";
import { CASES } from "../../contracts/index.ts";
import { type Invocation, UsageError } from "../command.ts";
import { printResult } from "../terminal.ts";

const ID_WIDTH = 40;

/** `contract list`: prints the cases with their requirements and needs. */
export async function list(invocation: Invocation, selectors: readonly string[]): Promise<number> {
  const unknown = emptySelectors(CASES, selectors);
  if (unknown.length > 0)
    throw new UsageError(`${unknown.join(", ")}: no case matches; run "emulator contract list" for a list`);
  const cases = selectCases(CASES, selectors);
  const rows = cases.map(({ run: _, ...rest }) => rest);
  const lines = cases.flatMap(({ id, title, requirements, needs }) => [
    `${id.padEnd(ID_WIDTH)}${title}`,
    `${" ".repeat(ID_WIDTH)}§${requirements.join(" §")}${needs.length > 0 ? `; needs ${needs.join(", ")}` : ""}`,
  ]);
  printResult(invocation, rows, lines);
  return 0;
}
