import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import type { Workspace } from "../workspace.ts";
import type { SentSelection } from "./selection.ts";

/** What `runs.sum_up` is told. */
export interface StatsRequest {
  readonly ticket: number;
  readonly workspace: Workspace;
  /** With the projects in which to look. */
  readonly sent: SentSelection;
}

/** The sums, or why there are none: the rows have gone meanwhile. */
export type StatsResult =
  | { readonly stats: ReplyBodyOf<"statRuns"> }
  | { readonly failure: "interrupted"; readonly message: string };

export type QueryEffects = {
  readonly "runs.sum_up": { readonly data: StatsRequest; readonly result: StatsResult };
};
