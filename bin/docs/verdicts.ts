import type { Mutant } from "../../contracts/engine/mutant.ts";
import type { Variant } from "../../contracts/engine/variant.ts";
import { BLAME_MEANINGS, VERDICT_MEANINGS } from "../../contracts/engine/verdict.ts";
import { bySection } from "../../contracts/report/selftest.ts";
import { REQUIREMENTS, type RequirementId } from "../../contracts/spec/requirements.ts";
import { code, page, plain, table } from "./markdown.ts";

/** Verdicts of the contract suites, and who has to change something. */
export function verdictsPage(): string {
  const rows = (meanings: Readonly<Record<string, string>>) =>
    Object.entries(meanings).map(([name, meaning]) => [code(name), meaning]);
  return page(
    "Verdicts",
    "Of `contract run`, from the mildest to the gravest. [Verdicts and blame](../understand/verdicts.md) explains them.",
    table(["Verdict", "Means"], rows(VERDICT_MEANINGS)),
    "`blame` of a finding in `--report json`: who has to change something.",
    table(["Blame", "Means"], rows(BLAME_MEANINGS)),
  );
}

/** The tables of servers that `contract selftest` runs the suites against. */
export function liesPage(mutants: readonly Mutant[], variants: readonly Variant[]): string {
  const lies = mutants.map(({ requirement, id, lie, mild }) => [
    requirement,
    noticed(requirement, mild),
    lie,
    id,
  ]);
  const differences = variants.map(({ requirement, id, differs }) => [requirement, differs, id]);
  return page(
    "Lies and honest variants",
    "`contract selftest` runs the suites against every server of these tables: a case has to notice each lie, and no case may FAIL on an honest " +
      "variant, which obeys the specification and differs where it is silent. It exits with 1 otherwise.",
    `## ${mutants.length} lies`,
    "A lie about what is shown is a FAIL; one about a choice, or marked so, is reported without failing.",
    sorted(["§", "Noticed as", "The server's lie", "Name"], lies),
    `## ${variants.length} honest variants`,
    sorted(["§", "What differs", "Name"], differences),
  );
}

function noticed(requirement: RequirementId, mild: true | undefined): string {
  return mild || REQUIREMENTS[requirement].kind === "A" ? "a difference" : "FAIL";
}

function sorted(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const inOrder = rows.toSorted(([first = ""], [second = ""]) => bySection(first, second));
  return table(
    head,
    inOrder.map((row) => row.map(plain)),
  );
}
