import {
  EXPORT_MOVES,
  EXPORT_RUN_MOVES,
  EXPORT_STATUSES,
  type ExportRunTrigger,
  type ExportStatusName,
  type ExportTrigger,
  type Move,
} from "../../../contracts/spec/lifecycle.ts";
import type { Turn } from "../turn.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, type ExportRun } from "./records.ts";

/** Whether the status of an export or a run is final (§3.1). */
export function isFinal({ status }: { readonly status: ExportStatusName }): boolean {
  return EXPORT_STATUSES[status].final;
}

/** Moves an export by the table of §3.1, and removes its events when it ends. An unknown move is a defect. */
export function moveExport(turn: Turn, before: BulkExport, trigger: ExportTrigger): BulkExport {
  const after = { ...before, ...fieldsAfterMove(turn, EXPORT_MOVES, before.status, trigger) };
  turn.put(EXPORTS, after);
  if (isFinal(after)) turn.unschedule(after.id);
  turn.note("export.moved", after.id, { from: before.status, to: after.status, trigger });
  return after;
}

/** The same for a run, by its own table. */
export function moveRun(turn: Turn, before: ExportRun, trigger: ExportRunTrigger): ExportRun {
  const after = { ...before, ...fieldsAfterMove(turn, EXPORT_RUN_MOVES, before.status, trigger) };
  turn.put(EXPORT_RUNS, after);
  if (isFinal(after)) turn.unschedule(after.id);
  turn.note("export_run.moved", after.id, { from: before.status, to: after.status, trigger });
  return after;
}

function fieldsAfterMove(turn: Turn, moves: readonly Move[], from: ExportStatusName, trigger: string) {
  const move = moves.find((row) => row.from === from && row.trigger === trigger);
  if (!move) throw new Error(`No move leads from ${from} by ${trigger}.`);
  const finished_at = EXPORT_STATUSES[move.to].final ? turn.now : null;
  return { status: move.to, updated_at: turn.now, finished_at };
}
