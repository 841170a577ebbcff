import type {
  AgentRunStatus,
  MultitaskStrategy,
  StreamMode,
  ThreadStatus,
  TtlStrategy,
} from "../../../contracts/spec/agent/lifecycle.ts";
import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import type { ScriptedRun } from "./script.ts";

export type Json = Readonly<Record<string, unknown>>;

/** The values of a thread; null before the first write. */
export type Values = Json | null;

/** §2.2: the accumulated outputs of a group of runs. */
export interface Thread extends Workspace {
  readonly thread_id: string;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly metadata: Json;
  readonly config: Json;
  readonly status: ThreadStatus;
  /** The newest checkpoint, which holds its values. */
  readonly checkpoint_id: string | null;
  /** Created for a stateless run; deleted when that run has ended. */
  readonly temporary: boolean;
  readonly ttl?: ThreadTtl;
}

/** A time to live: what happens to its thread, and when. */
export interface ThreadTtl {
  readonly strategy: TtlStrategy;
  readonly minutes: number;
  readonly set_at: Instant;
  /** When its event is due; null while none is scheduled, because the thread has active runs. */
  readonly wakes_at: Instant | null;
}

/** §2.1: an invocation of an assistant on a thread. */
export interface AgentRun extends Workspace {
  readonly run_id: string;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly created_at: Instant;
  readonly updated_at: Instant;
  readonly status: AgentRunStatus;
  readonly metadata: Json;
  readonly kwargs: Json;
  readonly multitask_strategy: MultitaskStrategy;
  /** URL that receives the final status (§6). */
  readonly webhook: string | null;
  readonly stream_modes: readonly StreamMode[];
  /** Earliest start; null for a run that never starts. */
  readonly eligible_at: Instant | null;
  readonly started_at: Instant | null;
  /** When its next event is due; null while none is scheduled. */
  readonly next_at: Instant | null;
  /** Number of plan steps emitted so far. */
  readonly emitted: number;
  /** The script that decides the run; null runs the assistant's graph. */
  readonly script: ScriptedRun | null;
}

/** A state of a thread: the last one of a run, or one that a caller has written. */
export interface Checkpoint {
  /** Unique in its thread; a copy of a thread keeps the ids. */
  readonly checkpoint_id: string;
  readonly thread: string;
  readonly parent_id: string | null;
  readonly created_at: Instant;
  readonly values: Json;
  /** Nodes that would be executed next. */
  readonly next: readonly string[];
  readonly interrupts: readonly Interrupt[];
  /** Why the nodes in `next` have failed; null when they have not. */
  readonly error: string | null;
  readonly metadata: Json;
  /** The run that wrote it, whose plan has the states before it; null for a caller's. */
  readonly run_id: string | null;
}

export interface Interrupt {
  readonly id: string;
  readonly value: unknown;
}

/** A created assistant; system assistants are derived from the settings and not stored. */
export interface Assistant extends Workspace {
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly config: Json;
  readonly context: Json;
  readonly metadata: Json;
  readonly version: number;
  readonly created_at: Instant;
  readonly updated_at: Instant;
}

/** Callers may choose thread ids, so ids are unique per workspace only. */
export function threadKey(workspace: Workspace, threadId: string): string {
  return `${workspaceKey(workspace)}/${threadId}`;
}

export function checkpointKey(thread: string, checkpointId: string): string {
  return `${thread}/${checkpointId}`;
}

export const THREADS = collection<Thread>(
  "agent_threads",
  (thread) => threadKey(thread, thread.thread_id),
  workspaceKey,
);

export const RUNS = collection<AgentRun>(
  "agent_runs",
  (run) => run.run_id,
  (run) => threadKey(run, run.thread_id),
  (run) => run.status,
);

export const CHECKPOINTS = collection<Checkpoint>(
  "agent_checkpoints",
  (checkpoint) => checkpointKey(checkpoint.thread, checkpoint.checkpoint_id),
  (checkpoint) => checkpoint.thread,
);

export function assistantKey(assistant: Assistant): string {
  return `${workspaceKey(assistant)}/${assistant.assistant_id}`;
}

export const ASSISTANTS = collection<Assistant>("agent_assistants", assistantKey, workspaceKey);

/** The versions of each created assistant. */
export const ASSISTANT_VERSIONS = collection<Assistant>(
  "agent_assistant_versions",
  (assistant) => `${assistantKey(assistant)}/${assistant.version}`,
  assistantKey,
);
