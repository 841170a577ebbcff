import type { Turn } from "../turn.ts";
import {
  CHECKPOINTS,
  type Checkpoint,
  type Interrupt,
  type Json,
  type Thread,
  threadKey,
} from "./records.ts";

export interface NewState {
  readonly values: Json;
  readonly next: readonly string[];
  readonly interrupts: readonly Interrupt[];
  readonly metadata: Json;
}

/** The current state of a thread; undefined before its first write. */
export function latestCheckpoint(turn: Turn, thread: Thread): Checkpoint | undefined {
  return thread.checkpoint_id === null ? undefined : turn.get(CHECKPOINTS, thread.checkpoint_id);
}

/** Adds a state to a thread and removes the oldest beyond `limits.agent_checkpoints`. */
export function addCheckpoint(turn: Turn, thread: Thread, state: NewState): Checkpoint {
  const key = threadKey(thread, thread.thread_id);
  const checkpoint: Checkpoint = {
    checkpoint_id: turn.nextId("agent_checkpoint"),
    thread: key,
    parent_id: thread.checkpoint_id,
    created_at: turn.now,
    ...state,
  };
  turn.put(CHECKPOINTS, checkpoint);
  const excess = turn.count(CHECKPOINTS, key) - turn.ports.settings.limits.agent_checkpoints;
  for (const { checkpoint_id } of firstOf(turn.list(CHECKPOINTS, key), excess))
    turn.remove(CHECKPOINTS, checkpoint_id);
  return checkpoint;
}

/** The states of a thread, newest first. */
export function historyOf(turn: Turn, thread: Thread): readonly Checkpoint[] {
  return [...turn.list(CHECKPOINTS, threadKey(thread, thread.thread_id))].reverse();
}

export function firstOf<T>(items: Iterable<T>, count: number): readonly T[] {
  const first: T[] = [];
  if (count <= 0) return first;
  for (const item of items) {
    first.push(item);
    if (first.length === count) break;
  }
  return first;
}
