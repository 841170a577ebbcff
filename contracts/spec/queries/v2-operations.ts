import { dateTime, optional, text, uuid } from "../fields.ts";
import type { Operation } from "../operation.ts";
import { extension } from "../traces/operations.ts";
import { ofBody, ofNothing } from "./operations.ts";
import { filterText } from "./resources.ts";
import {
  allThreadsQuery,
  getPage,
  projectListV2,
  projectPageV2,
  runPageV2,
  runQueryV2,
  runUrl,
  runV2,
  selectedFigures,
  threadFigures,
  threadPage,
  threadQuery,
  threadTracePage,
  threadTraceSelects,
  tracePage,
  traceQuery,
  traceRuns,
  v2Selects,
} from "./v2-resources.ts";

const projectId = uuid({ description: "Tracing project that it belongs to." });
const runPath = { run_id: uuid({ description: "Identifier of the trace row." }) };
const threadPath = {
  thread_id: text({ description: "The thread, from the metadata of its rows." }),
};
const filter = filterText("Expression for the rows themselves.");

/** The queries that the newest public clients send instead of those that end on 2027-01-31. */
export const QUERY_V2_OPERATIONS = {
  queryRunsV2: {
    ...extension,
    summary: "List trace rows page by page (format of the newest public client).",
    method: "POST",
    path: "/api/v2/runs/query",
    access: "reads",
    body: runQueryV2,
    reply: { status: 200, body: runPageV2 },
    refusals: ofBody,
  },
  readRunV2: {
    ...extension,
    summary: "Read a trace row (format of the newest public client).",
    method: "GET",
    path: "/api/v2/runs/{run_id}",
    pathParameters: runPath,
    query: {
      project_id: projectId,
      start_time: optional(dateTime({ description: "When it started; not needed here." })),
      selects: optional(v2Selects),
    },
    reply: { status: 200, body: runV2 },
    refusals: ofNothing,
  },
  readRunUrl: {
    ...extension,
    summary: "Return the address of a trace row in the web app.",
    method: "GET",
    path: "/api/v2/runs/{run_id}/url",
    pathParameters: runPath,
    query: {
      project_id: projectId,
      trace_id: uuid({ description: "Trace that it belongs to." }),
      start_time: optional(dateTime({ description: "When it started; not needed here." })),
    },
    reply: { status: 200, body: runUrl },
    refusals: ofNothing,
  },
  queryTraces: {
    ...extension,
    summary: "List traces page by page: root rows with the totals of their trace.",
    method: "POST",
    path: "/api/v2/traces/query",
    access: "reads",
    body: traceQuery,
    reply: { status: 200, body: tracePage },
    refusals: ofBody,
  },
  listTraceRuns: {
    ...extension,
    summary: "List the rows of a trace, earliest first.",
    method: "GET",
    path: "/api/v2/traces/{trace_id}/runs",
    pathParameters: { trace_id: uuid({ description: "Identifier of the trace." }) },
    query: {
      project_id: projectId,
      filter,
      selects: optional(v2Selects),
      min_start_time: optional(text({ description: "Rows that started at this time or later." })),
      max_start_time: optional(text({ description: "Rows that started before this time." })),
    },
    reply: { status: 200, body: traceRuns },
    refusals: [...ofNothing, 413],
  },
  queryThreads: {
    ...extension,
    summary: "List the threads of a project page by page, latest activity first.",
    method: "POST",
    path: "/api/v2/threads/query",
    access: "reads",
    body: threadQuery,
    reply: { status: 200, body: threadPage },
    refusals: [...ofBody, 409],
  },
  listThreadTraces: {
    ...extension,
    summary: "List the traces (turns) of a thread page by page, earliest first.",
    method: "GET",
    path: "/api/v2/threads/{thread_id}/traces",
    pathParameters: threadPath,
    query: {
      project_id: projectId,
      filter,
      trace_filter: filterText("Expression for the root row of their trace."),
      tree_filter: filterText("Expression for any row of their trace."),
      selects: optional(threadTraceSelects),
      ...getPage("traces"),
    },
    reply: { status: 200, body: threadTracePage },
    refusals: ofNothing,
  },
  statThread: {
    ...extension,
    summary: "Return figures of one thread (with the parameter names of the public client).",
    method: "GET",
    path: "/api/v2/threads/{thread_id}/stats",
    pathParameters: threadPath,
    query: { session_id: projectId, selects: threadFigures, filter },
    reply: { status: 200, body: selectedFigures },
    refusals: [...ofNothing, 409],
  },
  statThreads: {
    ...extension,
    summary: "Return figures of all threads of a project (with the member names of the public client).",
    method: "POST",
    path: "/api/v2/threads/stats",
    access: "reads",
    body: allThreadsQuery,
    reply: { status: 200, body: selectedFigures },
    refusals: [...ofBody, 409],
  },
  listProjectsV2: {
    ...extension,
    summary: "List tracing projects page by page (format of the newest public client).",
    method: "GET",
    path: "/api/v2/sessions",
    query: projectListV2,
    reply: { status: 200, body: projectPageV2 },
    refusals: ofNothing,
  },
} as const satisfies Record<string, Operation>;
