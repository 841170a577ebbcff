import type { Turn } from "../turn.ts";
import { PLANS, type Plan } from "./plan.ts";
import {
  type AgentRun,
  CHECKPOINTS,
  type Checkpoint,
  checkpointKey,
  type Json,
  RUNS,
  type Thread,
  threadKey,
} from "./records.ts";
import { stepContexts } from "./step-context.ts";

export type NewState = Omit<Checkpoint, "thread">;

/** A state of a thread with the result of the task that starts from it; null when that has none. */
export interface ThreadState extends Checkpoint {
  readonly result: Json | null;
}

/** The stored state of a thread, written by its last run or change; undefined before the first one. */
export function latestCheckpoint(turn: Turn, thread: Thread): Checkpoint | undefined {
  if (thread.checkpoint_id === null) return undefined;
  return turn.get(CHECKPOINTS, checkpointKey(threadKey(thread, thread.thread_id), thread.checkpoint_id));
}

/** A caller's change as a new state after `from`: its metadata has the next step number. */
export function changedState(
  turn: Turn,
  from: Checkpoint | undefined,
  state: Pick<Checkpoint, "values" | "next" | "metadata"> & Partial<Checkpoint>,
): NewState {
  const before = typeof from?.metadata.step === "number" ? from.metadata.step : -1;
  return {
    checkpoint_id: turn.nextId("agent_checkpoint"),
    parent_id: from?.checkpoint_id ?? null,
    created_at: turn.now,
    interrupts: [],
    error: null,
    run_id: null,
    ...state,
    metadata: { step: before + 1, parents: {}, ...state.metadata },
  };
}

/** Stores a state of a thread and removes the oldest beyond `limits.agent_checkpoints`. */
export function addCheckpoint(turn: Turn, thread: Thread, state: NewState): Checkpoint {
  const key = threadKey(thread, thread.thread_id);
  const checkpoint: Checkpoint = { ...state, thread: key };
  turn.put(CHECKPOINTS, checkpoint);
  const excess = turn.count(CHECKPOINTS, key) - turn.ports.settings.limits.agent_checkpoints;
  for (const { checkpoint_id } of turn.page(CHECKPOINTS, {
    group: key,
    offset: 0,
    limit: Math.max(0, excess),
  }))
    turn.remove(CHECKPOINTS, checkpointKey(key, checkpoint_id));
  return checkpoint;
}

/** The states of a thread, newest first: the stored ones, and those before them in the plans of their runs. */
export function statesOf(turn: Turn, thread: Thread): readonly ThreadState[] {
  const key = threadKey(thread, thread.thread_id);
  const results = new Map<string, Json>();
  const states: Checkpoint[] = [];
  for (const checkpoint of turn.list(CHECKPOINTS, key)) {
    const plan = checkpoint.run_id === null ? undefined : turn.get(PLANS, checkpoint.run_id);
    const planned = plan ? plannedStates(plan, plan.ended?.emitted ?? 0, checkpoint, results) : [];
    states.push(
      ...planned.filter(({ checkpoint_id }) => checkpoint_id !== checkpoint.checkpoint_id),
      checkpoint,
    );
  }
  const [run] = turn.page(RUNS, { group: key, label: "running", offset: 0, limit: 1 });
  const plan = run && turn.get(PLANS, run.run_id);
  if (plan)
    states.push(...plannedStates(plan, run.emitted, { thread: key, metadata: metadataOf(run) }, results));
  return states.reverse().map((state) => ({ ...state, result: results.get(state.checkpoint_id) ?? null }));
}

/** A state that the thread retains. */
export function findState(turn: Turn, thread: Thread, checkpointId: unknown): ThreadState | undefined {
  return statesOf(turn, thread).find(({ checkpoint_id }) => checkpoint_id === checkpointId);
}

/** The id of the state that a body names with `checkpoint_id` or `checkpoint`; undefined for the newest. */
export function referencedState(reference: Json | StateReference): unknown {
  const { checkpoint_id, checkpoint } = reference as StateReference;
  return checkpoint_id ?? checkpoint?.checkpoint_id ?? undefined;
}

interface StateReference {
  readonly checkpoint_id?: unknown;
  readonly checkpoint?: Json | null;
}

/** The new state that a run has reached with its first `emitted` steps; undefined when it has written none. */
export function lastStateOf(run: AgentRun, plan: Plan, emitted: number): Checkpoint | undefined {
  const thread = threadKey(run, run.thread_id);
  return plannedStates(plan, emitted, { thread, metadata: metadataOf(run) }, new Map()).at(-1);
}

/** Metadata of the states of a run. */
export function metadataOf({
  metadata,
  run_id,
  thread_id,
  graph_id,
  assistant_id,
}: Pick<AgentRun, "metadata" | "run_id" | "thread_id" | "graph_id" | "assistant_id">): Json {
  return { ...metadata, run_attempt: 1, run_id, thread_id, graph_id, assistant_id };
}

/** The new states that the first `upTo` steps of a plan write, oldest first; adds the results of their tasks. */
function plannedStates(
  plan: Plan,
  upTo: number,
  { thread, metadata }: Pick<Checkpoint, "thread" | "metadata">,
  results: Map<string, Json>,
): readonly Checkpoint[] {
  const states: Checkpoint[] = [];
  for (const { step, values, state } of stepContexts(plan, upTo)) {
    if (state && (step.kind === "update" || step.kind === "input") && step.update)
      results.set(state.id, step.update);
    if (step.kind !== "checkpoint" || step.stored) continue;
    const { id: checkpoint_id, parent_id, next, source } = step;
    states.push({
      checkpoint_id,
      thread,
      parent_id,
      created_at: plan.started_at + step.at,
      values,
      next,
      interrupts: [],
      error: null,
      metadata: { ...metadata, source, step: step.step, parents: {} },
      run_id: plan.run_id,
    });
  }
  return states;
}
