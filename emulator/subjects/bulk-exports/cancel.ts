import { Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { endExport } from "./export.ts";
import { isFinal } from "./lifecycle.ts";
import type { BulkExport } from "./records.ts";

/** §4.7: an export that has not ended is cancelled for good; what a schedule has spawned goes on (§3.1-4). */
export function cancelExport(turn: Turn, found: BulkExport): BulkExport {
  if (isFinal(found))
    throw new Refusal(
      409,
      "already_final",
      `Export ${found.id} is ${found.status}; only one that has not ended can be cancelled.`,
      "Create a new export instead.",
      "3.1-2",
    );
  return endExport(turn, found, "cancel");
}
