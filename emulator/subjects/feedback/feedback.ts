import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { collection } from "../../kernel/table.ts";
import type { Reader, Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import type { FeedbackChange, FeedbackInput } from "./input.ts";

/** The rows that feedback is about; the draft of a request's rows is one. */
export interface FeedbackRows {
  row(runId: string): Readonly<Record<"trace_id" | "session_id", string>> | undefined;
  /** Has a row, if there is one, show the feedback that it has in the end; `dropped` is a key that it lost. */
  showFeedback(runId: string, dropped?: string): void;
}

/** What somebody or something thought of a row. */
export interface Feedback extends Workspace, Omit<FeedbackInput, "id" | "created_at"> {
  readonly id: string;
  readonly created_at: string;
  readonly modified_at: string;
}

/** How many pieces of feedback one row may have: each one sums all of them up anew. */
export const FEEDBACK_PER_RUN_MAX = 10_000;

/** Feedback by workspace, labelled with its run; without one the label is empty. */
export const FEEDBACK = collection<Feedback>(
  "feedback",
  (feedback) => `${workspaceKey(feedback)}/${feedback.id}`,
  workspaceKey,
  ({ run_id }) => run_id ?? "",
);

/** Throws a `Refusal` (404) when the workspace has none of this id. */
export function feedbackById(reader: Reader, workspace: Workspace, id: string): Feedback {
  const found = reader.get(FEEDBACK, `${workspaceKey(workspace)}/${id.toLowerCase()}`);
  if (!found) throw new Refusal(404, "not_found", `No feedback ${id} in this workspace.`);
  return found;
}

/** Throws a `Refusal` (422) when the run has as many feedbacks as it may have. */
export function refuseTooMuch(turn: Turn, workspace: Workspace, { run_id }: FeedbackInput): void {
  if (run_id !== null && turn.count(FEEDBACK, workspaceKey(workspace), run_id) >= FEEDBACK_PER_RUN_MAX)
    throw new Refusal(
      422,
      "too_much_feedback",
      `The run ${run_id} has ${FEEDBACK_PER_RUN_MAX} feedbacks already.`,
    );
}

/** Keeps feedback, in the place of the one with its id, and has its row show it. */
export function recordFeedback(
  turn: Turn,
  workspace: Workspace,
  input: FeedbackInput,
  rows: FeedbackRows,
): Feedback {
  const now = formatInstant(turn.now);
  const id = input.id ?? turn.nextId("feedback");
  const before = turn.get(FEEDBACK, `${workspaceKey(workspace)}/${id}`);
  const { region, tenant_id } = workspace;
  const run = input.run_id === null ? undefined : rows.row(input.run_id);
  const feedback: Feedback = {
    region,
    tenant_id,
    ...input,
    id,
    trace_id: input.trace_id ?? run?.trace_id ?? null,
    session_id: input.session_id ?? run?.session_id ?? null,
    created_at: before?.created_at ?? input.created_at ?? now,
    modified_at: now,
  };
  turn.put(FEEDBACK, feedback);
  if (before?.run_id && (before.run_id !== feedback.run_id || before.key !== feedback.key))
    rows.showFeedback(before.run_id, before.key);
  if (feedback.run_id) rows.showFeedback(feedback.run_id);
  return feedback;
}

/** Members that the change leaves out stay; the run's row shows the change once the draft is written. */
export function changeFeedback(
  turn: Turn,
  feedback: Feedback,
  change: FeedbackChange,
  rows: FeedbackRows,
): Feedback {
  const changed = { ...feedback, ...change, modified_at: formatInstant(turn.now) };
  turn.put(FEEDBACK, changed);
  if (changed.run_id) rows.showFeedback(changed.run_id);
  return changed;
}

/** The run's row no longer counts it once the draft is written. */
export function deleteFeedback(turn: Turn, feedback: Feedback, rows: FeedbackRows): void {
  turn.remove(FEEDBACK, `${workspaceKey(feedback)}/${feedback.id}`);
  if (feedback.run_id) rows.showFeedback(feedback.run_id, feedback.key);
}
