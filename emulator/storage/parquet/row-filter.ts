import { compileFilter, type RowTest } from "../../subjects/filters/compile.ts";
import { parseFilter } from "../../subjects/filters/parse.ts";
import { problemText } from "../../subjects/filters/problem.ts";

/**
 * The test of whether a row is exported (§2.5-4); null selects every row. The API refuses invalid
 * expressions, so an invalid one here is a defect.
 */
export function rowFilter(filter: string | null, tenantId: string): RowTest | null {
  if (filter === null) return null;
  const result = parseFilter(filter);
  if ("problem" in result)
    throw new Error(`The filter of an export is invalid: ${problemText(result.problem)}`);
  return compileFilter(result.filter, tenantId);
}
