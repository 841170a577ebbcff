import {
  AGENT_RUN_MOVES,
  AGENT_RUN_STATUSES,
  type AgentMove,
  type AgentTrigger,
  type ThreadStatus,
} from "../../../contracts/spec/agent/lifecycle.ts";
import type { Event, Reader, Turn } from "../turn.ts";
import { runEnded } from "../webhooks/deliver.ts";
import type { Workspace } from "../workspace.ts";
import { addCheckpoint, findState, lastStateOf, latestCheckpoint, referencedState } from "./checkpoints.ts";
import { type Ended, type Ending, PLANS, type Plan } from "./plan.ts";
import { planHeaderOf, planRun } from "./planner.ts";
import {
  type AgentRun,
  CHECKPOINTS,
  type Checkpoint,
  checkpointKey,
  RUNS,
  THREADS,
  type Thread,
  threadKey,
} from "./records.ts";
import { hasOpenTask } from "./step-context.ts";
import { resumeExpiry, unscheduleExpiry } from "./thread-ttl.ts";
import { traceRun } from "./trace.ts";
import { valuesAfter } from "./values.ts";

/** Schedules the start of the thread's next pending run. */
export function scheduleStart(turn: Turn, run: AgentRun, afterMs: number): void {
  const thread = threadKey(run, run.thread_id);
  turn.schedule({ kind: "agent_run.due", ref: run.run_id, afterMs, data: { thread } });
}

/** Handles `agent_run.due`: starts the thread's next pending run. */
export function onDue(turn: Turn, { data }: Event<"agent_run.due">): void {
  startNext(turn, data.thread);
}

/** Starts the first pending run unless one is running: a thread executes one run at a time. */
function startNext(turn: Turn, thread: string): void {
  if (turn.count(RUNS, thread, "running") > 0) return;
  const run = firstWaiting(turn, thread);
  if (run) startRun(turn, run);
}

function firstWaiting(turn: Turn, thread: string): AgentRun | undefined {
  const limit = 50;
  for (let offset = 0; ; offset += limit) {
    const waiting = turn.page(RUNS, { group: thread, label: "pending", offset, limit });
    const nextRun = waiting.find(({ eligible_at }) => eligible_at !== null && eligible_at <= turn.now);
    if (nextRun || waiting.length < limit) return nextRun;
  }
}

function startRun(turn: Turn, pending: AgentRun): void {
  const run = { ...moved(turn, pending, moveOf(pending, "start")), started_at: turn.now };
  const plan = planFrom(turn, run, threadOf(turn, pending));
  turn.put(PLANS, plan);
  advanceRun(turn, run, plan);
}

/** Plans a run from the requested state, or from the newest one of its thread. */
function planFrom(turn: Turn, run: AgentRun, thread: Thread): Plan {
  const stateId = referencedState(run.kwargs);
  if (stateId === undefined) return planRun(turn, run, latestCheckpoint(turn, thread), false);
  const from = findState(turn, thread, stateId);
  if (from) return planRun(turn, run, from, stateId !== thread.checkpoint_id);
  const message = `The thread no longer has the state ${String(stateId)}, which the run starts from.`;
  const ending = { trigger: "fail", error: "CheckpointNotFound", message, node: run.graph_id } as const;
  return { ...emptyPlan(turn, run), ending };
}

/** Handles `agent_run.step`; ignores the event when the run has ended or emitted more steps since. */
export function onStep(turn: Turn, { ref, data }: Event<"agent_run.step">): void {
  const run = turn.get(RUNS, ref);
  const plan = turn.get(PLANS, ref);
  if (!run || !plan || run.status !== "running" || run.emitted !== data.emitted) return;
  advanceRun(turn, run, plan);
}

/** Emits all steps that are due, then ends the run or schedules the next step. */
function advanceRun(turn: Turn, run: AgentRun, plan: Plan): void {
  const elapsed = turn.now - plan.started_at;
  const nextStep = plan.steps.findIndex(({ at }) => at > elapsed);
  const emitted = nextStep === -1 ? plan.steps.length : nextStep;
  if (nextStep === -1 && plan.ends_at <= elapsed) return endRun(turn, { ...run, emitted }, plan.ending);
  const nextAt = plan.steps[emitted]?.at ?? plan.ends_at;
  const after = { ...run, emitted, next_at: plan.started_at + nextAt };
  turn.put(RUNS, after);
  turn.schedule({ kind: "agent_run.step", ref: run.run_id, afterMs: nextAt - elapsed, data: { emitted } });
}

