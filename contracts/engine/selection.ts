import { sectionOf } from "../spec/requirements.ts";
import { type Case, sectionOfCase } from "./case.ts";

/**
 * The cases that were asked for: `4.1` with all of its cases, `4` with those of 4.1 to 4.8 as well,
 * `8.5/runs-query` or the begin of a slug, `2.3-1` with the cases that ask about this row of the ledger.
 * A section without cases of its own means those that ask about its rows. Nothing asked for is everything.
 */
export function selectCases(cases: readonly Case[], selectors: readonly string[]): readonly Case[] {
  if (selectors.length === 0) return cases;
  const matched = new Set(selectors.flatMap((selector) => matching(cases, selector)));
  return cases.filter((one) => matched.has(one));
}

/** Selectors that match no case. */
export function emptySelectors(cases: readonly Case[], selectors: readonly string[]): readonly string[] {
  return selectors.filter((selector) => matching(cases, selector).length === 0);
}

function matching(cases: readonly Case[], selector: string): readonly Case[] {
  if (selector.includes("/")) return cases.filter(({ id }) => id.startsWith(selector));
  const isIn = (section: string) => section === selector || section.startsWith(`${selector}.`);
  const own = cases.filter(({ id }) => isIn(sectionOfCase(id)));
  if (own.length > 0) return own;
  return cases.filter(({ requirements }) =>
    requirements.some((row) => row === selector || isIn(sectionOf(row))),
  );
}
