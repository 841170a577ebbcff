import { markedName, plainName, plainNumber } from "../../../contracts/spec/exact-json.ts";
import { isJsonObject } from "../traces/json.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import { FEEDBACK, type Feedback } from "./feedback.ts";

/** Most comments per key, newest first; all are available from the feedback itself. */
const MAX_COMMENTS = 20;

const NOTHING: ReadonlySet<string> = new Set();

/**
 * The feedback_stats of a row: keys of recorded feedback, and keys that were sent with the row. `dropped`:
 * keys whose feedback was deleted.
 */
export function feedbackStats(
  turn: Turn,
  workspace: Workspace,
  runId: string,
  rowStats: unknown,
  dropped: ReadonlySet<string> = NOTHING,
): unknown {
  const group = workspaceKey(workspace);
  if (dropped.size === 0 && turn.count(FEEDBACK, group, runId) === 0) return rowStats;
  const { feedback_per_run } = turn.ports.settings.limits;
  const recorded = turn.page(FEEDBACK, { group, label: runId, offset: 0, limit: feedback_per_run });
  const byKey = new Map<string, Feedback[]>();
  for (const feedback of recorded) {
    const list = byKey.get(feedback.key);
    if (list) list.push(feedback);
    else byKey.set(feedback.key, [feedback]);
  }
  const sentEntries = Object.entries(isJsonObject(rowStats) ? rowStats : {}).filter(
    ([key]) => !dropped.has(plainName(key)),
  );
  const stats = Object.fromEntries([
    ...sentEntries,
    ...[...byKey].map(([key, list]) => [markedName(key), statsOf(list)] as const),
  ]);
  return Object.keys(stats).length === 0 ? null : stats;
}

/** Statistics of one feedback key, as shown by a row: the number of feedbacks, the average score, and how often each text value occurs. */
function statsOf(list: readonly Feedback[]) {
  const scores = list.flatMap(({ score }) => (score === null ? [] : [Number(score)]));
  const values = new Map<string, number>();
  for (const { value } of list)
    if (typeof value === "string" && plainNumber(value) === value) {
      const name = markedName(value);
      values.set(name, (values.get(name) ?? 0) + 1);
    }
  const comments = list.flatMap(({ comment }) => (comment === null ? [] : [comment]));
  return {
    n: list.length,
    avg: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    values: Object.fromEntries(values),
    ...(comments.length > 0 && { comments: comments.slice(-MAX_COMMENTS) }),
  };
}