/** Ends a run: stores its state on the thread, writes its trace rows and notifies its webhook (§6). */
export function endRun(turn: Turn, before: AgentRun, ending: Ending): void {
  const plan = turn.get(PLANS, before.run_id);
  const move = moveOf(before, ending.trigger);
  unscheduleRun(turn, before);
  const run = { ...moved(turn, before, move), next_at: null };
  turn.put(RUNS, run);
  const values = plan ? valuesAfter(plan, before.emitted) : null;
  const end: Ended = {
    at: plan ? turn.now - plan.started_at : 0,
    emitted: before.emitted,
    status: run.status as Ended["status"],
    ending,
  };
  if (plan) traceRun(turn, run, { ...plan, ended: end }, values);
  retainEndedPlan(turn, before, plan, end);
  updateThreadAfterRun(turn, run, move, ending, plan);
  runEnded(turn, run, values, run.started_at);
  settleIdleThread(turn, threadOf(turn, run));
}

/** A run that ends before its next event was due needs that no more; most end with their last one. */
function unscheduleRun(turn: Turn, { run_id, next_at, eligible_at }: AgentRun): void {
  const wakesAt = next_at ?? eligible_at;
  if (wakesAt !== null && wakesAt > turn.now) turn.unschedule(run_id);
}

/** Deletes a temporary thread, and resumes the time to live of others, once no run on it is active. */
function settleIdleThread(turn: Turn, thread: Thread): void {
  if (thread.status === "busy") return;
  if (thread.temporary) removeThread(turn, thread);
  else resumeExpiry(turn, thread);
}

/** Removes a run and its effect on the thread; readers of its stream receive a `UserRollback` error. */
export function removeRun(turn: Turn, run: AgentRun): void {
  turn.remove(RUNS, run.run_id);
  if (!isActive(run)) return;
  unscheduleRun(turn, run);
  const plan = turn.get(PLANS, run.run_id);
  const at = plan ? turn.now - plan.started_at : 0;
  const end: Ended = { at, emitted: run.emitted, status: "rolled_back", ending: null };
  // Trace rows record what was executed, so a rollback of the thread keeps them.
  if (plan) traceRun(turn, run, { ...plan, ended: end }, valuesAfter(plan, run.emitted));
  retainEndedPlan(turn, run, plan, end);
  turn.note("agent_run.removed", run.run_id, { from: run.status });
  const thread = turn.get(THREADS, threadKey(run, run.thread_id));
  if (!thread) return;
  updateThreadStatus(turn, thread, null);
  scheduleNextRun(turn, run);
  settleIdleThread(turn, threadOf(turn, run));
}

/** Deletes a run with its retained plan, so that its stream can no longer be joined. */
export function deleteRun(turn: Turn, run: AgentRun): void {
  removeRun(turn, run);
  removeEndedPlan(turn, run);
}

/** Deletes a thread with its runs and their retained plans. */
export function deleteThread(turn: Turn, thread: Thread): void {
  const runs = [...turn.list(RUNS, threadKey(thread, thread.thread_id))];
  removeThread(turn, thread);
  for (const run of runs) removeEndedPlan(turn, run);
}

function removeEndedPlan(turn: Turn, run: AgentRun): void {
  if (!isActive(run) && turn.get(PLANS, run.run_id)) turn.remove(PLANS, run.run_id);
}

function removeThread(turn: Turn, thread: Thread): void {
  const key = THREADS.idOf(thread);
  turn.remove(THREADS, key);
  unscheduleExpiry(turn, key, thread.ttl);
  for (const run of [...turn.list(RUNS, key)]) removeRun(turn, run);
  for (const { checkpoint_id } of [...turn.list(CHECKPOINTS, key)])
    turn.remove(CHECKPOINTS, checkpointKey(key, checkpoint_id));
}

export function isActive({ status }: Pick<AgentRun, "status">): boolean {
  return !AGENT_RUN_STATUSES[status].final;
}

/** Active runs of a thread: the running one, then the pending ones in order of creation. */
export function activeRuns(reader: Reader, thread: string): readonly AgentRun[] {
  const everyRun = { group: thread, offset: 0, limit: Number.MAX_SAFE_INTEGER };
  return [
    ...reader.page(RUNS, { ...everyRun, label: "running" }),
    ...reader.page(RUNS, { ...everyRun, label: "pending" }),
  ];
}

