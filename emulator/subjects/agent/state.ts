import { Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { requireValuesSize } from "./capacity.ts";
import { addCheckpoint, historyOf, latestCheckpoint } from "./checkpoints.ts";
import { CHECKPOINTS, type Checkpoint, type Json, THREADS, type Thread, threadKey } from "./records.ts";
import { activeRuns } from "./run-lifecycle.ts";
import { merged } from "./values.ts";

/** A retained state of the thread. Throws a `Refusal` (404). */
export function stateAt(turn: Turn, thread: Thread, checkpointId: unknown): Checkpoint {
  const found = typeof checkpointId === "string" ? turn.get(CHECKPOINTS, checkpointId) : undefined;
  if (!found || found.thread !== threadKey(thread, thread.thread_id))
    throw new Refusal(
      404,
      "not_found",
      `checkpoint_id: thread ${thread.thread_id} has no state ${String(checkpointId)}.`,
    );
  return found;
}

export interface StateUpdate {
  readonly values: unknown;
  readonly as_node?: string | null;
  readonly checkpoint?: Json | null;
  readonly checkpoint_id?: string | null;
}

/** Writes a caller's values as a new state, based on the newest or on an earlier one. Throws a `Refusal`. */
export function updateState(turn: Turn, thread: Thread, update: StateUpdate): Checkpoint {
  const { values } = update;
  if (values !== null && (typeof values !== "object" || Array.isArray(values)))
    throw new Refusal(422, "invalid_request", "body.values: must be an object or null.");
  if (activeRuns(turn, threadKey(thread, thread.thread_id)).length > 0)
    throw new Refusal(409, "thread_busy", `Thread ${thread.thread_id} has runs that have not ended.`);
  const named = update.checkpoint_id ?? update.checkpoint?.checkpoint_id;
  const from = named == null ? latestCheckpoint(turn, thread) : stateAt(turn, thread, named);
  const { agent_messages } = turn.ports.settings.limits;
  const after = merged(from?.values ?? null, (values ?? {}) as Json, agent_messages);
  requireValuesSize(turn, after);
  const checkpoint = addCheckpoint(turn, thread, {
    values: after,
    next: from?.next ?? [],
    interrupts: from?.interrupts ?? [],
    metadata: {
      source: "update",
      thread_id: thread.thread_id,
      ...(update.as_node && { writes: { [update.as_node]: values } }),
    },
  });
  const status = checkpoint.next.length > 0 ? "interrupted" : "idle";
  turn.put(THREADS, { ...thread, status, checkpoint_id: checkpoint.checkpoint_id, updated_at: turn.now });
  return checkpoint;
}

export interface HistoryQuery {
  readonly limit?: number | null;
  readonly before?: unknown;
  readonly metadata?: Json | null;
}

/** The states of a thread before a checkpoint, newest first. */
export function history(
  turn: Turn,
  thread: Thread,
  { limit, before, metadata }: HistoryQuery,
): readonly Checkpoint[] {
  const states = historyOf(turn, thread);
  const id = typeof before === "string" ? before : checkpointIdIn(before);
  const from = id === undefined ? 0 : states.findIndex(({ checkpoint_id }) => checkpoint_id === id) + 1;
  const matching = states.slice(from).filter((state) => includesMembers(state.metadata, metadata ?? {}));
  return matching.slice(0, limit ?? 10);
}

/** Whether `value` contains all members of `wanted`, recursively. */
export function includesMembers(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(wanted).every(([name, inner]) => includesMembers((value as Json)[name], inner));
}

function checkpointIdIn(value: unknown): string | undefined {
  const reference = value as
    | { checkpoint_id?: unknown; configurable?: { checkpoint_id?: unknown } }
    | null
    | undefined;
  const id = reference?.checkpoint_id ?? reference?.configurable?.checkpoint_id;
  return typeof id === "string" ? id : undefined;
}
