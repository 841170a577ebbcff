import { MAX_PAGE_ROWS } from "../../../contracts/spec/queries/resources.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { parseFilter, refusesColumns } from "../filters/parse.ts";
import { problemText } from "../filters/problem.ts";
import type { Handlers } from "../handler.ts";
import { isDeleted } from "../projects/projects.ts";
import { readPage } from "./page.ts";
import { PROJECT_READ_HANDLERS } from "./project-operations.ts";
import { queryContextOf } from "./query-context.ts";
import { readSelection } from "./selection.ts";
import { requestStats } from "./stats-request.ts";
import { selectedView, selectedViewV2 } from "./view.ts";

type OperationIds =
  | ("listProjects" | "readProject" | "queryRuns" | "statRuns" | "validateFilter")
  | ("queryRunsV2" | "readRunV2");

/** Without min_start_time a query of the newest public client finds what began since (query.v2_window). */
const V2_WINDOW_MS = 24 * 3_600_000;

/** Handlers that list trace rows in pages and compute statistics (X-1). */
export const QUERY_HANDLERS: Pick<Handlers, OperationIds> = {
  ...PROJECT_READ_HANDLERS,

  queryRuns(turn, { workspace, body }) {
    const { rows, next } = readPage(queryContextOf(turn, workspace), {
      selection: readSelection(body, refusesColumns(turn.ports.settings)),
      order: body.order ?? "desc",
      limit: body.limit ?? MAX_PAGE_ROWS,
      cursor: body.cursor ?? null,
    });
    const { settings } = turn.ports;
    return {
      runs: rows.map((row) => selectedView(row, body.select, settings)),
      cursors: { next, prev: null },
      parsed_query: null,
    };
  },

  queryRunsV2(turn, { workspace, body }) {
    const { project_ids, ids, trace_id, run_type, has_error, reference_examples } = body;
    const { min_start_time, max_start_time } = body;
    const { settings } = turn.ports;
    const asked = {
      ...body,
      session: project_ids,
      id: ids ?? null,
      trace: trace_id ?? null,
      error: has_error ?? null,
      run_type: null,
      run_type_v2: run_type ?? null,
      reference_example: reference_examples ?? null,
      start_time: min_start_time ?? formatInstant(turn.now - V2_WINDOW_MS),
      end_time: max_start_time ?? formatInstant(turn.now),
    };
    const { rows, next } = readPage(queryContextOf(turn, workspace), {
      selection: readSelection(asked, refusesColumns(settings)),
      order: "desc",
      limit: body.page_size ?? MAX_PAGE_ROWS,
      cursor: body.cursor ?? null,
    });
    return { items: rows.map((row) => selectedViewV2(row, body.selects, settings)), next_cursor: next };
  },

  readRunV2(turn, { workspace, path, query }) {
    const { traces, settings } = turn.ports;
    const scope = { region: workspace.region, tenantId: workspace.tenant_id };
    const row = traces.read(scope, path.run_id.toLowerCase());
    if (row?.session_id !== query.project_id.toLowerCase() || isDeleted(turn, workspace, row.session_id))
      throw new Refusal(404, "not_found", `Run ${path.run_id} does not exist in this project.`);
    return selectedViewV2(row, query.selects, settings);
  },

  statRuns: (turn, { workspace, body }) => requestStats(turn, workspace, body),

  validateFilter(turn, { body }) {
    const refusesSome = refusesColumns(turn.ports.settings);
    const errors = (["filter", "trace_filter", "tree_filter"] as const).flatMap((field) => {
      const message = filterError(body[field] ?? null, refusesSome);
      return message === undefined ? [] : [{ field, message }];
    });
    return { valid: errors.length === 0, errors };
  },
};

function filterError(text: string | null, refusesSome: boolean): string | undefined {
  const read = text === null ? undefined : parseFilter(text, refusesSome);
  if (!read || !("problem" in read)) return undefined;
  const { hint } = read.problem;
  return `${problemText(read.problem)}.${hint === undefined ? "" : ` ${hint}`}`;
}
