import { Refusal } from "../../kernel/refusal.ts";
import { runSteps } from "../../kernel/steps.ts";
import type { PendingReply } from "../../kernel/turn.ts";
import { refusesColumns } from "../filters/parse.ts";
import { projectView } from "../projects/operations.ts";
import type { Project } from "../projects/projects.ts";
import type { Effect, Result, Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import type { PageForm, ProjectReply, SummaryForm, SummaryRequest } from "./events.ts";
import { readPage } from "./page.ts";
import { PAGE_BODIES, type PageBody, type PageFormat } from "./page-body.ts";
import { queryContextOf } from "./query-context.ts";
import { sessionsFor } from "./rows.ts";
import { readSelection, type SentNames, type SentSelection } from "./selection.ts";

/** Requests a summary of rows. It reads every selected row, which takes too long for a turn, hence the effect. */
export function requestSummary(
  turn: Turn,
  workspace: Workspace,
  sentSelection: SentSelection,
  form: SummaryForm,
  names?: SentNames,
): PendingReply {
  const selection = readSelection(sentSelection, refusesColumns(turn.ports.settings), names);
  const sessionIds = sessionsFor(queryContextOf(turn, workspace), selection);
  return requestEffect(turn, workspace, { sessionIds, sent: sentSelection, form });
}

/** Units of work that take about 50 ms. */
const MAX_UNITS_IN_TURN = 5_000_000;

/** Replies with a page of rows. If its filters take too long for a turn, an effect reads it. */
export function answerPage<Format extends PageFormat>(
  turn: Turn,
  workspace: Workspace,
  sentSelection: SentSelection,
  page: Omit<PageForm, "of"> & { readonly as: Format },
  names?: SentNames,
): PageBody<Format> | PendingReply {
  const { settings } = turn.ports;
  const selection = readSelection(sentSelection, refusesColumns(settings), names);
  const context = queryContextOf(turn, workspace);
  const done = runSteps(readPage(context, { ...page, selection }), MAX_UNITS_IN_TURN);
  if (!done) return requestSummary(turn, workspace, sentSelection, { of: "page", ...page }, names);
  return PAGE_BODIES[page.as](done.value, page.select, settings);
}

/** Requests the figures of the root rows of each project. */
export function requestProjectStats(
  turn: Turn,
  workspace: Workspace,
  projects: readonly Project[],
  as: ProjectReply,
): PendingReply {
  const sessionIds = projects.map(({ id }) => id);
  const form = { of: "projects", projects: projects.map(projectView), as } as const;
  return requestEffect(turn, workspace, { sessionIds, sent: { session: sessionIds, is_root: true }, form });
}

function requestEffect(
  turn: Turn,
  { region, tenant_id }: Workspace,
  request: Pick<SummaryRequest, "sessionIds" | "sent" | "form">,
): PendingReply {
  const pendingReply = turn.deferReply();
  const ref = String(pendingReply.number);
  turn.requestEffect({
    kind: "runs.sum_up",
    lane: `stats/${ref}`,
    ref,
    data: { replyNumber: pendingReply.number, workspace: { region, tenant_id }, ...request },
  });
  return pendingReply;
}

/** Handles the result of `runs.sum_up`: resolves the reply. */
export function onSummedUp(
  turn: Turn,
  { data: { replyNumber } }: Effect<"runs.sum_up">,
  result: Result<"runs.sum_up">,
): void {
  const interrupted = new Refusal(
    409,
    "interrupted",
    "The rows were removed while the statistics were computed.",
    "Send the request again.",
  );
  const failure = "refusal" in result ? result.refusal : interrupted;
  turn.resolveReply(replyNumber, "summary" in result ? result.summary : failure);
}
