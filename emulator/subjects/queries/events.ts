import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { Workspace } from "../workspace.ts";
import type { PageQuery } from "./page.ts";
import type { PageFormat } from "./page-body.ts";
import type { SentSelection } from "./selection.ts";
import type { TextPlace } from "./text-page.ts";

/** What the selected rows are summed up to. For threads, the rows are roots: one turn each. */
export type SummaryForm = RowSummaryForm | PageForm;

export type RowSummaryForm =
  | { readonly of: "rows" }
  | { readonly of: "projects"; readonly projects: readonly ProjectView[]; readonly as: ProjectReply }
  | { readonly of: "thread"; readonly figures: readonly string[] }
  | { readonly of: "all threads"; readonly figures: readonly string[]; readonly with: ThreadConditions }
  | {
      readonly of: "threads";
      readonly limit: number;
      readonly after: TextPlace | null;
      readonly with: ThreadConditions;
    };

/** One page of the rows themselves, in a format of `PAGE_BODIES`. */
export interface PageForm extends Omit<PageQuery, "selection"> {
  readonly of: "page";
  readonly as: PageFormat;
  readonly select: readonly string[] | null;
}

type ProjectView = ReplyBodyOf<"readProject">;

/** One project, a list, or a page in the format of the newest public client, with the cursor of the next. */
export type ProjectReply = "one" | "list" | { readonly next: string | null };

/** Conditions that one trace of a thread has to meet, so that all its traces count. */
export type ThreadConditions = Pick<SentSelection, "trace_filter" | "tree_filter">;

/** Input of `runs.sum_up`. */
export interface SummaryRequest {
  readonly replyNumber: number;
  readonly workspace: Workspace;
  /** The projects to read. */
  readonly sessionIds: readonly string[];
  readonly sent: SentSelection;
  readonly form: SummaryForm;
}

/** The body of the reply; `refusal` when rows are damaged, and `interrupted` when they were removed meanwhile. */
export type SummaryResult =
  | { readonly summary: unknown }
  | { readonly refusal: Refusal }
  | { readonly failure: "interrupted"; readonly message: string };

export type QueryEffects = {
  readonly "runs.sum_up": { readonly data: SummaryRequest; readonly result: SummaryResult };
};
