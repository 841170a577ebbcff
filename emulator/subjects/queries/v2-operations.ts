import { MAX_PAGE_ROWS, SCAN_BOUNDS } from "../../../contracts/spec/queries/resources.ts";
import { DEFAULT_PAGE_SIZE } from "../../../contracts/spec/queries/v2-resources.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import { refusesColumns } from "../filters/parse.ts";
import type { Handlers } from "../handler.ts";
import { projectView } from "../projects/operations.ts";
import { isDeleted } from "../projects/projects.ts";
import type { StoredRow } from "../traces/roll-up.ts";
import { parseTime, shiftTime } from "../traces/wire-time.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import type { PageFormat } from "./page-body.ts";
import { selectProjects } from "./project-operations.ts";
import { defaultOrderOf } from "./query-context.ts";
import { readSelection, type SentNames, type SentSelection } from "./selection.ts";
import { THREAD_ORDER } from "./summary.ts";
import { answerPage, requestProjectStats, requestSummary } from "./summary-request.ts";
import { readTextCursor, textPage } from "./text-page.ts";
import { selectedViewV2 } from "./v2-view.ts";

/** Without min_start_time a query of the newest public client finds what began since (query.v2_window). */
const V2_WINDOW_MS = 24 * 3_600_000;

const IN_BODY: SentNames = { place: "body", start: "min_start_time", end: "max_start_time" };
const IN_QUERY: SentNames = { ...IN_BODY, place: "query" };

/** Handlers of the queries of the newest public clients: other formats of the same rows. */
export const QUERY_V2_HANDLERS = {
  queryRunsV2(turn, { workspace, body }) {
    refuseUnsupported({ ai_search: body.ai_search });
    const sentSelection = {
      ...windowOf(turn, body),
      session: body.project_ids,
      id: body.ids ?? null,
      trace: body.trace_id ?? null,
      error: body.has_error ?? null,
      is_root: body.is_root ?? null,
      run_type_v2: body.run_type ?? null,
      reference_example: body.reference_examples ?? null,
      filter: body.filter ?? null,
      trace_filter: body.trace_filter ?? null,
      tree_filter: body.tree_filter ?? null,
    };
    return answerPage(turn, workspace, sentSelection, bodyPage(turn, "runs_v2", body), IN_BODY);
  },

  readRunV2: (turn, { workspace, path, query }) =>
    selectedViewV2(rowOf(turn, workspace, path.run_id, query), query.selects, turn.ports.settings),

  readRunUrl(turn, { workspace, path, query, headers }) {
    const { id, session_id, trace_id } = rowOf(turn, workspace, path.run_id, query);
    const host = headers.host ?? "localhost";
    return { url: `http://${host}/projects/p/${session_id}/r/${id}?trace_id=${trace_id}` };
  },

  queryTraces(turn, { workspace, body }) {
    refuseUnsupported({ ai_search: body.ai_search });
    const sentSelection = {
      ...windowOf(turn, body),
      session: [body.project_id],
      id: body.trace_ids ?? null,
      is_root: true,
      trace_filter: body.trace_filter ?? null,
      tree_filter: body.tree_filter ?? null,
    };
    return answerPage(turn, workspace, sentSelection, bodyPage(turn, "traces", body), IN_BODY);
  },

  listTraceRuns(turn, { workspace, path, query }) {
    const { project_id, filter, selects, min_start_time, max_start_time } = query;
    if ((min_start_time === undefined) !== (max_start_time === undefined))
      throw invalidRequest(
        "query.min_start_time and query.max_start_time: must be sent together.",
        "Send both with a value, or neither.",
      );
    const sentSelection = {
      session: [project_id],
      trace: path.trace_id,
      filter: filter ?? null,
      start_time: min_start_time ?? null,
      end_time: inclusiveEnd(max_start_time),
    };
    const page = { order: "asc", limit: SCAN_BOUNDS.rows, cursor: null, select: selects ?? null } as const;
    return answerPage(turn, workspace, sentSelection, { as: "trace_runs", ...page }, IN_QUERY);
  },

  queryThreads(turn, { workspace, body }) {
    refuseUnsupported({ ai_search: body.ai_search, thread_filter: body.thread_filter });
    const { cursor, page_size } = body;
    return requestSummary(
      turn,
      workspace,
      turnsOf(turn, body),
      {
        of: "threads",
        limit: page_size ?? DEFAULT_PAGE_SIZE,
        after: readTextCursor(cursor, THREAD_ORDER.by, THREAD_ORDER.order),
        with: conditionsOf(turn, body),
      },
      IN_BODY,
    );
  },

  listThreadTraces(turn, { workspace, path, query }) {
    const sentSelection = {
      session: [query.project_id],
      thread: path.thread_id,
      is_root: true,
      filter: query.filter ?? null,
      trace_filter: query.trace_filter ?? null,
      tree_filter: query.tree_filter ?? null,
    };
    const page = {
      as: "thread_traces",
      order: "asc",
      limit: query.page_size ?? DEFAULT_PAGE_SIZE,
      cursor: query.cursor ?? null,
      select: query.selects ?? null,
    } as const;
    return answerPage(turn, workspace, sentSelection, page, IN_QUERY);
  },

  statThread(turn, { workspace, path, query }) {
    const sentSelection = {
      session: [query.session_id],
      thread: path.thread_id,
      is_root: true,
      filter: query.filter ?? null,
    };
    return requestSummary(turn, workspace, sentSelection, { of: "thread", figures: query.selects }, IN_QUERY);
  },

  statThreads(turn, { workspace, body }) {
    refuseUnsupported({ thread_filter: body.thread_filter });
    const form = { of: "all threads", figures: body.select, with: conditionsOf(turn, body) } as const;
    return requestSummary(turn, workspace, turnsOf(turn, body), form, IN_BODY);
  },

  listProjectsV2(turn, { workspace, query }) {
    const { sort_by = "START_TIME", sort_order = "desc", page_size = DEFAULT_PAGE_SIZE, cursor } = query;
    const items = selectProjects(turn, workspace, query).map((project) => ({
      project,
      id: project.id,
      key: sort_by === "NAME" ? project.name : (parseTime(project.start_time) ?? ""),
    }));
    const { page, next } = textPage(items, {
      by: sort_by,
      order: sort_order,
      limit: page_size,
      after: readTextCursor(cursor, sort_by, sort_order),
    });
    const projects = page.map(({ project }) => project);
    if (query.include_stats && projects.length > 0)
      return requestProjectStats(turn, workspace, projects, { next });
    return {
      items: projects.map((project) => ({ ...projectView(project), type: "PROJECT" })),
      next_cursor: next,
    };
  },
} satisfies Partial<Handlers>;

