import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Reader, Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import {
  requireEventCapacity,
  requireMetadataSize,
  requireThreadCapacity,
  requireValuesSize,
} from "./capacity.ts";
import { addCheckpoint, latestCheckpoint } from "./checkpoints.ts";
import {
  type AgentRun,
  CHECKPOINTS,
  type Checkpoint,
  type Json,
  RUNS,
  THREADS,
  type Thread,
  threadKey,
} from "./records.ts";
import { bytesOf } from "./size.ts";
import { withTtl } from "./thread-ttl.ts";

export type ThreadInput = BodyOf<"createThread">;

export function threadById(reader: Reader, workspace: Workspace, id: string): Thread | undefined {
  return reader.get(THREADS, threadKey(workspace, id.toLowerCase()));
}

export function requireThread(reader: Reader, workspace: Workspace, id: string): Thread {
  const thread = threadById(reader, workspace, id);
  if (!thread) throw new Refusal(404, "not_found", `Thread with ID ${id} not found`);
  return thread;
}

/** A run of this thread. Throws a `Refusal` (404). */
export function requireRun(reader: Reader, workspace: Workspace, threadId: string, runId: string): AgentRun {
  const { thread_id } = requireThread(reader, workspace, threadId);
  const run = reader.get(RUNS, runId.toLowerCase());
  if (!run || run.thread_id !== thread_id || workspaceKey(run) !== workspaceKey(workspace))
    throw new Refusal(404, "not_found", `Run with ID ${runId} not found on thread ${threadId}`);
  return run;
}

/** One for all: a world may have many threads. */
const NOTHING: Json = Object.freeze({});

/** A new thread, not stored yet. */
export function newThread(turn: Turn, { region, tenant_id }: Workspace, input: ThreadInput): Thread {
  return {
    region,
    tenant_id,
    thread_id: input.thread_id?.toLowerCase() ?? turn.nextId("agent_thread"),
    created_at: turn.now,
    updated_at: turn.now,
    metadata: input.metadata ?? NOTHING,
    config: input.config ?? NOTHING,
    status: "idle",
    checkpoint_id: null,
    temporary: false,
  };
}

export function createThread(turn: Turn, workspace: Workspace, input: ThreadInput): Thread {
  const existingThread = input.thread_id ? threadById(turn, workspace, input.thread_id) : undefined;
  if (existingThread && input.if_exists === "do_nothing") return existingThread;
  if (existingThread)
    throw new Refusal(409, "conflict", `Thread with ID ${existingThread.thread_id} already exists`);
  requireThreadCapacity(turn, workspace);
  requireMetadataSize(turn, input);
  if (input.ttl) requireEventCapacity(turn);
  const thread = withTtl(turn, newThread(turn, workspace, input), input.ttl);
  turn.put(THREADS, thread);
  return thread;
}

export function updateThread(turn: Turn, before: Thread, { metadata, ttl }: BodyOf<"updateThread">): Thread {
  const updated = { ...before, metadata: { ...before.metadata, ...metadata }, updated_at: turn.now };
  requireMetadataSize(turn, updated);
  if (ttl) requireEventCapacity(turn);
  const after = withTtl(turn, updated, ttl);
  turn.put(THREADS, after);
  return after;
}

/**
 * Copies a thread with the states that it has kept, each with its id and times. Of values that are together
 * larger than `limits.agent_values_bytes` only the newest are copied. Runs and the time to live are not copied.
 */
export function copyThread(turn: Turn, from: Thread): Thread {
  requireThreadCapacity(turn, from);
  requireValuesSize(turn, latestCheckpoint(turn, from)?.values ?? null);
  const copy = newThread(turn, from, { metadata: from.metadata, config: from.config });
  const key = threadKey(from, from.thread_id);
  const states = newestWithin(
    [...turn.list(CHECKPOINTS, key)],
    turn.ports.settings.limits.agent_values_bytes,
  );
  for (const state of states)
    addCheckpoint(turn, copy, { ...state, metadata: { ...state.metadata, thread_id: copy.thread_id } });
  return putState(turn, copy, latestCheckpoint(turn, from));
}

/** Stores a thread with its newest state, which decides its status. */
export function putState(turn: Turn, thread: Thread, state: Checkpoint | undefined): Thread {
  const status = state && state.next.length > 0 ? "interrupted" : "idle";
  const after: Thread = { ...thread, status, checkpoint_id: state?.checkpoint_id ?? null };
  turn.put(THREADS, after);
  return after;
}

/** The newest states whose values have at most `bytes` bytes together, oldest first. */
function newestWithin(states: readonly Checkpoint[], bytes: number): readonly Checkpoint[] {
  let remainingBytes = bytes;
  const fits = states.findLastIndex(({ values }) => {
    remainingBytes -= bytesOf(values);
    return remainingBytes < 0;
  });
  return states.slice(fits + 1);
}
