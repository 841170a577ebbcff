import { type FoldOrder, fold } from "./journal/fold.ts";
import { type SweepOrder, sweepOwners } from "./unneeded-files.ts";

export type BackgroundOrder = FoldOrder | SweepOrder;

/** Does what an order says, and answers whose files the result needs. */
export function perform(order: BackgroundOrder): readonly number[] {
  return "target" in order ? fold(order) : sweepOwners(order);
}
