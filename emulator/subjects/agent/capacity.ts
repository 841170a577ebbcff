import { plainNumber } from "../../../contracts/spec/exact-json.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import { ASSISTANTS, type Json, RUNS, THREADS, type Thread, threadKey, type Values } from "./records.ts";
import { bytesOverLimit } from "./size.ts";

/** Throws a `Refusal` (409) when the workspace may not have `more` further threads. */
export function requireThreadCapacity(turn: Turn, workspace: Workspace, more = 1): void {
  const { agent_threads } = turn.ports.settings.limits;
  const isFull = turn.count(THREADS, workspaceKey(workspace)) + more > agent_threads;
  if (isFull) throw refusal("threads", `The workspace may have ${agent_threads} threads.`, "agent_threads");
}

/** Throws a `Refusal` (409) when the thread is full of runs; ended runs count. */
export function requireRunCapacity(turn: Turn, thread: Thread): void {
  const { agent_runs } = turn.ports.settings.limits;
  const isFull = turn.count(RUNS, threadKey(thread, thread.thread_id)) >= agent_runs;
  if (isFull) throw refusal("runs", `The thread already has ${agent_runs} runs.`, "agent_runs");
}

/** Throws a `Refusal` (409) when the workspace is full of assistants; system assistants do not count. */
export function requireAssistantCapacity(turn: Turn, workspace: Workspace): void {
  const { agent_assistants } = turn.ports.settings.limits;
  const isFull = turn.count(ASSISTANTS, workspaceKey(workspace)) >= agent_assistants;
  if (isFull)
    throw refusal("assistants", `The workspace may have ${agent_assistants} assistants.`, "agent_assistants");
}

/** Throws a `Refusal` (409) when the world's event queue is full; stale events stay in it until due. */
export function requireEventCapacity(turn: Turn, more = 1): void {
  const { agent_waiting_events: most } = turn.ports.settings.limits;
  if (turn.pendingEventCount() + more <= most) return;
  throw new Refusal(
    409,
    "too_many_events",
    `This world has ${turn.pendingEventCount()} scheduled events; at most ${most} are allowed.`,
    "Advance the clock past them, reset the world, or raise limits.agent_waiting_events.",
  );
}

/** Throws a `Refusal` (413) when values are larger than a thread may hold. */
export function requireValuesSize(turn: Turn, values: Values): void {
  const { agent_values_bytes: most } = turn.ports.settings.limits;
  const bytes = bytesOverLimit(values, most);
  if (bytes === undefined) return;
  const { message, hint } = valuesTooLarge(bytes, most);
  throw new Refusal(413, "values_too_large", message, hint);
}

/** Message and hint for values of `bytes` bytes where `most` are allowed. */
export function valuesTooLarge(bytes: number, most: number) {
  return {
    message: `The thread would hold ${bytes} bytes of values; limits.agent_values_bytes allows ${most}.`,
    hint: "Replace large members with POST /threads/{thread_id}/state, or raise limits.agent_values_bytes.",
  };
}

type CallerMetadata = Partial<Record<"metadata" | "config" | "context", Json | null>> &
  Partial<Record<"name" | "description", string | null>>;

/** Throws a `Refusal` (413) when caller-defined members of a record are too large. */
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
    `metadata: with config and context it would have ${bytes} bytes; at most ${most} are allowed.`,
    "Send less, or raise limits.agent_metadata_bytes.",
  );
}

/** Throws a `Refusal` (422) for a `recursion_limit` that is not a whole number of at least 1. */
export function requireRecursionLimit(config: Json | null | undefined, where: string): void {
  const limit = plainNumber(config?.recursion_limit);
  if (limit === undefined || (Number.isSafeInteger(limit) && Number(limit) >= 1)) return;
  throw invalidRequest(`${where}.recursion_limit: must be a whole number of at least 1.`);
}

function refusal(kind: string, message: string, limit: string): Refusal {
  return new Refusal(409, `too_many_${kind}`, message, `Delete some, or raise limits.${limit}.`);
}
