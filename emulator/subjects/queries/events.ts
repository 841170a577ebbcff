import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { Workspace } from "../workspace.ts";
import type { SentSelection } from "./selection.ts";

/** Input of `runs.sum_up`. */
export interface StatsRequest {
  readonly replyNumber: number;
  readonly workspace: Workspace;
  /** The selection, with its projects resolved. */
  readonly sent: SentSelection;
}

/** The statistics; `refusal` when rows are damaged, and `interrupted` when they were removed meanwhile. */
export type StatsResult =
  | { readonly stats: ReplyBodyOf<"statRuns"> }
  | { readonly refusal: Refusal }
  | { readonly failure: "interrupted"; readonly message: string };

export type QueryEffects = {
  readonly "runs.sum_up": { readonly data: StatsRequest; readonly result: StatsResult };
};
