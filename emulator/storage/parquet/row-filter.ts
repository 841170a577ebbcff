import { compileFilter, type RowTest } from "../../subjects/filters/compile.ts";
import { parseFilter } from "../../subjects/filters/parse.ts";
import { problemText } from "../../subjects/filters/problem.ts";

/**
 * What decides whether a row is exported (§2.5-4); null takes every row. Expressions that cannot be read
 * are refused at the API, so that one which comes as far as this is a defect.
 */
export function rowFilter(filter: string | null, tenantId: string): RowTest | null {
  if (filter === null) return null;
  const read = parseFilter(filter);
  if ("problem" in read) throw new Error(`the filter of a job cannot be read: ${problemText(read.problem)}`);
  return compileFilter(read.filter, tenantId);
}
