import { isSameScalar } from "../../../contracts/spec/exact-json.ts";
import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { behaviourOf } from "./assistants.ts";
import { nodeAfter } from "./behaviours.ts";
import { requireValuesSize } from "./capacity.ts";
import {
  addCheckpoint,
  changedState,
  findState,
  latestCheckpoint,
  referencedState,
  statesOf,
  type ThreadState,
} from "./checkpoints.ts";
import { type Checkpoint, type Json, type Thread, threadKey } from "./records.ts";
import { activeRunCount } from "./run-lifecycle.ts";
import { putState } from "./threads.ts";
import { merged } from "./values.ts";

/** A state that the thread has kept. Throws a `Refusal` (404). */
export function stateAt(turn: Turn, thread: Thread, checkpointId: unknown): ThreadState {
  const state = findState(turn, thread, checkpointId);
  if (!state)
    throw new Refusal(
      404,
      "not_found",
      `checkpoint_id: thread ${thread.thread_id} has no state ${String(checkpointId)}.`,
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
    throw new Refusal(422, "invalid_request", "body.values: must be an object or null.");
  if (activeRunCount(turn, threadKey(thread, thread.thread_id)) > 0)
    throw new Refusal(409, "thread_busy", `Thread ${thread.thread_id} has runs that have not ended.`);
  const stateId = referencedState(update);
  const from = stateId === undefined ? latestCheckpoint(turn, thread) : stateAt(turn, thread, stateId);
  const after = merged(from?.values ?? null, (values ?? {}) as Json);
  requireValuesSize(turn, after);
  const node = update.as_node;
  const checkpoint = addCheckpoint(
    turn,
    thread,
    changedState(turn, from, {
      values: after,
      next: node == null ? (from?.next ?? []) : nextNodes(turn, thread, node, after),
      interrupts: node == null ? (from?.interrupts ?? []) : [],
      metadata: { source: "update", thread_id: thread.thread_id },
    }),
  );
  putState(turn, { ...thread, updated_at: turn.now }, checkpoint);
  return checkpoint;
}

/** The states of a thread before a checkpoint, newest first. */
export function history(
  turn: Turn,
  thread: Thread,
  { limit, before, metadata }: BodyOf<"searchThreadHistory">,
): readonly ThreadState[] {
  const states = statesOf(turn, thread);
  const id = typeof before === "string" ? before : checkpointIdIn(before);
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

function checkpointIdIn(value: unknown): string | undefined {
  const reference = value as
    | { checkpoint_id?: unknown; configurable?: { checkpoint_id?: unknown } }
    | null
    | undefined;
  const id = reference?.checkpoint_id ?? reference?.configurable?.checkpoint_id;
  return typeof id === "string" ? id : undefined;
}
