import { invalidRequest, Refusal } from "../../../kernel/refusal.ts";
import type { Handlers, RequestOf } from "../../handler.ts";
import { lastingView } from "../../lasting-view.ts";
import { type StreamReply, streamReply } from "../../reply.ts";
import type { Reader, Turn } from "../../turn.ts";
import { type Workspace, workspaceKey } from "../../workspace.ts";
import { cancelRun, stopRuns } from "../cancel.ts";
import type { Plan } from "../plan.ts";
import { type AgentRun, RUNS, THREADS, threadKey } from "../records.ts";
import { activeRuns, deleteRun, isActive } from "../run-lifecycle.ts";
import { currentPosition, findRun, type RunSubscription } from "../run-subscription.ts";
import { positionOf, STREAM_START } from "../stream.ts";
import { requireRun, requireThread } from "../threads.ts";
import { runView } from "../view.ts";
import { threadRunPath } from "./starts.ts";

/** Handlers that read, stream and cancel runs (§4.1, §3.2). */
export const AGENT_RUN_HANDLERS = {
  listThreadRuns(turn, { workspace, path, query }) {
    const { settings } = turn.ports;
    const thread = requireThread(turn, workspace, path.thread_id);
    const runs = turn.page(RUNS, {
      group: threadKey(thread, thread.thread_id),
      ...(query.status && { label: query.status }),
      offset: query.offset ?? 0,
      limit: query.limit ?? 10,
      newestFirst: settings.assumptions["agent.list_order"] === "newest first",
    });
    const views = runs.map((run) => lastingView(settings, run, () => runView(settings, run)));
    const { select } = query;
    return select ? views.map((view) => Object.fromEntries(select.map((name) => [name, view[name]]))) : views;
  },

  getThreadRun(turn, { workspace, path }) {
    return runView(turn.ports.settings, requireRun(turn, workspace, path.thread_id, path.run_id));
  },

  joinThreadRun(turn, { workspace, path, query }) {
    const run = requireVisibleRun(turn, workspace, path.run_id, path.thread_id);
    return streamReply(outcomeOf(run, query.cancel_on_disconnect === true), locationHeaders(run, "join"));
  },

  streamJoinedRun(turn, { workspace, path, query, headers }) {
    return streamOf(turn, requireVisibleRun(turn, workspace, path.run_id, path.thread_id), query, headers);
  },

  streamJoinedStatelessRun(turn, { workspace, path, query, headers }) {
    return streamOf(turn, requireVisibleRun(turn, workspace, path.run_id), query, headers);
  },

  cancelThreadRun(turn, { workspace, path, query }) {
    const run = requireRun(turn, workspace, path.thread_id, path.run_id);
    cancelRun(turn, run, query.action ?? "interrupt");
    return query.wait ? streamReply(outcomeOf(run, false), {}) : undefined;
  },

  cancelRuns(turn, { workspace, query, body }) {
    const { status, thread_id, run_ids } = body;
    if (status == null && run_ids == null)
      throw invalidRequest("body: either status or run_ids is required.");
    const candidates =
      run_ids != null ? namedRuns(turn, workspace, run_ids) : runsOf(turn, workspace, thread_id);
    const selectedRuns = candidates.filter(
      (run) =>
        isActive(run) &&
        (thread_id == null || run.thread_id === thread_id.toLowerCase()) &&
        (status == null || status === "all" || run.status === status),
    );
    if (selectedRuns.length === 0) throw new Refusal(404, "not_found", "No runs found to cancel.");
    stopRuns(turn, selectedRuns, query.action ?? "interrupt");
    return undefined;
  },

  deleteThreadRun(turn, { workspace, path }) {
    deleteRun(turn, requireRun(turn, workspace, path.thread_id, path.run_id));
    return undefined;
  },
} satisfies Partial<Handlers>;

/** The run, or the retained plan of a removed run. Throws a `Refusal` (404). */
function requireVisibleRun(
  reader: Reader,
  workspace: Workspace,
  runId: string,
  threadId?: string,
): AgentRun | Plan {
  const run = findRun(reader, workspace, runId, threadId);
  if (!run) throw new Refusal(404, "not_found", `Run with ID ${runId} not found`);
  return run;
}

function outcomeOf({ run_id }: AgentRun | Plan, cancels: boolean): RunSubscription {
  return {
    runId: run_id,
    as: "outcome",
    modes: [],
    after: STREAM_START,
    onDisconnect: cancels ? "cancel" : "continue",
  };
}

function streamOf(
  turn: Turn,
  run: AgentRun | Plan,
  query: RequestOf<"streamJoinedRun">["query"],
  headers: Readonly<Record<string, string | undefined>>,
): StreamReply {
  const lastId = headers["last-event-id"];
  const modes = query.stream_mode ?? ("stream_modes" in run ? run.stream_modes : (["values"] as const));
  const after = lastId === undefined ? currentPosition(turn, run.run_id) : positionOf(lastId);
  const onDisconnect = query.cancel_on_disconnect ? "cancel" : "continue";
  return streamReply(
    { runId: run.run_id, as: "stream", modes, after, onDisconnect },
    locationHeaders(run, "stream"),
  );
}

function locationHeaders(run: AgentRun | Plan, last: string): Readonly<Record<string, string>> {
  return { location: `${threadRunPath(run)}/${last}`, "content-location": threadRunPath(run) };
}

function namedRuns(reader: Reader, workspace: Workspace, ids: readonly string[]): readonly AgentRun[] {
  const runs = ids.flatMap((id) => reader.get(RUNS, id.toLowerCase()) ?? []);
  return runs.filter((run) => workspaceKey(run) === workspaceKey(workspace));
}

/** Active runs of one thread, or of all threads of the workspace. */
function runsOf(
  reader: Reader,
  workspace: Workspace,
  threadId: string | null | undefined,
): readonly AgentRun[] {
  if (threadId != null) return activeRuns(reader, threadKey(workspace, threadId.toLowerCase()));
  const threads = [...reader.list(THREADS, workspaceKey(workspace))].filter(
    ({ status }) => status === "busy",
  );
  return threads.flatMap((thread) => activeRuns(reader, threadKey(thread, thread.thread_id)));
}
