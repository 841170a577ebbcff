import { BLAME_MEANINGS, VERDICT_MEANINGS } from "../../contracts/engine/verdict.ts";
import { code, page, table } from "./markdown.ts";

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
