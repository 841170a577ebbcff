import type { Handlers } from "../../handler.ts";
import { dressed, type Following, following } from "../../reply.ts";
import { createRun, createRuns, type RunCreateBody } from "../create-run.ts";
import type { Follow } from "../follow.ts";
import type { AgentRun } from "../records.ts";
import { BEFORE_ALL } from "../stream.ts";
import { runView } from "../view.ts";

type Rows =
  | "createThreadRun"
  | "streamThreadRun"
  | "waitThreadRun"
  | "streamStatelessRun"
  | "waitStatelessRun"
  | "createStatelessRun"
  | "createStatelessRuns";

/** Operations that start runs (§4.8): in the background, with their stream, or until their end. */
export const AGENT_START_HANDLERS: Pick<Handlers, Rows> = {
  createThreadRun(turn, { workspace, path, body }) {
    const run = createRun(turn, workspace, { threadId: path.thread_id, body });
    return dressed(runView(turn.ports.settings, run), { "content-location": onThread(run) });
  },

  createStatelessRun(turn, { workspace, body }) {
    const run = createRun(turn, workspace, { threadId: null, body });
    return dressed(runView(turn.ports.settings, run), { "content-location": `/runs/${run.run_id}` });
  },

  createStatelessRuns(turn, { workspace, body }) {
    return createRuns(turn, workspace, body).map((run) => runView(turn.ports.settings, run));
  },

  streamThreadRun(turn, { workspace, path, body }) {
    const run = createRun(turn, workspace, { threadId: path.thread_id, body });
    return followed(run, body, "stream", {
      location: `${onThread(run)}/stream`,
      "content-location": onThread(run),
    });
  },

  streamStatelessRun(turn, { workspace, body }) {
    const run = createRun(turn, workspace, { threadId: null, body });
    const place = `/runs/${run.run_id}`;
    return followed(run, body, "stream", { location: `${place}/stream`, "content-location": place });
  },

  waitThreadRun(turn, { workspace, path, body }) {
    const run = createRun(turn, workspace, { threadId: path.thread_id, body });
    return followed(run, body, "outcome", {
      location: `${onThread(run)}/join`,
      "content-location": onThread(run),
    });
  },

  waitStatelessRun(turn, { workspace, body }) {
    const run = createRun(turn, workspace, { threadId: null, body });
    return followed(run, body, "outcome", {
      location: `${onThread(run)}/join`,
      "content-location": onThread(run),
    });
  },
};

/** The place of a run, in the plural: clients find the ids in it. */
export function onThread({ thread_id, run_id }: Pick<AgentRun, "thread_id" | "run_id">): string {
  return `/threads/${thread_id}/runs/${run_id}`;
}

function followed(
  run: AgentRun,
  body: RunCreateBody,
  as: Follow["as"],
  headers: Record<string, string>,
): Following {
  const onDisconnect = body.on_disconnect ?? "continue";
  return following(
    { runId: run.run_id, as, modes: run.stream_modes, after: BEFORE_ALL, onDisconnect },
    headers,
  );
}
