import type { Filter } from "./filter.ts";
import { meaningOf } from "./meaning.ts";
import { FilterMistake, type FilterProblem } from "./problem.ts";
import { readSyntax } from "./syntax.ts";

/** Reads a filter-query-language expression (§2.5), or says where it goes wrong and what to write instead. */
export function parseFilter(text: string): { readonly filter: Filter } | { readonly problem: FilterProblem } {
  try {
    return { filter: meaningOf(readSyntax(text)) };
  } catch (error) {
    if (error instanceof FilterMistake) return { problem: error.problem };
    throw error;
  }
}
