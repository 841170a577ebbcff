import type { Reaction } from "../turn.ts";
import * as exports from "./export.ts";
import * as runs from "./run.ts";
import * as schedule from "./schedule.ts";

/** What happens in the life of an export, by event. */
export const BULK_EXPORT_REACTIONS: Readonly<Record<string, Reaction>> = {
  "export.due": exports.onDue,
  "export.deadline": exports.onDeadline,
  "export.spawn": schedule.onSpawn,
  "export_run.start": runs.onStart,
  "export_run.file_written": runs.onFileWritten,
  "export_run.deadline": runs.onDeadline,
  "export_run.crashed": runs.onCrashed,
  ...runs.STEP_REACTIONS,
};