/** How many runs of a thread are active. */
export function activeRunCount(reader: Reader, thread: string): number {
  return reader.count(RUNS, thread, "running") + reader.count(RUNS, thread, "pending");
}

/** Stores the last state of the run as that of its thread, or how a run without states ended. */
function updateThreadAfterRun(
  turn: Turn,
  run: AgentRun,
  move: AgentMove,
  ending: Ending,
  plan: Plan | undefined,
): void {
  const before = { ...threadOf(turn, run), updated_at: turn.now };
  const last = plan && (lastStateOf(run, plan, run.emitted) ?? latestCheckpoint(turn, before));
  const checkpoint =
    last && addCheckpoint(turn, before, { ...last, ...outcomeOf(ending, plan, run.emitted) });
  const checkpoint_id = checkpoint?.checkpoint_id ?? before.checkpoint_id;
  updateThreadStatus(turn, { ...before, checkpoint_id }, move.thread);
  scheduleNextRun(turn, run);
}

/** The next nodes of a run's last state, by how the run ended. */
function outcomeOf(ending: Ending, plan: Plan, emitted: number): Partial<Checkpoint> {
  if (ending.trigger === "ask") return { interrupts: ending.interrupts };
  const hasFailed = ending.trigger === "fail" || ending.trigger === "time_out";
  if (!hasFailed || !hasOpenTask(plan, emitted)) return {};
  return { error: JSON.stringify({ message: ending.message, name: ending.error }) };
}

/** Busy while runs are active; else `wanted`, or else the status that follows from the thread's state. */
function updateThreadStatus(turn: Turn, thread: Thread, requestedStatus: ThreadStatus | null): void {
  const key = threadKey(thread, thread.thread_id);
  const isBusy = turn.count(RUNS, key, "running") + turn.count(RUNS, key, "pending") > 0;
  const waits = (latestCheckpoint(turn, thread)?.next.length ?? 0) > 0;
  const status = isBusy ? "busy" : (requestedStatus ?? (waits ? "interrupted" : "idle"));
  turn.put(THREADS, { ...thread, status });
}

/** Schedules the next run in a turn of its own, so that a long queue of short runs is not one long turn. */
function scheduleNextRun(turn: Turn, { run_id, thread_id, ...workspace }: AgentRun): void {
  const thread = threadKey(workspace, thread_id);
  if (turn.count(RUNS, thread, "pending") === 0) return;
  turn.schedule({ kind: "agent_run.due", ref: run_id, afterMs: 0, data: { thread } });
}

/**
 * Retains the plan so that late readers can join the stream, without what only its trace rows are made of, which
 * repeats the thread's values; drops the oldest above the limit.
 */
function retainEndedPlan(turn: Turn, run: AgentRun, plan: Plan | undefined, ending: Ended): void {
  turn.put(PLANS, { ...(plan ?? emptyPlan(turn, run)), spans: [], ended: ending });
  const excess = turn.count(PLANS, "ended") - turn.ports.settings.limits.agent_kept_streams;
  const oldest = turn.page(PLANS, { group: "ended", offset: 0, limit: Math.max(0, excess) });
  for (const { run_id } of oldest) turn.remove(PLANS, run_id);
}

function emptyPlan(turn: Turn, run: AgentRun): Plan {
  const nothing = { metadata: {}, base: null, steps: [], spans: [], ends_at: 0 };
  return { ...planHeaderOf(turn, run), ...nothing, ending: { trigger: "succeed" }, ended: null };
}

export function threadOf(reader: Reader, run: Workspace & Pick<AgentRun, "thread_id" | "run_id">): Thread {
  const thread = reader.get(THREADS, threadKey(run, run.thread_id));
  if (!thread) throw new Error(`Run ${run.run_id} has no thread.`);
  return thread;
}

/** Applies a move of the status table (§3.2) and records it in the journal. */
function moved(turn: Turn, before: AgentRun, { to, trigger }: AgentMove): AgentRun {
  turn.note("agent_run.moved", before.run_id, { from: before.status, to, trigger });
  return { ...before, status: to, updated_at: turn.now };
}

function moveOf({ status }: AgentRun, trigger: AgentTrigger): AgentMove {
  const move = AGENT_RUN_MOVES.find((row) => row.from === status && row.trigger === trigger);
  if (!move) throw new Error(`The status table has no move from ${status} by ${trigger}.`);
  return move;
}
