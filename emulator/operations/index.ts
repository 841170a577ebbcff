import { AGENT_ASSISTANT_HANDLERS } from "./agent-assistants.ts";
import { AGENT_RUN_HANDLERS } from "./agent-runs.ts";
import { AGENT_START_HANDLERS } from "./agent-starts.ts";
import { AGENT_THREAD_HANDLERS } from "./agent-threads.ts";
import { BULK_EXPORT_HANDLERS } from "./bulk-exports.ts";
import { CRON_HANDLERS } from "./crons.ts";
import { DESTINATION_HANDLERS } from "./destinations.ts";
import { FEEDBACK_HANDLERS } from "./feedback.ts";
import type { Handlers } from "./handler.ts";
import { PROJECT_HANDLERS } from "./projects.ts";
import { QUERY_HANDLERS } from "./queries.ts";
import { SYSTEM_HANDLERS } from "./system.ts";
import { TRACE_HANDLERS } from "./traces.ts";

/** One handler for every row of the operations table. */
export const HANDLERS: Handlers = {
  ...DESTINATION_HANDLERS,
  ...BULK_EXPORT_HANDLERS,
  ...TRACE_HANDLERS,
  ...PROJECT_HANDLERS,
  ...QUERY_HANDLERS,
  ...FEEDBACK_HANDLERS,
  ...CRON_HANDLERS,
  ...AGENT_START_HANDLERS,
  ...AGENT_RUN_HANDLERS,
  ...AGENT_THREAD_HANDLERS,
  ...AGENT_ASSISTANT_HANDLERS,
  ...SYSTEM_HANDLERS,
};
