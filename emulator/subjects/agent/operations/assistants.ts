import type { BodyOf } from "../../../../contracts/spec/operations.ts";
import type { Handlers } from "../../handler.ts";
import { replyWithHeaders } from "../../reply.ts";
import type { Turn } from "../../turn.ts";
import { type Workspace, workspaceKey } from "../../workspace.ts";
import { versionsOf } from "../assistant-versions.ts";
import {
  assistantsOf,
  behaviourOf,
  createAssistant,
  deleteAssistant,
  resolveAssistant,
  setLatestVersion,
  updateAssistant,
} from "../assistants.ts";
import { nodeNames } from "../behaviours.ts";
import { type Assistant, THREADS } from "../records.ts";
import { deleteThread } from "../run-lifecycle.ts";
import { pageFrom, pageOf, selected } from "../search.ts";
import { includesMembers } from "../state.ts";
import { assistantView } from "../view.ts";

/** Handlers of the assistant operations (§4.8). */
export const AGENT_ASSISTANT_HANDLERS = {
  searchAssistants(turn, { workspace, body }) {
    const { items, headers } = pageOf(assistantsLike(turn, workspace, body), body);
    const views = items.map((assistant) => assistantView(turn.ports.settings, assistant));
    return replyWithHeaders(
      views.map((view) => selected(view, body.select)),
      headers,
    );
  },

  countAssistants: (turn, { workspace, body }) => assistantsLike(turn, workspace, body).length,

  createAssistant(turn, { workspace, body }) {
    return assistantView(turn.ports.settings, createAssistant(turn, workspace, body));
  },

  getAssistant(turn, { workspace, path }) {
    return assistantView(turn.ports.settings, resolveAssistant(turn, workspace, path.assistant_id));
  },

  updateAssistant(turn, { workspace, path, body }) {
    return assistantView(turn.ports.settings, updateAssistant(turn, workspace, path.assistant_id, body));
  },

  deleteAssistant(turn, { workspace, path, query }) {
    const { assistant_id } = deleteAssistant(turn, workspace, path.assistant_id);
    if (!query.delete_threads) return undefined;
    const threads = [...turn.list(THREADS, workspaceKey(workspace))];
    for (const thread of threads)
      if (thread.metadata.assistant_id === assistant_id) deleteThread(turn, thread);
    return undefined;
  },

  listAssistantVersions(turn, { workspace, path, body }) {
    const hasMetadata = includesMembers(body.metadata ?? {});
    const assistant = resolveAssistant(turn, workspace, path.assistant_id);
    const versions = versionsOf(turn, assistant).filter(({ metadata }) => hasMetadata(metadata));
    const { items, headers } = pageFrom(versions, body.limit ?? 10, body.offset ?? 0);
    return replyWithHeaders(
      items.map((version) => assistantView(turn.ports.settings, version)),
      headers,
    );
  },

  setLatestAssistantVersion(turn, { workspace, path, body }) {
    const latest = setLatestVersion(turn, workspace, path.assistant_id, body.version);
    return assistantView(turn.ports.settings, latest);
  },

  getAssistantGraph(turn, { workspace, path }) {
    const { graph_id } = resolveAssistant(turn, workspace, path.assistant_id);
    const nodes = ["__start__", ...nodeNames(behaviourOf(turn.ports.settings, graph_id)), "__end__"];
    return {
      nodes: nodes.map((id) => ({ id, type: id.startsWith("__") ? "schema" : "runnable", data: id })),
      edges: nodes.slice(1).map((target, index) => ({ source: nodes[index], target })),
    };
  },
} satisfies Partial<Handlers>;

function assistantsLike(
  turn: Turn,
  workspace: Workspace,
  search: BodyOf<"searchAssistants">,
): readonly Assistant[] {
  const { graph_id, metadata } = search;
  const hasMetadata = includesMembers(metadata ?? {});
  const name = search.name?.toLowerCase();
  return assistantsOf(turn, workspace).filter(
    (assistant) =>
      (graph_id == null || assistant.graph_id === graph_id) &&
      (name == null || assistant.name.toLowerCase().includes(name)) &&
      hasMetadata(assistant.metadata),
  );
}
