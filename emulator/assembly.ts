import { AGENT_REACTIONS } from "./domain/agent/life.ts";
import { PLANS } from "./domain/agent/plan.ts";
import { ASSISTANTS, CHECKPOINTS, RUNS, THREADS } from "./domain/agent/records.ts";
import { SCRIPT_MATCHES, SCRIPTS } from "./domain/agent/scripts.ts";
import { PLACES, WAITING } from "./domain/bulk-exports/capacity.ts";
import { BULK_EXPORT_REACTIONS } from "./domain/bulk-exports/reactions.ts";
import { EXPORT_RUNS, EXPORTS, SPAWNED } from "./domain/bulk-exports/records.ts";
import { onFire } from "./domain/crons/fire.ts";
import { CRONS } from "./domain/crons/records.ts";
import { onValidated } from "./domain/destinations/create.ts";
import { DESTINATIONS } from "./domain/destinations/records.ts";
import { HTTP_FAULT_REACTIONS } from "./domain/faults/http.ts";
import { FAULTS } from "./domain/faults/rules.ts";
import { FEEDBACK } from "./domain/feedback/feedback.ts";
import { OBJECT_STORAGE_COLLECTIONS } from "./domain/object-storage/records.ts";
import { PROJECT_NAMES, PROJECTS } from "./domain/projects/projects.ts";
import { QUERY_REACTIONS } from "./domain/queries/stats-request.ts";
import { WAITING_CHILDREN } from "./domain/traces/waiting.ts";
import type { Reaction } from "./domain/turn.ts";
import { WEBHOOK_REACTIONS } from "./domain/webhooks/reactions.ts";
import { DELIVERIES, INBOX, INBOX_NAMES } from "./domain/webhooks/records.ts";
import type { Collection } from "./kernel/table.ts";

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
  PLACES,
  WAITING,
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
