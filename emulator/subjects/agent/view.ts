import type { ReplyBodyOf } from "../../../contracts/spec/operations.ts";
import type { Settings } from "../settings.ts";
import type { Turn } from "../turn.ts";
import { timeView } from "../views.ts";
import { latestCheckpoint, type ThreadState } from "./checkpoints.ts";
import type { AgentRun, Assistant, Checkpoint, Interrupt, Json, Thread, ThreadTtl } from "./records.ts";
import { expiryOf } from "./thread-ttl.ts";

/** §2.1: a run with its nine fields; also the payload of webhooks (§6). */
export function runView(settings: Settings, run: AgentRun): ReplyBodyOf<"getThreadRun"> {
  const time = timeView(settings);
  return {
    run_id: run.run_id,
    thread_id: run.thread_id,
    assistant_id: run.assistant_id,
    created_at: time(run.created_at),
    updated_at: time(run.updated_at),
    status: run.status,
    metadata: run.metadata,
    kwargs: run.kwargs,
    multitask_strategy: run.multitask_strategy,
  };
}

/** §2.2: a thread with its seven fields, its time to live, and the interrupts that newer clients read. */
export function threadView(turn: Turn, thread: Thread): ReplyBodyOf<"getThread"> {
  const { settings } = turn.ports;
  const time = timeView(settings);
  const state = latestCheckpoint(turn, thread);
  const hasInterrupts = settings.assumptions["agent.thread_fields"] === "with interrupts";
  return {
    thread_id: thread.thread_id,
    created_at: time(thread.created_at),
    updated_at: time(thread.updated_at),
    metadata: thread.metadata,
    status: thread.status,
    config: thread.config,
    values: state?.values ?? null,
    ...(thread.ttl && { ttl: ttlView(settings, thread, thread.ttl) }),
    ...(hasInterrupts && {
      state_updated_at: time(state?.created_at ?? thread.updated_at),
      interrupts: interruptsByTask(state),
    }),
  };
}

function ttlView(settings: Settings, thread: Thread, ttl: ThreadTtl) {
  const expires_at = timeView(settings)(expiryOf(settings, thread, ttl));
  return { strategy: ttl.strategy, ttl_minutes: ttl.minutes, expires_at };
}

export function assistantView(settings: Settings, assistant: Assistant): ReplyBodyOf<"getAssistant"> {
  const time = timeView(settings);
  const { assistant_id, graph_id, name, description, config, context, metadata, version } = assistant;
  return {
    ...{ assistant_id, graph_id, name, description, config, context, metadata, version },
    created_at: time(assistant.created_at),
    updated_at: time(assistant.updated_at),
  };
}

/** A state of a thread; an empty one before the first write. */
export function stateView(
  settings: Settings,
  thread: Thread,
  state: Checkpoint | ThreadState | undefined,
): ReplyBodyOf<"getThreadState"> {
  return {
    values: state?.values ?? {},
    next: state?.next ?? [],
    tasks: state ? tasksOf(state) : [],
    metadata: state?.metadata ?? {},
    created_at: state ? timeView(settings)(state.created_at) : null,
    checkpoint: checkpointOf(thread, state?.checkpoint_id ?? null),
    parent_checkpoint: state?.parent_id == null ? null : checkpointOf(thread, state.parent_id),
    interrupts: state?.interrupts.map(interruptView) ?? [],
  };
}

/** An interrupt in wire form. */
export function interruptView({ id, value }: Interrupt): Json {
  return { id, value };
}

export function checkpointOf({ thread_id }: Pick<Thread, "thread_id">, checkpointId: string | null): Json {
  return { thread_id, checkpoint_ns: "", checkpoint_id: checkpointId, checkpoint_map: null };
}

/** Where the graph of a thread has a node. */
export function taskPath(node: string): readonly string[] {
  return ["__pregel_pull", node];
}

function tasksOf(state: Checkpoint | ThreadState): readonly Json[] {
  return state.next.map((name) => ({
    id: state.checkpoint_id,
    name,
    path: taskPath(name),
    error: state.error,
    interrupts: state.interrupts.map(interruptView),
    checkpoint: null,
    state: null,
    result: "result" in state ? state.result : null,
  }));
}

function interruptsByTask(state: Checkpoint | undefined): Json {
  return state && state.interrupts.length > 0
    ? { [state.checkpoint_id]: state.interrupts.map(interruptView) }
    : {};
}
