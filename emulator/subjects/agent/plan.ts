import type { AgentRunStatus, StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import type { Workspace } from "../workspace.ts";
import type { Interrupt, Json, Values } from "./records.ts";

/** Something that happens in a run, so many milliseconds after its start. */
export type Step = { readonly at: number } & StepContent;

export type StepContent =
  /** What the caller sent is part of the thread's values now. */
  | { readonly kind: "input"; readonly update: Json }
  | { readonly kind: "begin"; readonly node: string; readonly task: string }
  /** A piece of a message; the last one is the whole message. */
  | {
      readonly kind: "message";
      readonly node: string;
      readonly first: boolean;
      readonly last: boolean;
      /** What is new. */
      readonly chunk: Json;
      /** The whole message; its text is here with the last piece only, until then in the chunks so far. */
      readonly message: Json;
    }
  | { readonly kind: "update"; readonly node: string; readonly task: string; readonly update: Json }
  /** The values from now on, whatever they were. */
  | { readonly kind: "values"; readonly values: Json }
  /** Goes to the readers of one mode as it is. */
  | { readonly kind: "told"; readonly mode: StreamMode; readonly data: unknown };

/** How a run ends unless somebody stops it. */
export type Ending =
  | { readonly trigger: "succeed" }
  | { readonly trigger: "fail"; readonly error: string; readonly message: string; readonly node: string }
  | { readonly trigger: "time_out"; readonly error: string; readonly message: string; readonly node: string }
  | { readonly trigger: "ask"; readonly interrupts: readonly Interrupt[]; readonly node: string }
  /** A caller's doing, so never planned. */
  | { readonly trigger: "cancel"; readonly node: string };

/** A part of a run that leaves a trace row of its own. */
export interface Span {
  readonly name: string;
  readonly run_type: "llm" | "tool" | "chain";
  readonly from: number;
  readonly to: number;
  readonly inputs: Json;
  readonly outputs: Json | null;
  readonly extra?: Json;
}

/** Everything that a run will do, decided when it starts. Time only uncovers it. */
export interface Plan extends Workspace {
  readonly run_id: string;
  readonly thread_id: string;
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly started_at: Instant;
  /** What the thread held before. */
  readonly base: Values;
  readonly steps: readonly Step[];
  readonly spans: readonly Span[];
  readonly ends_at: number;
  readonly ending: Ending;
  /** Messages that the values keep. */
  readonly kept_messages: number;
  /** How the run came out; null while it works. */
  readonly ended: Ended | null;
}

export interface Ended {
  readonly at: number;
  /** Steps that happened before. */
  readonly emitted: number;
  readonly status: Exclude<AgentRunStatus, "pending" | "running"> | "rolled_back";
  readonly ending: Ending | null;
}

/** Plans of runs at work, and of a number of ended ones for readers that come late. */
export const PLANS = collection<Plan>(
  "agent_plans",
  (plan) => plan.run_id,
  (plan) => (plan.ended ? "ended" : "working"),
);
