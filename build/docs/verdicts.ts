import { bySection } from "../../contracts/engine/case.ts";
import type { Mutant } from "../../contracts/engine/mutant.ts";
import type { Variant } from "../../contracts/engine/variant.ts";
import { BLAME_MEANINGS, VERDICT_MEANINGS } from "../../contracts/engine/verdict.ts";
import { REQUIREMENTS, type Requirement, type RequirementId } from "../../contracts/spec/requirements.ts";
import { code, page, plain, table } from "./markdown.ts";

/** Verdicts of the contract suites, and who has to change something. */
export function verdictsPage(): string {
  const rows = (meanings: Readonly<Record<string, string>>) =>
    Object.entries(meanings).map(([name, meaning]) => [code(name), meaning]);
  return page(
    "Verdicts",
    "The verdicts of `contract run`. The table begins with the best one. A case has the worst verdict of its findings. [The explanation](../understand/verdicts.md) has more.",
    table(["Verdict", "Meaning"], rows(VERDICT_MEANINGS)),
    "`blame` of a finding in `--report json`: who has to change something.",
    table(["Blame", "Meaning"], rows(BLAME_MEANINGS)),
  );
}

/** The tables of servers that `contract selftest` runs the suites against. */
export function mutantsPage(mutants: readonly Mutant[], variants: readonly Variant[]): string {
  const mistakes = mutants.map(({ requirement, id, wrongBehaviour, mild }) => [
    requirement,
    noticed(requirement, mild),
    wrongBehaviour,
    id,
  ]);
  const differences = variants.map(({ requirement, id, differs }) => [requirement, differs, id]);
  return page(
    "Mutants and variants",
    "`contract selftest` runs the suites against every server of these tables, or only against those of a section or with an id that you give. A mutant has one deliberate mistake, which a case has to detect. " +
      "A variant conforms to the specification and differs where it is silent, so no case may FAIL on it. Otherwise the command exits with 1. " +
      `\`X-\` numbers are extensions of the emulator: ${extensionsOf([...mutants, ...variants])}.`,
    `## ${mutants.length} mutants`,
    "A mistake against the specification is a FAIL. One against an assumption is *a difference* (UNSPECIFIED or NON-STRICT): such a server conforms, so some are variants too.",
    sorted(["§", "Detected as", "Wrong behaviour", "Id"], mistakes),
    `## ${variants.length} variants`,
    sorted(["§", "What differs", "Id"], differences),
  );
}

/** What the `X-` numbers of these servers stand for. */
function extensionsOf(servers: readonly { readonly requirement: RequirementId }[]): string {
  const ids = new Set(servers.map(({ requirement }) => requirement));
  return Object.entries<Requirement>(REQUIREMENTS)
    .filter(([id, { kind }]) => kind === "X" && ids.has(id as RequirementId))
    .map(([id, { text }]) => `${id} (${text.replace(/\.$/, "")})`)
    .join("; ");
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
