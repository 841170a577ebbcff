import type { Assumption, AssumptionValue } from "../../contracts/spec/assumption.ts";
import { ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import { code, page, plain, table } from "./markdown.ts";

/** The choices of the emulator, those that can be set before those that cannot. */
export function assumptionsPage(): string {
  const rows = Object.entries(ASSUMPTIONS);
  const open = rows.filter(([, { alternatives }]) => alternatives);
  const closedRows = rows.filter(([, { alternatives }]) => !alternatives);
  return page(
    "Assumptions",
    `Where the specification is silent or contradicts itself, the emulator makes a choice: ${rows.length} in total. ` +
      "[Assumptions](../understand/assumptions.md) explains how to change them and how to find those that your code relies on.",
    `## ${open.length} with alternatives`,
    'Set them under `assumptions.<name>` to a value of the table. If the first column names a setting, set that one instead: [Settings](settings.md) and [Limits](limits.md) have its values. Quote texts where YAML needs it: `platform.error_body: \'{"error": {"message": string}}\'`. *Observed* is the value of `--profile observed`. *Not conforming* means that the specification excludes the value; you can set it to emulate a server or a client that uses it.',
    table(["Name", "§", "Choice", "Alternatives", "Observed", "Reason"], open.map(openRow)),
    `## ${closedRows.length} without alternatives`,
    table(
      ["Name", "§", "Choice", "Reason"],
      closedRows.map(([name, { section, choice, reason }]) => [
        code(name),
        section,
        valueOf(choice),
        plain(reason),
      ]),
    ),
  );
}

function openRow([name, row]: readonly [string, Assumption]) {
  const { section, choice, alternatives = [], ruledOut = [], observed, setting, reason } = row;
  const others = alternatives.map(
    (value) => valueOf(value) + (ruledOut.includes(value) ? " (not conforming)" : ""),
  );
  const where = setting === undefined ? "" : `; set ${code(setting)}`;
  return [
    code(name) + where,
    section,
    valueOf(choice),
    others.join("; "),
    observed === undefined ? "" : valueOf(observed),
    plain(reason),
  ];
}

function valueOf(value: AssumptionValue): string {
  return plain(String(value));
}
