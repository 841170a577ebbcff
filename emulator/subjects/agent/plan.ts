import type { AgentRunStatus, StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import type { Workspace } from "../workspace.ts";
import type { Interrupt, Json, Values } from "./records.ts";

/** One step of a run; `at` is in milliseconds of virtual time after the run's start. */
export type Step = { readonly at: number } & StepContent;

/** A state of the thread (a checkpoint) that the run writes, or the one that it continues from. */
export interface CheckpointStep {
  readonly kind: "checkpoint";
  readonly id: string;
  readonly parent_id: string | null;
  /** Position in the thread's history; -1 before the first input. */
  readonly step: number;
  readonly source: "input" | "loop" | "fork";
  /** Nodes that are executed next. */
  readonly next: readonly string[];
  /** The data that the thread already has of this state; null for a new state. */
  readonly stored: { readonly metadata: Json; readonly interrupts: readonly Interrupt[] } | null;
}

export type StepContent =
  | CheckpointStep
  /** The caller's input is merged into the thread's values. */
  | { readonly kind: "input"; readonly update: Json }
  | { readonly kind: "begin"; readonly node: string; readonly task: string }
  /** A chunk of a message; the last one completes it. */
  | {
      readonly kind: "message";
      readonly node: string;
      readonly first: boolean;
      readonly last: boolean;
      /** No update of a node follows that holds the message. */
      readonly alone: boolean;
      /** The chunk itself. */
      readonly chunk: Json;
      /** The whole message; its text is set on the last chunk only. */
      readonly message: Json;
    }
  /** The end of a task; `update` is null when its node writes nothing. */
  | { readonly kind: "update"; readonly node: string; readonly task: string; readonly update: Json | null }
  /** Replaces the thread's values. */
  | { readonly kind: "values"; readonly values: Json }
  /** Data for the readers of one stream mode, sent unchanged. */
  | { readonly kind: "told"; readonly mode: StreamMode; readonly data: unknown };

/** How a run ends; `cancel` is the only ending that is not planned. */
export type Ending =
  | { readonly trigger: "succeed" }
  | { readonly trigger: "fail"; readonly error: string; readonly message: string; readonly node: string }
  | { readonly trigger: "time_out"; readonly error: string; readonly message: string; readonly node: string }
  | { readonly trigger: "ask"; readonly interrupts: readonly Interrupt[]; readonly node: string }
  /** Caused by a caller. */
  | { readonly trigger: "cancel"; readonly node: string };

/** A part of a run that is recorded as a trace row of its own. */
export interface Span {
  readonly name: string;
  readonly run_type: "llm" | "tool" | "chain";
  readonly from: number;
  readonly to: number;
  readonly inputs: Json;
  readonly outputs: Json | null;
  readonly extra?: Json;
}

/** All steps and the ending of a run, computed when it starts; steps are emitted when they are due. */
export interface Plan extends Workspace {
  readonly run_id: string;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly started_at: Instant;
  /** Metadata of the run. */
  readonly metadata: Json;
  /** `recursion_limit` and `tags` of its configuration; absent in plans of older versions. */
  readonly config?: Json;
  /** The thread's values before the run. */
  readonly base: Values;
  readonly steps: readonly Step[];
  readonly spans: readonly Span[];
  readonly ends_at: number;
  readonly ending: Ending;
  /** The actual end of the run; null while it is running. */
  readonly ended: Ended | null;
}

export interface Ended {
  readonly at: number;
  /** Number of steps emitted before the end. */
  readonly emitted: number;
  readonly status: Exclude<AgentRunStatus, "pending" | "running"> | "rolled_back";
  readonly ending: Ending | null;
}

/** Plans of running runs, and of the newest ended ones so that late readers can join their stream. */
export const PLANS = collection<Plan>(
  "agent_plans",
  (plan) => plan.run_id,
  (plan) => (plan.ended ? "ended" : "working"),
);
