import { REFUSED, REFUSED_BODY, threadPath } from "../agent/run-operations.ts";
import { listOf, uuid } from "../fields.ts";
import type { Operation } from "../operation.ts";
import { cron, cronCount, cronCreate, cronPart, cronPatch, cronSearch, cronTotal } from "./resources.ts";

const cronPath = {
  cron_id: uuid({ description: "Identifier from the reply that created the cron." }),
};

const cronCall = {
  section: "4.8",
  requirements: ["4.8-4"],
  server: "agent",
  workspace: "optional",
  shown: false,
} as const;

/** §4.8 names the creation of crons; public clients also look for, change and delete them. */
export const CRON_OPERATIONS = {
  createThreadCron: {
    ...cronCall,
    requirements: ["4.8-1", "4.8-4", "6-1"],
    summary: "Create a cron that starts runs on a thread.",
    method: "POST",
    path: "/thread/{thread_id}/runs/crons",
    alsoAt: ["/threads/{thread_id}/runs/crons"],
    pathParameters: threadPath,
    body: cronCreate,
    reply: { status: 200, statusFrom: "agent.success_status", body: cron },
    refusals: [...REFUSED_BODY, 404, 409],
    shown: true,
  },
  createCron: {
    ...cronCall,
    requirements: ["4.8-1", "4.8-4", "6-1"],
    summary: "Create a cron that starts each run on a new thread.",
    method: "POST",
    path: "/runs/crons",
    body: cronCreate,
    reply: { status: 200, statusFrom: "agent.success_status", body: cron },
    refusals: [...REFUSED_BODY, 404, 409],
    shown: true,
  },
  searchCrons: {
    ...cronCall,
    summary: "Search for crons.",
    method: "POST",
    path: "/runs/crons/search",
    access: "reads",
    body: cronSearch,
    reply: { status: 200, body: listOf(cronPart) },
    refusals: REFUSED_BODY,
  },
  countCrons: {
    ...cronCall,
    summary: "Count crons.",
    method: "POST",
    path: "/runs/crons/count",
    access: "reads",
    body: cronCount,
    reply: { status: 200, body: cronTotal },
    refusals: REFUSED_BODY,
  },
  getCron: {
    ...cronCall,
    summary: "Read one cron.",
    method: "GET",
    path: "/runs/crons/{cron_id}",
    pathParameters: cronPath,
    reply: { status: 200, body: cron },
    refusals: [...REFUSED, 404],
  },
  updateCron: {
    ...cronCall,
    summary: "Change a cron; a new schedule applies from now on.",
    method: "PATCH",
    path: "/runs/crons/{cron_id}",
    pathParameters: cronPath,
    body: cronPatch,
    reply: { status: 200, body: cron },
    refusals: [...REFUSED_BODY, 400, 404, 409],
  },
  deleteCron: {
    ...cronCall,
    summary: "Delete a cron; runs that it has started continue.",
    method: "DELETE",
    path: "/runs/crons/{cron_id}",
    pathParameters: cronPath,
    reply: { status: 204 },
    refusals: [...REFUSED, 404],
  },
} as const satisfies Record<string, Operation>;
