import { createHash } from "node:crypto";
import type { ReportPart } from "../contracts/report/model.ts";

/** One of several parts that a run is divided into. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
  /** What all parts of a run have in common, in addition to the names of its items: seed, options, version. */
  readonly options?: string;
}

const PLAN_DIGITS = 12;

/** The items of a part: every n-th, so that long and short ones are divided alike; and its description for the report. */
export function partOf<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  { index, count, options = "" }: Shard = { index: 1, count: 1 },
): { readonly items: readonly T[]; readonly part: ReportPart } {
  const plan = createHash("sha256").update(JSON.stringify([options, items.map(nameOf)]));
  return {
    items: items.filter((_, at) => at % count === index - 1),
    part: { index, count, plan: plan.digest("hex").slice(0, PLAN_DIGITS) },
  };
}
