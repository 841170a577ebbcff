import { boolean, integer, listOf, oneOf, optional, uuid } from "../fields.ts";
import { LIST_RUNS } from "../limits.ts";
import type { Operation } from "../operation.ts";
import { AGENT_RUN_STATUS_NAMES, LISTED_STATUSES, STREAM_MODES } from "./lifecycle.ts";
import {
  agentRun,
  agentRunBatch,
  agentRunCreate,
  agentRunPart,
  RUN_FIELD_NAMES,
  runEvents,
  runOutcome,
  runsCancel,
} from "./resources.ts";

export const threadPath = { thread_id: uuid({ description: "Identifier of the thread." }) };
const runPath = { ...threadPath, run_id: uuid({ description: "Identifier of the run." }) };

/** Every agent operation can be refused like this; those about something can also miss it. */
export const REFUSED = [401, 403, 422, 429] as const;
export const REFUSED_BODY = [...REFUSED, 413, 415] as const;
const STARTING = [...REFUSED_BODY, 404, 409] as const;

const flag = (description: string) => optional(boolean({ default: false, description }));

const cancelAction = optional(
  oneOf(["interrupt", "rollback"], {
    default: "interrupt",
    description: "Keep the results of the run, or remove the run.",
  }),
);

const streaming = {
  stream_mode: optional(
    listOf(oneOf(STREAM_MODES), {
      maxItems: 20,
      description: "What to stream; by default the modes of the run.",
    }),
  ),
  cancel_on_disconnect: flag("Whether the run is interrupted when its reader goes away."),
};

const startRow = {
  section: "4.8",
  requirements: ["4.8-1", "4.8-2"],
  server: "agent",
  method: "POST",
  body: agentRunCreate,
  refusals: STARTING,
  workspace: "optional",
  shown: true,
} as const;
const supporting = {
  section: "3.2",
  requirements: ["3.2-2"],
  server: "agent",
  workspace: "optional",
  shown: false,
} as const;

