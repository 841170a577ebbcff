import type { Filter } from "./filter.ts";
import { FilterMistake, type FilterProblem } from "./problem.ts";
import { filterOf } from "./semantics.ts";
import { readSyntax } from "./syntax.ts";

/** Parses a filter expression (§2.5); on failure returns the position, the message and a hint. */
export function parseFilter(text: string): { readonly filter: Filter } | { readonly problem: FilterProblem } {
  try {
    return { filter: filterOf(readSyntax(text)) };
  } catch (error) {
    if (error instanceof FilterMistake) return { problem: error.problem };
    throw error;
  }
}
