import { AGENT_ASSISTANT_HANDLERS } from "../subjects/agent/operations/assistants.ts";
import { AGENT_RUN_HANDLERS } from "../subjects/agent/operations/runs.ts";
import { AGENT_START_HANDLERS } from "../subjects/agent/operations/starts.ts";
import { AGENT_THREAD_HANDLERS } from "../subjects/agent/operations/threads.ts";
import { BULK_EXPORT_HANDLERS } from "../subjects/bulk-exports/operations.ts";
import { CRON_HANDLERS } from "../subjects/crons/operations.ts";
import { DESTINATION_HANDLERS } from "../subjects/destinations/operations.ts";
import { FEEDBACK_HANDLERS } from "../subjects/feedback/operations.ts";
import type { Handlers } from "../subjects/handler.ts";
import { PROJECT_HANDLERS } from "../subjects/projects/operations.ts";
import { QUERY_HANDLERS } from "../subjects/queries/operations.ts";
import { QUERY_V2_HANDLERS } from "../subjects/queries/v2-operations.ts";
import { SYSTEM_HANDLERS } from "../subjects/system/operations.ts";
import { TRACE_HANDLERS } from "../subjects/traces/operations.ts";

/** One handler for every row of the operations table. */
export const HANDLERS: Handlers = {
  ...DESTINATION_HANDLERS,
  ...BULK_EXPORT_HANDLERS,
  ...TRACE_HANDLERS,
  ...PROJECT_HANDLERS,
  ...QUERY_HANDLERS,
  ...QUERY_V2_HANDLERS,
  ...FEEDBACK_HANDLERS,
  ...CRON_HANDLERS,
  ...AGENT_START_HANDLERS,
  ...AGENT_RUN_HANDLERS,
  ...AGENT_THREAD_HANDLERS,
  ...AGENT_ASSISTANT_HANDLERS,
  ...SYSTEM_HANDLERS,
};
