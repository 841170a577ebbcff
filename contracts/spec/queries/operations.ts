import { integer, listOf, optional, text, uuid } from "../fields.ts";
import type { Operation } from "../operation.ts";
import { extension } from "../traces/operations.ts";
import { accepted } from "../traces/resources.ts";
import {
  feedback,
  feedbackCreate,
  feedbackUpdate,
  runPage,
  runQuery,
  runStats,
  runStatsQuery,
} from "./resources.ts";

export const ofNothing = [401, 403, 404, 422, 429] as const;
export const ofBody = [401, 403, 404, 413, 415, 422, 429] as const;

const feedbackPath = { feedback_id: uuid({ description: "Identifier of the feedback entry." }) };

/** Queries of trace rows, and feedback. The bodies follow public clients. */
export const QUERY_OPERATIONS = {
  queryRuns: {
    ...extension,
    summary: "List trace rows page by page.",
    method: "POST",
    path: "/runs/query",
    alsoAt: ["/api/v1/runs/query"],
    access: "reads",
    body: runQuery,
    reply: { status: 200, body: runPage },
    refusals: [...ofBody, 410],
    legacy: {
      replacement: "POST /api/v2/runs/query",
      clients:
        "runs.query() replaces list_runs(), threads.query() replaces list_threads(), threads.list_traces() replaces read_thread()",
    },
  },
  statRuns: {
    ...extension,
    summary: "Return statistics of trace rows.",
    method: "POST",
    path: "/runs/stats",
    alsoAt: ["/api/v1/runs/stats"],
    access: "reads",
    body: runStatsQuery,
    reply: { status: 200, body: runStats },
    refusals: ofBody,
  },
  createFeedback: {
    ...extension,
    summary: "Create feedback on a trace row or a project.",
    method: "POST",
    path: "/feedback",
    alsoAt: ["/api/v1/feedback"],
    body: feedbackCreate,
    reply: { status: 200, statusFrom: "platform.success_status", body: feedback },
    refusals: ofBody,
  },
  listFeedback: {
    ...extension,
    summary: "List feedback, oldest first.",
    method: "GET",
    path: "/feedback",
    alsoAt: ["/api/v1/feedback"],
    query: {
      run: optional(listOf(uuid(), { description: "Rows to which it belongs." })),
      key: optional(listOf(text(), { description: "The kind of feedback." })),
      session: optional(listOf(uuid(), { description: "Tracing projects." })),
      source: optional(listOf(text(), { description: "Types of feedback_source." })),
      limit: optional(
        integer({ minimum: 1, maximum: 100, default: 100, description: "Maximum number to return." }),
      ),
      offset: optional(integer({ minimum: 0, default: 0, description: "Number to skip." })),
    },
    reply: { status: 200, body: listOf(feedback) },
    refusals: ofNothing,
  },
  readFeedback: {
    ...extension,
    summary: "Read a feedback entry.",
    method: "GET",
    path: "/feedback/{feedback_id}",
    alsoAt: ["/api/v1/feedback/{feedback_id}"],
    pathParameters: feedbackPath,
    reply: { status: 200, body: feedback },
    refusals: ofNothing,
  },
  updateFeedback: {
    ...extension,
    summary: "Change a feedback entry.",
    method: "PATCH",
    path: "/feedback/{feedback_id}",
    alsoAt: ["/api/v1/feedback/{feedback_id}"],
    pathParameters: feedbackPath,
    body: feedbackUpdate,
    reply: { status: 200, body: feedback },
    refusals: ofBody,
  },
  deleteFeedback: {
    ...extension,
    summary: "Delete a feedback entry.",
    method: "DELETE",
    path: "/feedback/{feedback_id}",
    alsoAt: ["/api/v1/feedback/{feedback_id}"],
    pathParameters: feedbackPath,
    reply: { status: 200, body: accepted },
    refusals: ofNothing,
  },
} as const satisfies Record<string, Operation>;
