import type {
  AgentRunStatus,
  MultitaskStrategy,
  StreamMode,
  ThreadStatus,
} from "../../../contracts/spec/agent/lifecycle.ts";
import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import type { ScriptedRun } from "./script.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What a thread holds; null for one that no run has written to. */
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
  /** Made for one run without a thread; it goes when that run has ended. */
  readonly temporary: boolean;
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
  /** The address to tell of the end (§6). */
  readonly webhook: string | null;
  readonly stream_modes: readonly StreamMode[];
  /** Not before this instant; null for one that never starts. */
  readonly eligible_at: Instant | null;
  readonly started_at: Instant | null;
  /** When its next event is due; null while it has none of its own. */
  readonly next_at: Instant | null;
  /** Steps of its plan that have happened. */
  readonly emitted: number;
  /** What a rule says of it; null leaves it to its assistant. */
  readonly script: ScriptedRun | null;
}

/** The state of a thread after a run, or after somebody has set it. */
export interface Checkpoint {
  readonly checkpoint_id: string;
  readonly thread: string;
  readonly parent_id: string | null;
  readonly created_at: Instant;
  readonly values: Json;
  /** Nodes that would go on from here. */
  readonly next: readonly string[];
  readonly interrupts: readonly Interrupt[];
  readonly metadata: Json;
}

export interface Interrupt {
  readonly id: string;
  readonly value: unknown;
}

/** An assistant that somebody has created; those of the server are no records. */
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

/** Ids of threads can be chosen by callers, so they are unique in their workspace only. */
export function threadKey(workspace: Workspace, threadId: string): string {
  return `${workspaceKey(workspace)}/${threadId}`;
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
  (checkpoint) => checkpoint.checkpoint_id,
  (checkpoint) => checkpoint.thread,
);

export const ASSISTANTS = collection<Assistant>(
  "agent_assistants",
  (assistant) => `${workspaceKey(assistant)}/${assistant.assistant_id}`,
  workspaceKey,
);
