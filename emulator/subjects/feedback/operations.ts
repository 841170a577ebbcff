import { invalidRequest } from "../../kernel/refusal.ts";
import type { Handlers } from "../handler.ts";
import { createDraft } from "../traces/draft.ts";
import { page } from "../views.ts";
import { workspaceKey } from "../workspace.ts";
import {
  changeFeedback,
  deleteFeedback,
  FEEDBACK,
  feedbackById,
  feedbackView,
  recordFeedback,
  refuseTooMuch,
} from "./feedback.ts";
import { type FeedbackChange, readFeedback } from "./input.ts";

/** Handlers of the feedback operations. */
export const FEEDBACK_HANDLERS = {
  createFeedback(turn, { workspace, body }) {
    const parseResult = readFeedback(body, "body");
    if ("problems" in parseResult) throw invalidRequest(parseResult.problems.join("; "));
    refuseTooMuch(turn, workspace, parseResult.input);
    const draft = createDraft(turn, workspace);
    const feedback = recordFeedback(turn, workspace, parseResult.input, draft);
    draft.write();
    return feedbackView(feedback);
  },

  listFeedback(turn, { workspace, query }) {
    const group = workspaceKey(workspace);
    const runs = query.run?.map((id) => id.toLowerCase());
    const sessions = query.session?.map((id) => id.toLowerCase());
    const among = runs
      ? runs.flatMap((label) =>
          turn.page(FEEDBACK, { group, label, offset: 0, limit: Number.MAX_SAFE_INTEGER }),
        )
      : [...turn.list(FEEDBACK, group)];
    const matchingFeedback = among.filter(
      ({ key, session_id, feedback_source }) =>
        (!query.key || query.key.includes(key)) &&
        (!sessions || (session_id !== null && sessions.includes(session_id))) &&
        (!query.source || query.source.includes(String(feedback_source?.type))),
    );
    return page(matchingFeedback, query.limit ?? 100, query.offset).map(feedbackView);
  },

  readFeedback: (turn, { workspace, path }) => feedbackView(feedbackById(turn, workspace, path.feedback_id)),

  updateFeedback(turn, { workspace, path, body }) {
    const before = feedbackById(turn, workspace, path.feedback_id);
    const parseResult = readFeedback({ ...feedbackView(before), ...body }, "body");
    if ("problems" in parseResult) throw invalidRequest(parseResult.problems.join("; "));
    const { score, value, comment, correction } = parseResult.input;
    const change: FeedbackChange = { score, value, comment, correction };
    const draft = createDraft(turn, workspace);
    const changedFeedback = changeFeedback(turn, before, change, draft);
    draft.write();
    return feedbackView(changedFeedback);
  },

  deleteFeedback(turn, { workspace, path }) {
    const draft = createDraft(turn, workspace);
    deleteFeedback(turn, feedbackById(turn, workspace, path.feedback_id), draft);
    draft.write();
    return {};
  },
} satisfies Partial<Handlers>;
