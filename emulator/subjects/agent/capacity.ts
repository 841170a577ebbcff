import { Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import { ASSISTANTS, type Json, RUNS, THREADS, type Thread, threadKey, type Values } from "./records.ts";
import { bytesOverLimit } from "./size.ts";

/** Refuses more threads than a workspace may have; asked before anything is written. */
export function requireThreadCapacity(turn: Turn, workspace: Workspace, more = 1): void {
  const { agent_threads } = turn.ports.settings.limits;
  const isFull = turn.count(THREADS, workspaceKey(workspace)) + more > agent_threads;
  if (isFull) throw refusal("threads", `The workspace may have ${agent_threads} threads.`, "agent_threads");
}

/** Refuses more runs than a thread may keep, those that have ended included. */
export function requireRunCapacity(turn: Turn, thread: Thread): void {
  const { agent_runs } = turn.ports.settings.limits;
  const isFull = turn.count(RUNS, threadKey(thread, thread.thread_id)) >= agent_runs;
  if (isFull) throw refusal("runs", `The thread may keep ${agent_runs} runs.`, "agent_runs");
}

/** Refuses more assistants than a workspace may have beside those of the server. */
export function requireAssistantCapacity(turn: Turn, workspace: Workspace): void {
  const { agent_assistants } = turn.ports.settings.limits;
  const isFull = turn.count(ASSISTANTS, workspaceKey(workspace)) >= agent_assistants;
  if (isFull)
    throw refusal("assistants", `The workspace may have ${agent_assistants} assistants.`, "agent_assistants");
}

/** Refuses to plan more when the world's queue is full: stale events wait in it until their time comes. */
export function requireEventCapacity(turn: Turn, more = 1): void {
  const { agent_waiting_events: most } = turn.ports.settings.limits;
  if (turn.pendingEventCount() + more <= most) return;
  throw new Refusal(
    409,
    "too_many_events",
    `The agent server plans no more: ${turn.pendingEventCount()} events wait in this world, and ${most} may.`,
    "Advance the clock past them, reset the world, or raise limits.agent_waiting_events.",
  );
}

/** Refuses values that a thread may not hold. */
export function requireValuesSize(turn: Turn, values: Values): void {
  const { agent_values_bytes: most } = turn.ports.settings.limits;
  const bytes = bytesOverLimit(values, most);
  if (bytes === undefined) return;
  const { message, hint } = valuesTooLarge(bytes, most);
  throw new Refusal(413, "values_too_large", message, hint);
}

/** What is said of values that are too large, whoever meets them. */
export function valuesTooLarge(bytes: number, most: number) {
  return {
    message: `The thread would hold ${bytes} bytes of values; limits.agent_values_bytes allows ${most}.`,
    hint: "Replace large members by way of POST /threads/{thread_id}/state, or raise limits.agent_values_bytes.",
  };
}

type CallerMetadata = Partial<Record<"metadata" | "config" | "context", Json | null>> &
  Partial<Record<"name" | "description", string | null>>;

/** Refuses a record on which its callers would note more than they may. */
export function requireMetadataSize(
  turn: Turn,
  { metadata, config, context, name, description }: CallerMetadata,
): void {
  const { agent_metadata_bytes: most } = turn.ports.settings.limits;
  const bytes = bytesOverLimit({ metadata, config, context, name, description }, most);
  if (bytes === undefined) return;
  throw new Refusal(
    413,
    "metadata_too_large",
    `metadata: with config and context it would have ${bytes} bytes, and may have ${most}.`,
    "Note less, or raise limits.agent_metadata_bytes.",
  );
}

function refusal(what: string, message: string, limit: string): Refusal {
  return new Refusal(409, `too_many_${what}`, message, `Delete some, or raise limits.${limit}.`);
}
