import { type Case, sectionOfCase } from "./case.ts";

/**
 * The cases that were asked for: `4.1` with all of its cases, `4` with those of 4.1 to 4.8 as well,
 * `8.5/runs-query` or the begin of a slug. Nothing asked for is everything.
 */
export function selected(cases: readonly Case[], selectors: readonly string[]): readonly Case[] {
  if (selectors.length === 0) return cases;
  return cases.filter(({ id }) => selectors.some((selector) => isMeant(id, selector)));
}

/** Selectors that mean no case: mistyped ones, most often. */
export function emptySelectors(cases: readonly Case[], selectors: readonly string[]): readonly string[] {
  return selectors.filter((selector) => !cases.some(({ id }) => isMeant(id, selector)));
}

function isMeant(id: string, selector: string): boolean {
  if (selector.includes("/")) return id.startsWith(selector);
  const section = sectionOfCase(id);
  return section === selector || section.startsWith(`${selector}.`);
}
