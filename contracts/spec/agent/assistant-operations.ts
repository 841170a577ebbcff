import { boolean, listOf, optional, text } from "../fields.ts";
import type { Operation } from "../operation.ts";
import {
  assistant,
  assistantCreate,
  assistantGraph,
  assistantPart,
  assistantPatch,
  assistantSearch,
  assistantVersion,
  assistantVersionSearch,
} from "./assistant-resources.ts";
import { counted } from "./resources.ts";
import { REFUSED, REFUSED_BODY } from "./run-operations.ts";

const agent = { server: "agent", section: "4.8", requirements: ["4.8-3"], workspace: "optional" } as const;
const supporting = { ...agent, shown: false } as const;
const refusals = [...REFUSED, 404] as const;

const assistantPath = { assistant_id: text({ description: "An assistant's id, or the name of its graph." }) };

/** Assistants: a search for them is shown in use (§4.8). */
export const AGENT_ASSISTANT_OPERATIONS = {
  searchAssistants: {
    ...agent,
    summary: "Search for assistants.",
    method: "POST",
    path: "/assistants/search",
    access: "reads",
    body: assistantSearch,
    reply: { status: 200, body: listOf(assistantPart) },
    refusals: REFUSED_BODY,
    shown: true,
  },
  countAssistants: {
    ...supporting,
    summary: "Count assistants.",
    method: "POST",
    path: "/assistants/count",
    access: "reads",
    body: assistantSearch,
    reply: { status: 200, body: counted },
    refusals: REFUSED_BODY,
  },
  createAssistant: {
    ...supporting,
    summary: "Create an assistant from a graph of the server.",
    method: "POST",
    path: "/assistants",
    body: assistantCreate,
    reply: { status: 200, statusFrom: "agent.success_status", body: assistant },
    refusals: [...REFUSED_BODY, 404, 409],
  },
  getAssistant: {
    ...supporting,
    summary: "Read an assistant.",
    method: "GET",
    path: "/assistants/{assistant_id}",
    pathParameters: assistantPath,
    reply: { status: 200, body: assistant },
    refusals: refusals,
  },
  updateAssistant: {
    ...supporting,
    summary: "Change an assistant.",
    method: "PATCH",
    path: "/assistants/{assistant_id}",
    pathParameters: assistantPath,
    body: assistantPatch,
    reply: { status: 200, body: assistant },
    refusals: [...REFUSED_BODY, 404, 409],
  },
  deleteAssistant: {
    ...supporting,
    summary: "Delete an assistant; its runs stay.",
    method: "DELETE",
    path: "/assistants/{assistant_id}",
    pathParameters: assistantPath,
    query: {
      delete_threads: optional(
        boolean({ default: false, description: "Whether to delete the threads on which it was last used." }),
      ),
    },
    reply: { status: 204 },
    refusals: [...refusals, 409],
  },
  listAssistantVersions: {
    ...supporting,
    summary: "List the versions of an assistant, the newest first.",
    method: "POST",
    path: "/assistants/{assistant_id}/versions",
    pathParameters: assistantPath,
    access: "reads",
    body: assistantVersionSearch,
    reply: { status: 200, body: listOf(assistant) },
    refusals: [...REFUSED_BODY, 404],
  },
  setLatestAssistantVersion: {
    ...supporting,
    summary: "Make a version of an assistant its latest.",
    method: "POST",
    path: "/assistants/{assistant_id}/latest",
    pathParameters: assistantPath,
    body: assistantVersion,
    reply: { status: 200, body: assistant },
    refusals: [...REFUSED_BODY, 404, 409],
  },
  getAssistantGraph: {
    ...supporting,
    summary: "Read the nodes and edges of an assistant's graph.",
    method: "GET",
    path: "/assistants/{assistant_id}/graph",
    pathParameters: assistantPath,
    reply: { status: 200, body: assistantGraph },
    refusals: refusals,
  },
} as const satisfies Record<string, Operation>;
