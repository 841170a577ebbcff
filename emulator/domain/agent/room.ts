import { Refusal } from "../../kernel/refusal.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import { ASSISTANTS, RUNS, THREADS, type Thread, threadKey } from "./records.ts";

/** Refuses more threads than a workspace may have; asked before anything is written. */
export function requireRoomForThreads(turn: Turn, workspace: Workspace, more = 1): void {
  const { agent_threads } = turn.ports.settings.limits;
  const full = turn.count(THREADS, workspaceKey(workspace)) + more > agent_threads;
  if (full) throw refusal("threads", `The workspace may have ${agent_threads} threads.`, "agent_threads");
}

/** Refuses more runs than a thread may keep, those that have ended included. */
export function requireRoomForRun(turn: Turn, thread: Thread): void {
  const { agent_runs } = turn.ports.settings.limits;
  const full = turn.count(RUNS, threadKey(thread, thread.thread_id)) >= agent_runs;
  if (full) throw refusal("runs", `The thread may keep ${agent_runs} runs.`, "agent_runs");
}

/** Refuses more assistants than a workspace may have beside those of the server. */
export function requireRoomForAssistant(turn: Turn, workspace: Workspace): void {
  const { agent_assistants } = turn.ports.settings.limits;
  const full = turn.count(ASSISTANTS, workspaceKey(workspace)) >= agent_assistants;
  if (full)
    throw refusal("assistants", `The workspace may have ${agent_assistants} assistants.`, "agent_assistants");
}

function refusal(what: string, message: string, limit: string): Refusal {
  return new Refusal(409, `too_many_${what}`, message, `Delete some, or raise limits.${limit}.`);
}
