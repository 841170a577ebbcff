import type { Collection } from "../kernel/table.ts";
import { AGENT_ASSISTANT_HANDLERS } from "../subjects/agent/operations/assistants.ts";
import { AGENT_RUN_HANDLERS } from "../subjects/agent/operations/runs.ts";
import { AGENT_START_HANDLERS } from "../subjects/agent/operations/starts.ts";
import { AGENT_THREAD_HANDLERS } from "../subjects/agent/operations/threads.ts";
import { PLANS } from "../subjects/agent/plan.ts";
import { ASSISTANTS, CHECKPOINTS, RUNS, THREADS } from "../subjects/agent/records.ts";
import { AGENT_REACTIONS } from "../subjects/agent/run-lifecycle.ts";
import { SCRIPT_MATCHES, SCRIPTS } from "../subjects/agent/scripts.ts";
import { HELD_SLOTS, SLOT_QUEUE } from "../subjects/bulk-exports/capacity.ts";
import { BULK_EXPORT_HANDLERS } from "../subjects/bulk-exports/operations.ts";
import { BULK_EXPORT_REACTIONS } from "../subjects/bulk-exports/reactions.ts";
import { EXPORT_RUNS, EXPORTS, SPAWNED } from "../subjects/bulk-exports/records.ts";
import { onFire } from "../subjects/crons/fire.ts";
import { CRON_HANDLERS } from "../subjects/crons/operations.ts";
import { CRONS } from "../subjects/crons/records.ts";
import { onValidated } from "../subjects/destinations/create.ts";
import { DESTINATION_HANDLERS } from "../subjects/destinations/operations.ts";
import { DESTINATIONS } from "../subjects/destinations/records.ts";
import { HTTP_FAULT_REACTIONS } from "../subjects/faults/http.ts";
import { FAULTS } from "../subjects/faults/rules.ts";
import { FEEDBACK } from "../subjects/feedback/feedback.ts";
import { FEEDBACK_HANDLERS } from "../subjects/feedback/operations.ts";
import type { Handlers } from "../subjects/handler.ts";
import { OBJECT_STORAGE_COLLECTIONS } from "../subjects/object-storage/records.ts";
import { PROJECT_HANDLERS } from "../subjects/projects/operations.ts";
import { PROJECT_NAMES, PROJECTS } from "../subjects/projects/projects.ts";
import { QUERY_HANDLERS } from "../subjects/queries/operations.ts";
import { QUERY_REACTIONS } from "../subjects/queries/stats-request.ts";
import { SYSTEM_HANDLERS } from "../subjects/system/operations.ts";
import { TRACE_HANDLERS } from "../subjects/traces/operations.ts";
import { WAITING_CHILDREN } from "../subjects/traces/waiting.ts";
import type { Reaction } from "../subjects/turn.ts";
import { WEBHOOK_REACTIONS } from "../subjects/webhooks/reactions.ts";
import { DELIVERIES, INBOX, INBOX_NAMES } from "../subjects/webhooks/records.ts";

/** The kinds of records that a world keeps. */
export const COLLECTIONS = [
  PROJECTS,
  PROJECT_NAMES,
  WAITING_CHILDREN,
  FEEDBACK,
  DESTINATIONS,
  EXPORTS,
  EXPORT_RUNS,
  SPAWNED,
  HELD_SLOTS,
  SLOT_QUEUE,
  FAULTS,
  CRONS,
  DELIVERIES,
  INBOX,
  INBOX_NAMES,
  THREADS,
  RUNS,
  CHECKPOINTS,
  PLANS,
  ASSISTANTS,
  SCRIPTS,
  SCRIPT_MATCHES,
  ...OBJECT_STORAGE_COLLECTIONS,
] as unknown as readonly Collection<never>[];

/** What happens when an event is due or an effect has come to its end, subject by subject. */
export const REACTIONS: Readonly<Record<string, Reaction>> = {
  "destination.validated": onValidated,
  ...BULK_EXPORT_REACTIONS,
  ...AGENT_REACTIONS,
  ...HTTP_FAULT_REACTIONS,
  ...QUERY_REACTIONS,
  ...WEBHOOK_REACTIONS,
  "cron.fire": onFire,
};

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
