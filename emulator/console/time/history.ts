import type { AdvanceResult } from "../../client/views.ts";
import type { Cell } from "../../control/turns/mark-list.ts";
import type { MarkLane } from "../../control/turns/turn-index.ts";

/** Events, recorded or predicted, that are drawn as one (times in ms of virtual time). */
export interface Mark extends Omit<Cell, "turn"> {
  /** The turn of the first event; null for a predicted event. */
  readonly turn: number | null;
}

/** The names of the lanes with single marks. */
export const MARK_LANES: Readonly<Record<MarkLane, string>> = {
  schedules: "Crons, schedules",
  webhooks: "Webhooks",
  limits: "Limits",
  faults: "Faults",
  requests: "Requests",
};

/** The result of a dry run. */
export interface Future {
  readonly fired: AdvanceResult["fired"];
  readonly total: number;
  /** The assumptions of the dry run. */
  readonly assumed: readonly string[];
  /** Why the dry run failed, if it did. */
  readonly problem: string | null;
}
