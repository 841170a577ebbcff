import { AGENT_ASSISTANT_OPERATIONS } from "./agent/assistant-operations.ts";
import { AGENT_RUN_OPERATIONS } from "./agent/run-operations.ts";
import { AGENT_THREAD_OPERATIONS } from "./agent/thread-operations.ts";
import { BULK_EXPORT_OPERATIONS } from "./bulk-exports/operations.ts";
import { CRON_OPERATIONS } from "./crons/operations.ts";
import { DESTINATION_OPERATIONS } from "./destinations/operations.ts";
import type { Operation } from "./operation.ts";
import { QUERY_OPERATIONS } from "./queries/operations.ts";
import { SYSTEM_OPERATIONS } from "./system-operations.ts";
import { INGEST_OPERATIONS } from "./traces/operations.ts";

/** §4 and what its users need beside it: every operation that has a handler. */
export const OPERATIONS = {
  ...DESTINATION_OPERATIONS,
  ...BULK_EXPORT_OPERATIONS,
  ...INGEST_OPERATIONS,
  ...QUERY_OPERATIONS,
  ...CRON_OPERATIONS,
  ...AGENT_RUN_OPERATIONS,
  ...AGENT_THREAD_OPERATIONS,
  ...AGENT_ASSISTANT_OPERATIONS,
  ...SYSTEM_OPERATIONS,
} as const satisfies Record<string, Operation>;

export type { OperationId } from "./operation.ts";
