import type { Collection } from "../kernel/table.ts";
import type { EventReactions, ResultReactions } from "../kernel/world-parts.ts";
import { PLANS } from "../subjects/agent/plan.ts";
import { ASSISTANT_VERSIONS, ASSISTANTS, CHECKPOINTS, RUNS, THREADS } from "../subjects/agent/records.ts";
import * as agentRun from "../subjects/agent/run-lifecycle.ts";
import { SCRIPT_MATCHES, SCRIPTS } from "../subjects/agent/scripts.ts";
import { onExpire } from "../subjects/agent/thread-expiry.ts";
import { HELD_SLOTS, SLOT_QUEUE } from "../subjects/bulk-exports/capacity.ts";
import * as bulkExport from "../subjects/bulk-exports/export.ts";
import { EXPORT_RUNS, EXPORTS, SPAWNED } from "../subjects/bulk-exports/records.ts";
import * as exportRun from "../subjects/bulk-exports/run.ts";
import { onSpawn } from "../subjects/bulk-exports/schedule.ts";
import { onFire } from "../subjects/crons/fire.ts";
import { CRONS } from "../subjects/crons/records.ts";
import { onValidated } from "../subjects/destinations/create.ts";
import { DESTINATIONS } from "../subjects/destinations/records.ts";
import { onDelayOver } from "../subjects/faults/http.ts";
import { FAULTS } from "../subjects/faults/records.ts";
import { FEEDBACK } from "../subjects/feedback/feedback.ts";
import type { Delays } from "../subjects/object-storage/delays.ts";
import { OBJECT_STORAGE_COLLECTIONS } from "../subjects/object-storage/records.ts";
import { PROJECT_NAMES, PROJECTS } from "../subjects/projects/projects.ts";
import { onSummedUp } from "../subjects/queries/summary-request.ts";
import { HELD_PATCHES, HELD_TOTALS } from "../subjects/traces/held-patches.ts";
import { WAITING_CHILDREN } from "../subjects/traces/waiting.ts";
import type { EmulatorTypes } from "../subjects/turn.ts";
import * as webhook from "../subjects/webhooks/attempt.ts";
import { DELIVERIES, INBOX, INBOX_NAMES } from "../subjects/webhooks/records.ts";

/** The kinds of records that a world keeps. */
export const COLLECTIONS: readonly Collection<never>[] = [
  PROJECTS,
  PROJECT_NAMES,
  WAITING_CHILDREN,
  HELD_PATCHES,
  HELD_TOTALS,
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
  ASSISTANT_VERSIONS,
  SCRIPTS,
  SCRIPT_MATCHES,
  ...OBJECT_STORAGE_COLLECTIONS,
];

/** What happens when an event is due; a kind without a reaction does not compile. */
export function eventReactions(delays: Delays): EventReactions<EmulatorTypes> {
  return {
    "export.due": bulkExport.onDue,
    "export.deadline": bulkExport.onDeadline,
    "export.spawn": onSpawn,
    "export_run.start": exportRun.onStart,
    "export_run.step": exportRun.onStep,
    "export_run.write": exportRun.onWrite,
    "export_run.checkpoint": exportRun.onCheckpoint,
    "export_run.deadline": exportRun.onDeadline,
    "agent_run.due": agentRun.onDue,
    "agent_run.step": agentRun.onStep,
    "agent_thread.expire": onExpire,
    "cron.fire": onFire,
    "webhook.due": webhook.onDue,
    "http.delay_over": onDelayOver,
    "object_storage.delay_over": delays.onDelayOver,
  };
}

/** What happens when an effect has come to its end; a kind without a reaction does not compile. */
export const RESULT_REACTIONS: ResultReactions<EmulatorTypes> = {
  "export.write_file": exportRun.onFileWritten,
  "export.end_thread": exportRun.onCrashed,
  "destination.validate": onValidated,
  "webhook.post": webhook.onPosted,
  "runs.sum_up": onSummedUp,
  "http.resume": () => undefined,
};