/** §4.1 and §4.8: runs of the agent server, and further operations that clients need. */
export const AGENT_RUN_OPERATIONS = {
  listThreadRuns: {
    section: "4.1",
    requirements: ["4.1-1", "4.1-2", "4.1-3", "4.1-4"],
    server: "agent",
    summary: "List the runs of a thread, newest first.",
    method: "GET",
    path: "/threads/{thread_id}/runs",
    pathParameters: threadPath,
    query: {
      limit: optional(
        integer({
          minimum: 1,
          maximum: 1000,
          default: LIST_RUNS.limit,
          description: "Maximum number of runs.",
        }),
      ),
      offset: optional(
        integer({ minimum: 0, default: LIST_RUNS.offset, description: "Number of runs to skip." }),
      ),
      status: optional(oneOf(LISTED_STATUSES, { description: "Only runs with this status." })),
      select: optional(
        listOf(oneOf(RUN_FIELD_NAMES), {
          minItems: 1,
          maxItems: 100,
          description: "Fields to return; all by default.",
        }),
      ),
    },
    variant: {
      assumption: "agent.running_filter",
      is: "accepted",
      query: {
        status: optional(oneOf(AGENT_RUN_STATUS_NAMES, { description: "Only runs with this status." })),
      },
    },
    reply: { status: 200, body: listOf(agentRunPart) },
    refusals: [...REFUSED, 404],
    shownRefusals: [404, 422],
    workspace: "optional",
    shown: true,
  },
  createThreadRun: {
    ...startRow,
    summary: "Start a run on a thread.",
    path: "/thread/{thread_id}/runs",
    alsoAt: ["/threads/{thread_id}/runs"],
    pathParameters: threadPath,
    reply: { status: 200, statusFrom: "agent.success_status", body: agentRun },
  },
  streamThreadRun: {
    ...startRow,
    summary: "Start a run on a thread and stream it.",
    path: "/thread/{thread_id}/runs/stream",
    alsoAt: ["/threads/{thread_id}/runs/stream"],
    pathParameters: threadPath,
    reply: { status: 200, body: runEvents, media: "text/event-stream" },
    waits: true,
  },
  waitThreadRun: {
    ...startRow,
    requirements: ["4.8-1", "4.8-4"],
    summary: "Start a run on a thread and answer when it has ended.",
    path: "/thread/{thread_id}/runs/wait",
    alsoAt: ["/threads/{thread_id}/runs/wait"],
    pathParameters: threadPath,
    reply: { status: 200, body: runOutcome },
    waits: true,
  },
  streamStatelessRun: {
    ...startRow,
    summary: "Start a run without a thread and stream it.",
    path: "/runs/stream",
    reply: { status: 200, body: runEvents, media: "text/event-stream" },
    waits: true,
  },
  waitStatelessRun: {
    ...startRow,
    requirements: ["4.8-1", "4.8-4"],
    summary: "Start a run without a thread and answer when it has ended.",
    path: "/runs/wait",
    reply: { status: 200, body: runOutcome },
    waits: true,
  },
  createStatelessRun: {
    ...supporting,
    section: "4.8",
    requirements: ["4.8-2"],
    summary: "Start a run without a thread in the background.",
    method: "POST",
    path: "/runs",
    when: { body: "object", member: "assistant_id" },
    body: agentRunCreate,
    reply: { status: 200, statusFrom: "agent.success_status", body: agentRun },
    refusals: STARTING,
  },
  createStatelessRuns: {
    ...supporting,
    section: "4.8",
    requirements: ["4.8-2"],
    summary: "Start several runs, each without a thread, in the background.",
    method: "POST",
    path: "/runs/batch",
    when: { body: "array" },
    body: agentRunBatch,
    reply: { status: 200, statusFrom: "agent.success_status", body: listOf(agentRun) },
    refusals: STARTING,
  },
  getThreadRun: {
    ...supporting,
    summary: "Read a run.",
    method: "GET",
    path: "/threads/{thread_id}/runs/{run_id}",
    pathParameters: runPath,
    reply: { status: 200, body: agentRun },
    refusals: [...REFUSED, 404],
  },
  joinThreadRun: {
    ...supporting,
    requirements: ["4.8-4"],
    summary: "Answer when a run has ended.",
    method: "GET",
    path: "/threads/{thread_id}/runs/{run_id}/join",
    pathParameters: runPath,
    query: { cancel_on_disconnect: streaming.cancel_on_disconnect },
    reply: { status: 200, body: runOutcome },
    waits: true,
    refusals: [...REFUSED, 404],
  },
  streamJoinedRun: {
    ...supporting,
    requirements: ["4.8-2"],
    summary: "Stream a run from now on, or from Last-Event-ID on.",
    method: "GET",
    path: "/threads/{thread_id}/runs/{run_id}/stream",
    pathParameters: runPath,
    query: streaming,
    reply: { status: 200, body: runEvents, media: "text/event-stream" },
    waits: true,
    refusals: [...REFUSED, 404],
  },
  streamJoinedStatelessRun: {
    ...supporting,
    requirements: ["4.8-2"],
    summary: "Stream a run without a thread from now on, or from Last-Event-ID on.",
    method: "GET",
    path: "/runs/{run_id}/stream",
    pathParameters: { run_id: runPath.run_id },
    query: streaming,
    reply: { status: 200, body: runEvents, media: "text/event-stream" },
    waits: true,
    refusals: [...REFUSED, 404],
  },
  cancelThreadRun: {
    ...supporting,
    summary: "Stop a run, and keep its results or remove it.",
    method: "POST",
    path: "/threads/{thread_id}/runs/{run_id}/cancel",
    access: "removes",
    pathParameters: runPath,
    query: { wait: flag("Answer with what the run has come to."), action: cancelAction },
    reply: { status: 202, or: { status: 200, body: runOutcome } },
    waits: true,
    refusals: [...REFUSED, 404, 409],
  },
  cancelRuns: {
    ...supporting,
    summary: "Stop runs by id or by status.",
    method: "POST",
    path: "/runs/cancel",
    access: "removes",
    query: { action: cancelAction },
    body: runsCancel,
    reply: { status: 204 },
    refusals: [...REFUSED_BODY, 404],
  },
  deleteThreadRun: {
    ...supporting,
    summary: "Delete a run; a run that has not ended is stopped.",
    method: "DELETE",
    path: "/threads/{thread_id}/runs/{run_id}",
    pathParameters: runPath,
    reply: { status: 204 },
    refusals: [...REFUSED, 404],
  },
} as const satisfies Record<string, Operation>;
