import type { Settings } from "../settings.ts";
import type { Filter } from "./filter.ts";
import { FilterMistake, type FilterProblem } from "./problem.ts";
import { filterOf, refuseFields } from "./semantics.ts";
import { readSyntax } from "./syntax.ts";

/** Whether the columns that the service was seen to refuse are refused (assumption export.filter_fields). */
export function refusesColumns({ assumptions }: Settings): boolean {
  return assumptions["export.filter_fields"] === "some refused";
}

/** Parses a filter expression (§2.5); on failure returns the position, the message and a hint. */
export function parseFilter(
  text: string,
  refusesSome = false,
): { readonly filter: Filter } | { readonly problem: FilterProblem } {
  try {
    const call = readSyntax(text);
    if (refusesSome) refuseFields(call);
    return { filter: filterOf(call) };
  } catch (error) {
    if (error instanceof FilterMistake) return { problem: error.problem };
    throw error;
  }
}