interface SentWindow {
  readonly min_start_time?: string | null;
  readonly max_start_time?: string | null;
}

function windowOf(turn: Turn, { min_start_time, max_start_time }: SentWindow) {
  return {
    start_time: min_start_time ?? formatInstant(turn.now - V2_WINDOW_MS),
    end_time: max_start_time ?? formatInstant(turn.now),
  };
}

function inclusiveEnd(time: string | undefined): string | null {
  const parsedTime = time === undefined ? undefined : parseTime(time);
  return (parsedTime && shiftTime(parsedTime, 1)) ?? time ?? null;
}

interface SentPage {
  readonly page_size?: number | null;
  readonly cursor?: string | null;
  readonly selects?: readonly string[] | null;
}

interface SentThreads extends SentWindow {
  readonly project_id: string;
  readonly filter?: string | null;
  readonly trace_filter?: string | null;
  readonly tree_filter?: string | null;
}

/** The turns of threads: root rows in the window. */
function turnsOf(turn: Turn, body: SentThreads): SentSelection {
  return {
    ...windowOf(turn, body),
    session: [body.project_id],
    is_root: true,
    filter: body.filter ?? null,
  };
}

/** Reads the conditions here, so that an invalid one refuses the request. */
function conditionsOf(turn: Turn, { project_id, trace_filter, tree_filter }: SentThreads) {
  const conditions = { trace_filter: trace_filter ?? null, tree_filter: tree_filter ?? null };
  readSelection({ session: [project_id], ...conditions }, refusesColumns(turn.ports.settings));
  return conditions;
}

/** The page that a body requests. */
function bodyPage<Format extends PageFormat>(
  turn: Turn,
  as: Format,
  { page_size, cursor, selects }: SentPage,
) {
  return {
    as,
    order: defaultOrderOf(turn),
    limit: page_size ?? MAX_PAGE_ROWS,
    cursor: cursor ?? null,
    select: selects ?? null,
  };
}

function rowOf(
  turn: Turn,
  workspace: Workspace,
  runId: string,
  { project_id, trace_id }: { readonly project_id: string; readonly trace_id?: string },
): StoredRow {
  const scope = { region: workspace.region, tenantId: workspace.tenant_id };
  const row = turn.ports.traces.read(scope, runId.toLowerCase());
  const isIn =
    row?.session_id === project_id.toLowerCase() &&
    (trace_id === undefined || row.trace_id === trace_id.toLowerCase());
  if (!row || !isIn || isDeleted(turn, workspace, row.session_id))
    throw new Refusal(404, "not_found", `Run ${runId} does not exist in this project.`);
  return row;
}

/** Refuses members whose omission would return other rows than the caller expects. */
function refuseUnsupported(members: Readonly<Record<string, string | null | undefined>>): void {
  for (const [name, value] of Object.entries(members))
    if (value != null)
      throw new Refusal(
        422,
        "not_emulated",
        `body.${name}: is not emulated.`,
        "Leave it out; filter, trace_filter and tree_filter are emulated.",
      );
}
