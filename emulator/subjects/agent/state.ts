import { isSameScalar, textOrJson } from "../../../contracts/spec/exact-json.ts";
import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import { isJsonObject } from "../traces/json.ts";
import type { Turn } from "../turn.ts";
import { behaviourOf, graphsOf } from "./assistants.ts";
import { nodeAfter, nodeNames } from "./behaviours.ts";
import { requireValuesSize } from "./capacity.ts";
import {
  addCheckpoint,
  changedState,
  findState,
  latestCheckpoint,
  type NewState,
  referencedState,
  statesOf,
  type ThreadState,
} from "./checkpoints.ts";
import { type AgentRun, type Checkpoint, type Json, RUNS, type Thread, threadKey } from "./records.ts";
import { activeRunCount } from "./run-lifecycle.ts";
import type { ScriptedEvent } from "./script.ts";
import { putState } from "./threads.ts";
import { merged } from "./values.ts";

/** The node that stands for a copy of a state. */
export const COPY = "__copy__";

/** A state that the thread has kept. Throws a `Refusal` (404). */
export function stateAt(turn: Turn, thread: Thread, checkpointId: unknown): ThreadState {
  const state = findState(turn, thread, checkpointId);
  if (!state)
    throw new Refusal(
      404,
      "not_found",
      `checkpoint_id: thread ${thread.thread_id} has no state ${textOrJson(checkpointId)}.`,
    );
  return state;
}

/** The newest state of a thread, that of a running run included; undefined before the first. */
export function currentState(turn: Turn, thread: Thread): Checkpoint | undefined {
  return thread.status === "busy" ? statesOf(turn, thread)[0] : latestCheckpoint(turn, thread);
}

/** The node that follows `node` in the graph that the thread's last run has used; none for other nodes. */
export function nextNodes(
  turn: Turn,
  { metadata }: Pick<Thread, "metadata">,
  node: string,
  values: Json,
): readonly string[] {
  const next =
    typeof metadata.graph_id === "string"
      ? nodeAfter(behaviourOf(turn.ports.settings, metadata.graph_id), node, values)
      : undefined;
  return next === undefined ? [] : [next];
}

/** Writes a caller's values as a new state, based on the newest or on an earlier one. Throws a `Refusal`. */
export function updateState(turn: Turn, thread: Thread, update: BodyOf<"updateThreadState">): Checkpoint {
  const { values } = update;
  if (values !== null && (typeof values !== "object" || Array.isArray(values)))
    throw invalidRequest("body.values: must be an object or null.");
  const key = threadKey(thread, thread.thread_id);
  if (activeRunCount(turn, key) > 0)
    throw new Refusal(409, "thread_busy", `Thread ${thread.thread_id} has runs that have not ended.`);
  const stateId = referencedState(update);
  const from = stateId === undefined ? latestCheckpoint(turn, thread) : stateAt(turn, thread, stateId);
  const node = update.as_node;
  const state =
    node === COPY
      ? copiedState(turn, thread, requireCopy(from, values, "body"))
      : updatedState(turn, thread, from, { node, values: (values ?? {}) as Json });
  const checkpoint = addCheckpoint(turn, thread, state);
  putState(turn, { ...thread, updated_at: turn.now }, checkpoint);
  return checkpoint;
}

function updatedState(
  turn: Turn,
  thread: Thread,
  from: Checkpoint | undefined,
  { node, values }: { readonly node: string | null | undefined; readonly values: Json },
): NewState {
  if (node != null) requireNode(turn, thread, node);
  const after = merged(from?.values ?? null, values);
  requireValuesSize(turn, after);
  return changedState(turn, from, {
    values: after,
    next: node == null ? (from?.next ?? []) : nextNodes(turn, thread, node, after),
    interrupts: node == null ? (from?.interrupts ?? []) : [],
    metadata: { source: "update", thread_id: thread.thread_id },
  });
}

/** Throws a `Refusal` (422) for a node that neither a built-in graph nor a script of the thread's runs has (agent.state_nodes). */
function requireNode(turn: Turn, thread: Thread, node: string): void {
  const { graph_id } = thread.metadata;
  const graphs = graphsOf(turn.ports.settings);
  const builtIn = graphs.find((graph) => graph.graph_id === graph_id && graph.like === graph_id)?.like;
  if (!builtIn) return;
  const nodes = [...nodeNames(builtIn), "__start__", "__end__"];
  const runs = turn.list(RUNS, threadKey(thread, thread.thread_id));
  if (nodes.includes(node) || [...runs].some(({ script }) => nodesOf(script).includes(node))) return;
  throw invalidRequest(
    `body.as_node: ${JSON.stringify(node)} is not a node of the graph ${graph_id}.`,
    `Use one of ${nodes.join(", ")} and ${COPY}.`,
  );
}

/** The nodes that the events of a script name. */
function nodesOf(script: AgentRun["script"]): readonly (string | null)[] {
  const names = ({ node, mode, data }: ScriptedEvent) =>
    mode === "updates" && isJsonObject(data) ? [node, ...Object.keys(data)] : [node];
  return script?.events?.flatMap(names) ?? [];
}

/** The state that is to be copied. Throws a `Refusal` (422) when there is none, and for values, which a copy does not take. */
export function requireCopy<State>(from: State | undefined, values: unknown, where: string): State {
  if (from === undefined)
    throw invalidRequest(
      `${where}.as_node: ${COPY} copies a state, and the thread does not have one.`,
      "Write a state first, with a run or with values.",
    );
  if (values == null || Object.keys(values).length === 0) return from;
  throw invalidRequest(
    `${where}.values: must be null or empty, because ${COPY} copies the state unchanged.`,
    "Send the values in another update after it.",
  );
}

/** A copy of a state with the same parent. Its next nodes have not run, so its open interrupts are not copied. */
export function copiedState(turn: Turn, { thread_id }: Thread, from: Checkpoint): NewState {
  const { parent_id, values, next } = from;
  return changedState(turn, from, { parent_id, values, next, metadata: { source: "fork", thread_id } });
}

/** The states of a thread before a checkpoint, newest first. */
export function history(
  turn: Turn,
  thread: Thread,
  { limit, before, metadata }: BodyOf<"searchThreadHistory">,
): readonly ThreadState[] {
  const states = statesOf(turn, thread);
  const { configurable, ...reference } = isJsonObject(before) ? before : { checkpoint_id: before };
  const id = referencedState({ ...reference, checkpoint: configurable });
  const from = id === undefined ? 0 : states.findIndex(({ checkpoint_id }) => checkpoint_id === id) + 1;
  const hasMetadata = includesMembers(metadata ?? {});
  const matchingStates = states.slice(from).filter((state) => hasMetadata(state.metadata));
  return matchingStates.slice(0, limit ?? 10);
}

/** Tests whether a value contains all members, recursively. They are listed once: a search may have 50,000 of them. */
export function includesMembers(members: unknown): (value: unknown) => boolean {
  if (typeof members !== "object" || members === null) return (value) => isSameScalar(members, value);
  const tests = Object.entries(members).map(([name, inner]) => [name, includesMembers(inner)] as const);
  return (value) =>
    typeof value === "object" && value !== null && tests.every(([name, test]) => test((value as Json)[name]));
}
