import type { BodyOf } from "../../../../contracts/spec/operations.ts";
import type { Handlers } from "../../handler.ts";
import { replyWithHeaders, streamReply } from "../../reply.ts";
import type { Turn } from "../../turn.ts";
import { type Workspace, workspaceKey } from "../../workspace.ts";
import { latestCheckpoint } from "../checkpoints.ts";
import { THREADS, type Thread, threadKey } from "../records.ts";
import { deleteThread } from "../run-lifecycle.ts";
import { pageOf, selected } from "../search.ts";
import { currentState, history, includesMembers, stateAt, updateState } from "../state.ts";
import { addSupersteps, requireSupersteps } from "../supersteps.ts";
import { keepLatestState } from "../thread-expiry.ts";
import { copyThread, createThread, requireThread, threadById, updateThread } from "../threads.ts";
import { checkpointOf, stateView, threadView } from "../view.ts";

/** Handlers of threads and their state (§2.2). */
export const AGENT_THREAD_HANDLERS = {
  createThread(turn, { workspace, body }) {
    requireSupersteps(turn, body);
    const existingThread = body.thread_id ? threadById(turn, workspace, body.thread_id) : undefined;
    const thread = createThread(turn, workspace, body);
    return threadView(
      turn,
      existingThread || !body.supersteps ? thread : addSupersteps(turn, thread, body.supersteps),
    );
  },

  searchThreads(turn, { workspace, body }) {
    const threads = threadsLike(turn, workspace, body);
    const isByState = body.sort_by === "state_updated_at";
    const withStateTime = (thread: Thread) => {
      const state_updated_at = latestCheckpoint(turn, thread)?.created_at ?? thread.updated_at;
      return { ...thread, state_updated_at };
    };
    const { items, headers } = pageOf(isByState ? threads.map(withStateTime) : threads, body);
    return replyWithHeaders(
      items.map((thread) => selected(threadView(turn, thread), body.select)),
      headers,
    );
  },

  countThreads: (turn, { workspace, body }) => threadsLike(turn, workspace, body).length,

  getThread: (turn, { workspace, path }) => threadView(turn, requireThread(turn, workspace, path.thread_id)),

  updateThread(turn, { workspace, path, body }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    return threadView(turn, updateThread(turn, thread, body));
  },

  deleteThread(turn, { workspace, path }) {
    deleteThread(turn, requireThread(turn, workspace, path.thread_id));
    return undefined;
  },

  pruneThreads(turn, { workspace, body }) {
    const ids = new Set(body.thread_ids.map((id) => id.toLowerCase()));
    const threads = [...ids].flatMap((id) => threadById(turn, workspace, id) ?? []);
    const prune = body.strategy === "keep_latest" ? keepLatestState : deleteThread;
    for (const thread of threads) prune(turn, thread);
    return { pruned_count: threads.length };
  },

  streamThread(turn, { workspace, path, query, headers }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    const modes = query.stream_mode ?? (["run_modes"] as const);
    const lastEventId = headers["last-event-id"];
    return streamReply(
      { as: "thread", thread: threadKey(thread, thread.thread_id), modes, lastEventId },
      { location: `/threads/${thread.thread_id}/stream` },
    );
  },

  copyThread(turn, { workspace, path }) {
    return threadView(turn, copyThread(turn, requireThread(turn, workspace, path.thread_id)));
  },

  getThreadState(turn, { workspace, path }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    return stateView(turn.ports.settings, thread, currentState(turn, thread));
  },

  getThreadStateAt(turn, { workspace, path }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    return stateView(turn.ports.settings, thread, stateAt(turn, thread, path.checkpoint_id));
  },

  findThreadState(turn, { workspace, path, body }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    return stateView(turn.ports.settings, thread, stateAt(turn, thread, body.checkpoint.checkpoint_id));
  },

  updateThreadState(turn, { workspace, path, body }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    const { checkpoint_id } = updateState(turn, thread, body);
    const checkpoint = checkpointOf(thread, checkpoint_id);
    return { checkpoint, configurable: checkpoint };
  },

  patchThreadState(turn, { workspace, path, body }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    return threadView(turn, updateThread(turn, thread, { metadata: body.metadata }));
  },

  listThreadHistory(turn, { workspace, path, query }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    return history(turn, thread, query).map((state) => stateView(turn.ports.settings, thread, state));
  },

  searchThreadHistory(turn, { workspace, path, body }) {
    const thread = requireThread(turn, workspace, path.thread_id);
    return history(turn, thread, body).map((state) => stateView(turn.ports.settings, thread, state));
  },
} satisfies Partial<Handlers>;

function threadsLike(turn: Turn, workspace: Workspace, search: BodyOf<"searchThreads">): readonly Thread[] {
  const { ids, status, metadata, values } = search;
  const requestedIds = ids && new Set(ids.map((id) => id.toLowerCase()));
  const [hasMetadata, hasValues] = [includesMembers(metadata ?? {}), includesMembers(values)];
  return [...turn.list(THREADS, workspaceKey(workspace))].filter(
    (thread) =>
      (!requestedIds || requestedIds.has(thread.thread_id)) &&
      (status == null || thread.status === status) &&
      hasMetadata(thread.metadata) &&
      (values == null || hasValues(latestCheckpoint(turn, thread)?.values ?? {})),
  );
}
