import { emptySelectors, selected } from "../../contracts/engine/selection.ts";
import { CASES } from "../../contracts/index.ts";
import { type Invocation, UsageError } from "../command.ts";
import { print } from "../terminal.ts";

const ID_WIDTH = 40;

/** `contract list`: the cases, what they are about and what they need. */
export async function list({ flags }: Invocation, selectors: readonly string[]): Promise<number> {
  const unknown = emptySelectors(CASES, selectors);
  if (unknown.length > 0) throw new UsageError(`${unknown.join(", ")}: no case is meant by this`);
  const cases = selected(CASES, selectors);
  if (flags.json === true) print(JSON.stringify(cases.map(({ run: _, ...shown }) => shown)));
  else if (flags.quiet !== true)
    for (const { id, title, requirements, needs } of cases) {
      print(`${id.padEnd(ID_WIDTH)}${title}`);
      print(
        `${" ".repeat(ID_WIDTH)}§${requirements.join(" §")}${needs.length > 0 ? `; needs ${needs.join(", ")}` : ""}`,
      );
    }
  return 0;
}
