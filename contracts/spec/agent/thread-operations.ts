import { integer, listOf, optional, text } from "../fields.ts";
import type { Operation } from "../operation.ts";
import { counted } from "./resources.ts";
import { REFUSED, REFUSED_BODY, threadPath } from "./run-operations.ts";
import {
  checkpointReference,
  historySearch,
  threadState,
  threadStateChange,
  threadStateUpdate,
} from "./state-resources.ts";
import { thread, threadCreate, threadPart, threadPatch, threadSearch } from "./thread-resources.ts";

const agent = { server: "agent", workspace: "optional" } as const;
const supporting = { ...agent, section: "2.2", requirements: ["2.2-1"], shown: false } as const;
const missing = [...REFUSED, 404] as const;

/** §2.2: threads; their creation is shown in use (§4.8). */
export const AGENT_THREAD_OPERATIONS = {
  createThread: {
    ...agent,
    section: "4.8",
    requirements: ["4.8-3", "2.2-1", "3.2-1"],
    summary: "Create a thread.",
    method: "POST",
    path: "/threads",
    body: threadCreate,
    reply: { status: 200, statusFrom: "agent.success_status", body: thread },
    refusals: [...REFUSED_BODY, 404, 409],
    shown: true,
  },
  searchThreads: {
    ...supporting,
    summary: "Search for threads.",
    method: "POST",
    path: "/threads/search",
    access: "reads",
    body: threadSearch,
    reply: { status: 200, body: listOf(threadPart) },
    refusals: REFUSED_BODY,
  },
  countThreads: {
    ...supporting,
    summary: "Count threads.",
    method: "POST",
    path: "/threads/count",
    access: "reads",
    body: threadSearch,
    reply: { status: 200, body: counted },
    refusals: REFUSED_BODY,
  },
  getThread: {
    ...supporting,
    summary: "Read a thread.",
    method: "GET",
    path: "/threads/{thread_id}",
    pathParameters: threadPath,
    reply: { status: 200, body: thread },
    refusals: missing,
  },
  updateThread: {
    ...supporting,
    summary: "Merge metadata into a thread, and set its time to live.",
    method: "PATCH",
    path: "/threads/{thread_id}",
    pathParameters: threadPath,
    body: threadPatch,
    reply: { status: 200, body: thread },
    refusals: [...REFUSED_BODY, 404, 409],
  },
  deleteThread: {
    ...supporting,
    summary: "Delete a thread with its runs; runs that have not ended are stopped.",
    method: "DELETE",
    path: "/threads/{thread_id}",
    pathParameters: threadPath,
    reply: { status: 204 },
    refusals: missing,
  },
  copyThread: {
    ...supporting,
    summary: "Copy a thread.",
    method: "POST",
    path: "/threads/{thread_id}/copy",
    pathParameters: threadPath,
    reply: { status: 200, body: thread },
    refusals: [...missing, 409, 413],
  },
  getThreadState: {
    ...supporting,
    summary: "Read the current state of a thread.",
    method: "GET",
    path: "/threads/{thread_id}/state",
    pathParameters: threadPath,
    reply: { status: 200, body: threadState },
    refusals: missing,
  },
  getThreadStateAt: {
    ...supporting,
    summary: "Read the state of a thread at a checkpoint.",
    method: "GET",
    path: "/threads/{thread_id}/state/{checkpoint_id}",
    pathParameters: { ...threadPath, checkpoint_id: text({ description: "Identifier of the checkpoint." }) },
    reply: { status: 200, body: threadState },
    refusals: missing,
  },
  findThreadState: {
    ...supporting,
    summary: "Read the state of a thread at a checkpoint.",
    method: "POST",
    path: "/threads/{thread_id}/state/checkpoint",
    access: "reads",
    pathParameters: threadPath,
    body: checkpointReference,
    reply: { status: 200, body: threadState },
    refusals: [...REFUSED_BODY, 404],
  },
  updateThreadState: {
    ...supporting,
    summary: "Update the state of a thread directly.",
    method: "POST",
    path: "/threads/{thread_id}/state",
    pathParameters: threadPath,
    body: threadStateUpdate,
    reply: { status: 200, body: threadStateChange },
    refusals: [...REFUSED_BODY, 404, 409],
  },
  listThreadHistory: {
    ...supporting,
    summary: "List the states of a thread, newest first.",
    method: "GET",
    path: "/threads/{thread_id}/history",
    pathParameters: threadPath,
    query: {
      limit: optional(
        integer({ minimum: 1, maximum: 1000, default: 10, description: "Maximum number of states." }),
      ),
      before: optional(text({ description: "Only states before this checkpoint." })),
    },
    reply: { status: 200, body: listOf(threadState) },
    refusals: missing,
  },
  searchThreadHistory: {
    ...supporting,
    summary: "List the states of a thread, newest first.",
    method: "POST",
    path: "/threads/{thread_id}/history",
    access: "reads",
    pathParameters: threadPath,
    body: historySearch,
    reply: { status: 200, body: listOf(threadState) },
    refusals: [...REFUSED_BODY, 404],
  },
} as const satisfies Record<string, Operation>;
