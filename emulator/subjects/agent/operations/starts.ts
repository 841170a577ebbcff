import type { Handlers } from "../../handler.ts";
import { replyWithHeaders, type StreamReply, streamReply } from "../../reply.ts";
import { createRun, createRuns } from "../create-run.ts";
import type { AgentRun } from "../records.ts";
import type { RunCreateBody } from "../run-checks.ts";
import type { RunSubscription } from "../run-subscription.ts";
import { STREAM_START } from "../stream.ts";
import { runView } from "../view.ts";

/** Handlers that create runs (§4.8): in the background, streaming, or waiting for the result. */
export const AGENT_START_HANDLERS = {
  createThreadRun(turn, { workspace, path, body }) {
    const run = createRun(turn, workspace, { threadId: path.thread_id, body });
    return replyWithHeaders(runView(turn.ports.settings, run), { "content-location": threadRunPath(run) });
  },

  createStatelessRun(turn, { workspace, body }) {
    const run = createRun(turn, workspace, { threadId: null, body });
    return replyWithHeaders(runView(turn.ports.settings, run), { "content-location": `/runs/${run.run_id}` });
  },

  createStatelessRuns(turn, { workspace, body }) {
    return createRuns(turn, workspace, body).map((run) => runView(turn.ports.settings, run));
  },

  streamThreadRun(turn, { workspace, path, body }) {
    const run = createRun(turn, workspace, { threadId: path.thread_id, body });
    return streamOf(run, body, "stream");
  },

  streamStatelessRun(turn, { workspace, body }) {
    const run = createRun(turn, workspace, { threadId: null, body });
    return streamOf(run, body, "stream", `/runs/${run.run_id}`);
  },

  waitThreadRun(turn, { workspace, path, body }) {
    const run = createRun(turn, workspace, { threadId: path.thread_id, body });
    return streamOf(run, body, "outcome");
  },

  waitStatelessRun(turn, { workspace, body }) {
    const run = createRun(turn, workspace, { threadId: null, body });
    return streamOf(run, body, "outcome");
  },
} satisfies Partial<Handlers>;

/** Location of a run. The path uses the plural `runs`, from which clients read the ids. */
export function threadRunPath({ thread_id, run_id }: Pick<AgentRun, "thread_id" | "run_id">): string {
  return `/threads/${thread_id}/runs/${run_id}`;
}

function streamOf(
  run: AgentRun,
  body: RunCreateBody,
  as: RunSubscription["as"],
  path = threadRunPath(run),
): StreamReply {
  const onDisconnect = body.on_disconnect ?? "continue";
  return streamReply(
    { runId: run.run_id, as, modes: run.stream_modes, after: STREAM_START, onDisconnect },
    { location: `${path}/${as === "stream" ? "stream" : "join"}`, "content-location": path },
  );
}
