import type { Mutant } from "../engine/mutant.ts";
import type { Variant } from "../engine/variant.ts";
import { REQUIREMENTS, type RequirementId } from "../spec/requirements.ts";
import { bySection } from "./selftest.ts";

const HEAD = `# Lies and honest variants

Made of \`contracts/mutants\` and \`contracts/variants\`; \`npx vitest -u test/contracts/variants.test.ts\` writes it again.
\`contract selftest\` runs the suites against every server of these tables: a case has to notice each lie, and no case may
FAIL on an honest variant, which obeys the specification and differs where it is silent. It exits with 1 otherwise.`;

/** The tables of servers that `contract selftest` runs the suites against, as a page. */
export function selftestPage(mutants: readonly Mutant[], variants: readonly Variant[]): string {
  const lies = mutants.map(({ requirement, id, lie, mild }) => [
    requirement,
    `${noticed(requirement, mild)}`,
    lie,
    id,
  ]);
  const differences = variants.map(({ requirement, id, differs }) => [requirement, differs, id]);
  return [
    HEAD,
    `## ${mutants.length} lies`,
    "A lie about what is shown is a FAIL; one about a choice, or marked so, is reported without failing.",
    tableOf(["§", "Noticed as", "The server's lie", "Name"], lies),
    `## ${variants.length} honest variants`,
    tableOf(["§", "What differs", "Name"], differences),
    "",
  ].join("\n\n");
}

function noticed(requirement: RequirementId, mild: true | undefined): string {
  return mild || REQUIREMENTS[requirement].kind === "A" ? "a difference" : "FAIL";
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const sorted = rows.toSorted(([first = ""], [second = ""]) => bySection(first, second));
  const lines = [head, head.map(() => "---"), ...sorted.map((row) => row.map(cellOf))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellOf(text: string): string {
  return text.replace(/([|<>*_`{}[\]])/g, "\\$1");
}
