/** §3.2: statuses of runs and threads. Which moves lead from one to the next is not shown (3.2-2). */

interface AgentStatus {
  /** No move leads out of a final status. */
  readonly final: boolean;
}

export const AGENT_RUN_STATUSES = {
  /** Waits for its turn on the thread. */
  pending: { final: false },
  running: { final: false },
  error: { final: true },
  success: { final: true },
  /** Took longer than `agent_run_timeout`. */
  timeout: { final: true },
  /** Stopped by its caller, or to ask its caller something. */
  interrupted: { final: true },
} as const satisfies Record<string, AgentStatus>;

export type AgentRunStatus = keyof typeof AGENT_RUN_STATUSES;

/** In the order of the table in §2.1. */
export const AGENT_RUN_STATUS_NAMES = Object.keys(AGENT_RUN_STATUSES) as readonly AgentRunStatus[];

/** §4.1: what the list can be narrowed to; `running` is not among them (2.1-4). */
export const LISTED_STATUSES = ["pending", "error", "success", "timeout", "interrupted"] as const;

export const MULTITASK_STRATEGIES = ["reject", "rollback", "interrupt", "enqueue"] as const;

export type MultitaskStrategy = (typeof MULTITASK_STRATEGIES)[number];

export const THREAD_STATUSES = ["idle", "busy", "interrupted", "error"] as const;

export type ThreadStatus = (typeof THREAD_STATUSES)[number];

/** Parts of a thread's stream: the events of its runs, only their starts and ends, or states that callers write. */
export const THREAD_STREAM_MODES = ["run_modes", "lifecycle", "state_update"] as const;

export type ThreadStreamMode = (typeof THREAD_STREAM_MODES)[number];

/** What happens to a thread whose time to live has passed. */
export const TTL_STRATEGIES = ["delete", "keep_latest"] as const;

export type TtlStrategy = (typeof TTL_STRATEGIES)[number];

export interface AgentMove {
  readonly from: AgentRunStatus;
  readonly trigger: string;
  readonly to: AgentRunStatus;
  /** What becomes of the thread when no other run of it waits or works; null is what its state says. */
  readonly thread: ThreadStatus | null;
  readonly requirement: string;
}

/** A rollback removes the run, so it needs no move. */
export const AGENT_RUN_MOVES = [
  { from: "pending", trigger: "start", to: "running", thread: null, requirement: "3.2-2" },
  { from: "pending", trigger: "cancel", to: "interrupted", thread: null, requirement: "3.2-2" },
  { from: "running", trigger: "succeed", to: "success", thread: "idle", requirement: "3.2-2" },
  { from: "running", trigger: "fail", to: "error", thread: "error", requirement: "3.2-2" },
  { from: "running", trigger: "time_out", to: "timeout", thread: "error", requirement: "3.2-2" },
  { from: "running", trigger: "ask", to: "interrupted", thread: "interrupted", requirement: "3.2-2" },
  { from: "running", trigger: "cancel", to: "interrupted", thread: "interrupted", requirement: "3.2-2" },
] as const satisfies readonly AgentMove[];

export type AgentTrigger = (typeof AGENT_RUN_MOVES)[number]["trigger"];

export const STREAM_MODES = [
  "values",
  "updates",
  "messages",
  "messages-tuple",
  "events",
  "debug",
  "tasks",
  "checkpoints",
  "custom",
] as const;

export type StreamMode = (typeof STREAM_MODES)[number];
