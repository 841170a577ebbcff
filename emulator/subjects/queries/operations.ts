import { MAX_PAGE_ROWS } from "../../../contracts/spec/queries/resources.ts";
import { parseFilter, refusesColumns } from "../filters/parse.ts";
import { problemText } from "../filters/problem.ts";
import type { Handlers } from "../handler.ts";
import { PROJECT_READ_HANDLERS } from "./project-operations.ts";
import { defaultOrderOf } from "./query-context.ts";
import { answerPage, requestSummary } from "./summary-request.ts";

/** Handlers that list trace rows in pages and compute statistics (X-1). */
export const QUERY_HANDLERS = {
  ...PROJECT_READ_HANDLERS,

  queryRuns(turn, { workspace, body }) {
    return answerPage(turn, workspace, body, {
      as: "runs",
      order: body.order ?? defaultOrderOf(turn),
      limit: body.limit ?? MAX_PAGE_ROWS,
      cursor: body.cursor ?? null,
      select: body.select ?? null,
    });
  },

  statRuns: (turn, { workspace, body }) => requestSummary(turn, workspace, body, { of: "rows" }),

  validateFilter(turn, { body }) {
    const refusesSome = refusesColumns(turn.ports.settings);
    const errors = (["filter", "trace_filter", "tree_filter"] as const).flatMap((field) => {
      const message = filterError(body[field] ?? null, refusesSome);
      return message === undefined ? [] : [{ field, message }];
    });
    return { valid: errors.length === 0, errors };
  },
} satisfies Partial<Handlers>;

function filterError(text: string | null, refusesSome: boolean): string | undefined {
  const read = text === null ? undefined : parseFilter(text, refusesSome);
  if (!read || !("problem" in read)) return undefined;
  const { hint } = read.problem;
  return `${problemText(read.problem)}${hint === undefined ? "" : ` ${hint}`}`;
}
