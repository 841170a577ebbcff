import { Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { endExport } from "./export.ts";
import { isFinal } from "./lifecycle.ts";
import type { BulkExport } from "./records.ts";

/** §4.7: cancels an export that has not ended; the spawned exports of a cancelled schedule continue (§3.1-4). */
export function cancelExport(turn: Turn, record: BulkExport): BulkExport {
  if (isFinal(record))
    throw new Refusal(
      409,
      "already_final",
      `Export ${record.id} is ${record.status}. Only an export that has not ended can be cancelled.`,
      "Create a new export instead.",
      "3.1-2",
    );
  return endExport(turn, record, "cancel");
}
