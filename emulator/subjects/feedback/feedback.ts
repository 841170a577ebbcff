import { printExact } from "../../../contracts/spec/exact-json.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { collection } from "../../kernel/table.ts";
import type { Reader, Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import type { FeedbackChange, FeedbackInput } from "./input.ts";

/** The rows that feedback refers to; implemented by the draft of a request's rows. */
export interface FeedbackRows {
  row(runId: string): Readonly<Record<"trace_id" | "session_id", string>> | undefined;
  /** Recomputes a row's feedback_stats on `write`; `dropped` is a key whose feedback was deleted. */
  showFeedback(runId: string, dropped?: string): void;
}

/** Feedback on a row or a project. */
export interface Feedback extends Workspace, Omit<FeedbackInput, "id" | "created_at"> {
  readonly id: string;
  readonly created_at: string;
  readonly modified_at: string;
}

/** Feedback by workspace, labelled with its run id, or empty for feedback on a project. */
export const FEEDBACK = collection<Feedback>(
  "feedback",
  (feedback) => `${workspaceKey(feedback)}/${feedback.id}`,
  workspaceKey,
  ({ run_id }) => run_id ?? "",
);

/** Feedback in wire form. */
export function feedbackView({ region: _region, tenant_id: _tenant, ...view }: Feedback) {
  return view;
}

/** The feedback of a project as a JSON list for each row, also feedback that arrived before its row. */
export function feedbackLists(
  reader: Reader,
  workspace: Workspace,
  sessionId: string,
): ReadonlyMap<string, string> {
  const lists = new Map<string, string[]>();
  for (const feedback of reader.list(FEEDBACK, workspaceKey(workspace))) {
    const { run_id, session_id } = feedback;
    if (run_id === null || (session_id !== null && session_id !== sessionId)) continue;
    const list = lists.get(run_id) ?? [];
    lists.set(run_id, list);
    list.push(printExact(feedbackView(feedback)));
  }
  return new Map([...lists].map(([runId, list]) => [runId, `[${list.join()}]`]));
}

/** Throws a `Refusal` (404) when the workspace has no feedback with this id. */
export function feedbackById(reader: Reader, workspace: Workspace, id: string): Feedback {
  const feedback = reader.get(FEEDBACK, `${workspaceKey(workspace)}/${id.toLowerCase()}`);
  if (!feedback) throw new Refusal(404, "not_found", `Feedback ${id} does not exist in this workspace.`);
  return feedback;
}

/** Throws a `Refusal` (422) when the run already has `limits.feedback_per_run` entries. */
export function refuseTooMuch(turn: Turn, workspace: Workspace, { run_id }: FeedbackInput): void {
  const { feedback_per_run } = turn.ports.settings.limits;
  if (run_id !== null && turn.count(FEEDBACK, workspaceKey(workspace), run_id) >= feedback_per_run)
    throw new Refusal(
      422,
      "too_much_feedback",
      `Run ${run_id} already has ${feedback_per_run} feedback entries.`,
      "Raise limits.feedback_per_run, or delete entries first.",
    );
}

/** Stores feedback, replacing any with the same id, and updates its row's statistics. */
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

/** Updates the members that were sent; the row's statistics change when the draft is written. */
export function changeFeedback(
  turn: Turn,
  feedback: Feedback,
  change: FeedbackChange,
  rows: FeedbackRows,
): Feedback {
  const changedFeedback = { ...feedback, ...change, modified_at: formatInstant(turn.now) };
  turn.put(FEEDBACK, changedFeedback);
  if (changedFeedback.run_id) rows.showFeedback(changedFeedback.run_id);
  return changedFeedback;
}

/** Deletes feedback; the row's statistics change when the draft is written. */
export function deleteFeedback(turn: Turn, feedback: Feedback, rows: FeedbackRows): void {
  turn.remove(FEEDBACK, `${workspaceKey(feedback)}/${feedback.id}`);
  if (feedback.run_id) rows.showFeedback(feedback.run_id, feedback.key);
}
