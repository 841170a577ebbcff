/** The duties of the agent server, transcribed from the specification a second time for the suites. */

/** §2.1: members of a run, with their types and formats. */
export const RUN = {
  run_id: "uuid",
  thread_id: "uuid",
  assistant_id: "uuid",
  created_at: "date-time",
  updated_at: "date-time",
  status: "text",
  metadata: "object",
  kwargs: "object",
  multitask_strategy: "text",
} as const;

export const RUN_MEMBERS = Object.keys(RUN) as readonly (keyof typeof RUN)[];

/** §2.1 */
export const RUN_STATUSES = ["pending", "running", "error", "success", "timeout", "interrupted"] as const;

/** §6: what a run can have come to when it has completed. */
export const ENDED_STATUSES = ["error", "success", "timeout", "interrupted"] as const;

/** §2.1, §4.1: what the list of runs can be narrowed to. */
export const LISTED_STATUSES = ["pending", "error", "success", "timeout", "interrupted"] as const;

/** §2.1: a status that a run has and no list is narrowed to. */
export const UNLISTED_STATUS = "running";

/** §2.1 */
export const STRATEGIES = ["reject", "rollback", "interrupt", "enqueue"] as const;

/** §2.2: members of a created thread. */
export const THREAD_MEMBERS = [
  "thread_id",
  "created_at",
  "updated_at",
  "metadata",
  "status",
  "config",
  "values",
] as const;

/** §3.2 */
export const NEW_THREAD_STATUS = "idle";

/** §4.1, §8.1: how runs are listed unless the request says otherwise. */
export const LIST_DEFAULTS = { limit: 10, offset: 0 } as const;

/** §4.8: the operations that take a webhook, all of them POST. */
export const STARTING_OPERATIONS = [
  { path: "/thread/{thread_id}/runs", onThread: true, cron: false },
  { path: "/thread/{thread_id}/runs/crons", onThread: true, cron: true },
  { path: "/thread/{thread_id}/runs/stream", onThread: true, cron: false },
  { path: "/thread/{thread_id}/runs/wait", onThread: true, cron: false },
  { path: "/runs/crons", onThread: false, cron: true },
  { path: "/runs/stream", onThread: false, cron: false },
  { path: "/runs/wait", onThread: false, cron: false },
] as const;

/** §9.2: version of the agent server's API description. */
export const DESCRIPTION_VERSION = "0.1.0";

const UUID = { type: "string", format: "uuid" } as const;

/** §4.1 and §4.8: requests as far as they are shown, as JSON Schema; a text with a format is not free. */
export const AGENT_REQUESTS = {
  listThreadRuns: {
    method: "GET",
    path: "/threads/{thread_id}/runs",
    pathParameters: { thread_id: UUID },
    query: {
      limit: { type: "integer" },
      offset: { type: "integer" },
      status: { type: "string", enum: LISTED_STATUSES },
      select: { type: "array", items: { type: "string", enum: RUN_MEMBERS } },
    },
  },
  searchAssistants: {
    method: "POST",
    path: "/assistants/search",
    body: { type: "object", properties: { limit: { type: "integer" }, offset: { type: "integer" } } },
  },
} as const;

/** §4.8: members of the body that starts a run. */
export const RUN_REQUEST = {
  type: "object",
  required: ["assistant_id"],
  properties: {
    assistant_id: { type: "string", format: "reference" },
    input: { type: "object" },
    stream_mode: { type: "string" },
    webhook: { type: "string", format: "uri" },
  },
} as const;
