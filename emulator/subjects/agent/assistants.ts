import { createHash } from "node:crypto";
import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { parseInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { type AgentGraph, GRAPH_BEHAVIOURS, type GraphBehaviour, type Settings } from "../settings.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import { nextVersion, removeVersions, storeVersion, versionsOf } from "./assistant-versions.ts";
import { requireAssistantCapacity, requireMetadataSize, requireRecursionLimit } from "./capacity.ts";
import { ASSISTANTS, type Assistant, assistantKey } from "./records.ts";

/** System assistants belong to no workspace and are visible in every workspace. */
const NIL_NAMESPACE: Workspace = { region: "", tenant_id: "" };

/** UUIDv5 namespace from which the public service derives assistant ids of graph names. */
const GRAPH_NAMESPACE = "6ba7b8219dad11d180b400c04fd430c8";

/** Creation time of system assistants; earlier than any record of a world, so that they sort first. */
const SYSTEM_SINCE = parseInstant("2025-01-01T00:00:00Z") ?? 0;

const DESCRIPTIONS: Readonly<Record<GraphBehaviour, string>> = {
  echo: "Answers with its input.",
  agent: "Calls a tool and answers with its result.",
  slow: "Takes ten seconds of virtual time.",
  failing: "Fails.",
  interrupting: "Interrupts the run with a question and continues when it is resumed.",
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id of a graph's system assistant: a UUIDv5 of the graph's name. */
export function systemAssistantId(graphId: string): string {
  const hash = createHash("sha1").update(GRAPH_NAMESPACE, "hex").update(graphId).digest("hex");
  const variant = ((Number.parseInt(hash.charAt(16), 16) & 3) | 8).toString(16);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `5${hash.slice(13, 16)}`, variant + hash.slice(17, 20)];
  return [...parts, hash.slice(20, 32)].join("-");
}

/** All graphs: built-in and configured; a configured graph replaces the built-in of the same name. */
export function graphsOf({ agent }: Pick<Settings, "agent">): readonly AgentGraph[] {
  const configured = new Set(agent.assistants.map(({ graph_id }) => graph_id));
  const builtIn = GRAPH_BEHAVIOURS.filter((name) => !configured.has(name));
  return [
    ...builtIn.map((name) => ({ graph_id: name, like: name, description: DESCRIPTIONS[name] })),
    ...agent.assistants,
  ];
}

export function behaviourOf(settings: Pick<Settings, "agent">, graphId: string): GraphBehaviour {
  return graphsOf(settings).find(({ graph_id }) => graph_id === graphId)?.like ?? "echo";
}

export function isSystem(assistant: Assistant): boolean {
  return assistant.region === NIL_NAMESPACE.region;
}

/** All assistants that a workspace can run: system assistants and its own. */
export function assistantsOf(turn: Turn, workspace: Workspace): readonly Assistant[] {
  return [...systemAssistants(turn.ports.settings), ...turn.list(ASSISTANTS, workspaceKey(workspace))];
}

/**
 * The assistant with this id, or the system assistant of the graph with this name. Throws a `Refusal` (404
 * for an unknown id, the status of the assumption `agent.unknown_graph` for any other unknown name).
 */
export function resolveAssistant(
  turn: Turn,
  workspace: Workspace,
  idOrGraph: string,
  where?: string,
): Assistant {
  const { settings } = turn.ports;
  const system = systemAssistants(settings).find(({ graph_id }) => graph_id === idOrGraph);
  if (system) return system;
  const id = idOrGraph.toLowerCase();
  const assistant = assistantById(turn, workspace, id);
  if (assistant) return assistant;
  const status = UUID.test(id) ? 404 : (settings.assumptions["agent.unknown_graph"] as number);
  throw unknownAssistant(settings, idOrGraph, status, where === undefined ? "" : `${where}.`);
}

function unknownAssistant(settings: Settings, idOrGraph: string, status: number, inside: string): Refusal {
  return new Refusal(
    status,
    "not_found",
    `${inside}assistant_id: no assistant or graph has the name ${idOrGraph.slice(0, 100)}.`,
    graphsHint(settings),
  );
}

function graphsHint(settings: Settings): string {
  const names = graphsOf(settings).map(({ graph_id }) => `"${graph_id}"`);
  return `The graphs are ${names.join(", ")}. Add others under agent.assistants in the configuration file.`;
}

export function assistantById(turn: Turn, workspace: Workspace, id: string): Assistant | undefined {
  const existingAssistant = turn.get(ASSISTANTS, `${workspaceKey(workspace)}/${id}`);
  if (existingAssistant) return existingAssistant;
  return systemAssistants(turn.ports.settings).find(({ assistant_id }) => assistant_id === id);
}

const SYSTEM_ASSISTANTS = new WeakMap<Settings, readonly Assistant[]>();

/** Computed once per settings, since every request needs them. */
function systemAssistants(settings: Settings): readonly Assistant[] {
  const cached = SYSTEM_ASSISTANTS.get(settings);
  if (cached) return cached;
  const assistants = graphsOf(settings).map(systemAssistant);
  SYSTEM_ASSISTANTS.set(settings, assistants);
  return assistants;
}

function systemAssistant({ graph_id, name, description }: AgentGraph): Assistant {
  return {
    ...NIL_NAMESPACE,
    assistant_id: systemAssistantId(graph_id),
    graph_id,
    name: name ?? graph_id,
    description: description ?? null,
    config: {},
    context: {},
    metadata: { created_by: "system" },
    version: 1,
    created_at: SYSTEM_SINCE,
    updated_at: SYSTEM_SINCE,
  };
}

export function createAssistant(
  turn: Turn,
  workspace: Workspace,
  input: BodyOf<"createAssistant">,
): Assistant {
  requireGraph(turn, input.graph_id);
  const id = input.assistant_id?.toLowerCase();
  const existing =
    id !== undefined && assistantsOf(turn, workspace).find(({ assistant_id }) => assistant_id === id);
  if (existing && input.if_exists === "do_nothing") return existing;
  if (existing) throw new Refusal(409, "conflict", `assistant_id: assistant ${id} exists already.`);
  requireAssistantCapacity(turn, workspace);
  requireMetadataSize(turn, input);
  requireRecursionLimit(input.config, "body.config");
  const assistant: Assistant = {
    ...workspace,
    assistant_id: id ?? turn.nextId("assistant"),
    graph_id: input.graph_id,
    name: input.name ?? "Untitled",
    description: input.description ?? null,
    config: input.config ?? {},
    context: input.context ?? {},
    metadata: input.metadata ?? {},
    version: 1,
    created_at: turn.now,
    updated_at: turn.now,
  };
  turn.put(ASSISTANTS, assistant);
  storeVersion(turn, assistant);
  return assistant;
}

export function updateAssistant(
  turn: Turn,
  workspace: Workspace,
  idOrGraph: string,
  input: BodyOf<"updateAssistant">,
): Assistant {
  const before = requireOwnAssistant(turn, workspace, idOrGraph);
  if (input.graph_id !== undefined) requireGraph(turn, input.graph_id);
  requireRecursionLimit(input.config, "body.config");
  const after: Assistant = {
    ...before,
    graph_id: input.graph_id ?? before.graph_id,
    name: input.name ?? before.name,
    description: input.description === undefined ? before.description : input.description,
    config: input.config ?? before.config,
    context: input.context ?? before.context,
    metadata: { ...before.metadata, ...input.metadata },
    version: nextVersion(turn, before),
    updated_at: turn.now,
  };
  requireMetadataSize(turn, after);
  turn.put(ASSISTANTS, after);
  storeVersion(turn, after);
  return after;
}

/** Makes a stored version the one that runs use. Throws a `Refusal` (404, 409). */
export function setLatestVersion(turn: Turn, workspace: Workspace, id: string, version: number): Assistant {
  const assistant = requireOwnAssistant(turn, workspace, id);
  const existingVersion = versionsOf(turn, assistant).find((candidate) => candidate.version === version);
  if (!existingVersion)
    throw new Refusal(
      404,
      "not_found",
      `version: assistant ${id} has no version ${version}.`,
      "List them with POST /assistants/{assistant_id}/versions.",
    );
  const latest: Assistant = { ...existingVersion, updated_at: turn.now };
  turn.put(ASSISTANTS, latest);
  return latest;
}

/** Removes an assistant and returns it. Throws a `Refusal` (404, 409). */
export function deleteAssistant(turn: Turn, workspace: Workspace, idOrGraph: string): Assistant {
  const assistant = requireOwnAssistant(turn, workspace, idOrGraph);
  turn.remove(ASSISTANTS, assistantKey(assistant));
  removeVersions(turn, assistant);
  return assistant;
}

/** An assistant that may be changed. Throws a `Refusal` (404, 409). */
export function requireOwnAssistant(turn: Turn, workspace: Workspace, idOrGraph: string): Assistant {
  const assistant = resolveAssistant(turn, workspace, idOrGraph);
  if (isSystem(assistant))
    throw new Refusal(
      409,
      "system_assistant",
      `assistant_id: ${idOrGraph} is a system assistant and cannot be changed.`,
    );
  return assistant;
}

/** Throws a `Refusal` (404) when the server has no such graph. */
export function requireGraph(turn: Turn, graphId: string): void {
  const { settings } = turn.ports;
  if (graphsOf(settings).some(({ graph_id }) => graph_id === graphId)) return;
  const message = `graph_id: the server has no graph ${graphId.slice(0, 100)}.`;
  throw new Refusal(404, "not_found", message, graphsHint(settings));
}
