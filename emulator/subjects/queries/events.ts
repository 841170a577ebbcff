import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { Workspace } from "../workspace.ts";
import type { SentSelection } from "./selection.ts";
import type { RunStats } from "./stats.ts";

/** The key of the statistics of all selected rows. */
export const TOTAL = "";

/** Input of `runs.sum_up`. */
export interface StatsRequest {
  readonly replyNumber: number;
  readonly workspace: Workspace;
  /** The selection, with its projects resolved. */
  readonly sent: SentSelection;
  /** The projects of the reply, each with statistics of its own; undefined for one total. */
  readonly projects?: readonly ReplyBodyOf<"readProject">[];
  /** The reply is the only project, not a list. */
  readonly isSingle?: boolean;
}

/** The statistics by project, or as one total under TOTAL; `refusal` when rows are damaged, and `interrupted` when they were removed meanwhile. */
export type StatsResult =
  | { readonly stats: Readonly<Record<string, RunStats>> }
  | { readonly refusal: Refusal }
  | { readonly failure: "interrupted"; readonly message: string };

export type QueryEffects = {
  readonly "runs.sum_up": { readonly data: StatsRequest; readonly result: StatsResult };
};
