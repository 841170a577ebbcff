import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import type { Instant } from "../../kernel/instant.ts";
import type { Reader, Turn } from "../turn.ts";
import { sameWorkspace, type Workspace } from "../workspace.ts";
import { cancelRun } from "./cancel.ts";
import { PLANS, type Plan } from "./plan.ts";
import { type AgentRun, CHECKPOINTS, checkpointKey, type Json, RUNS, THREADS, threadKey } from "./records.ts";
import { isActive } from "./run-lifecycle.ts";
import { framesBetween, metadataFrame, ROLLED_BACK, STREAM_START, type StreamPosition } from "./stream.ts";
import { valuesAfter } from "./values.ts";
import { interruptView } from "./view.ts";

/** A reader of a run's stream: the modes it reads and the position it starts after. */
export interface RunSubscription {
  readonly runId: string;
  readonly as: "stream" | "outcome";
  readonly modes: readonly StreamMode[];
  readonly after: StreamPosition;
  readonly onDisconnect: "cancel" | "continue";
}

/** The run, or the retained plan of a removed run. */
export function findRun(
  reader: Reader,
  workspace: Workspace,
  runId: string,
  threadId?: string,
): AgentRun | Plan | undefined {
  const id = runId.toLowerCase();
  const run = reader.get(RUNS, id) ?? reader.get(PLANS, id);
  const isVisible = run !== undefined && sameWorkspace(run, workspace);
  return isVisible && (threadId === undefined || run.thread_id === threadId.toLowerCase()) ? run : undefined;
}

/** The frames after a position; `isOver` when no further ones follow. */
export function readStream(
  reader: Reader,
  { runId, modes }: Pick<RunSubscription, "runId" | "modes">,
  after: StreamPosition,
) {
  const plan = reader.get(PLANS, runId);
  const run = reader.get(RUNS, runId);
  const firstFrames = after === STREAM_START ? [metadataFrame(runId)] : [];
  const isOver = plan?.ended !== undefined && plan.ended !== null ? true : !run || !isActive(run);
  const reached = plan?.ended?.emitted ?? run?.emitted ?? 0;
  const position = { step: Math.max(reached, after.step, 0), frame: Number.MAX_SAFE_INTEGER };
  const body = plan ? framesBetween(plan, after, reached, modes) : [];
  if (!isOver) return { frames: [...firstFrames, ...body], position, isOver };
  const removedFrames = !plan && !run ? [{ id: "0-1", event: "error", data: ROLLED_BACK }] : [];
  return { frames: [...firstFrames, ...body, ...removedFrames], position, isOver };
}

/** The position after the last frame emitted so far. */
export function currentPosition(reader: Reader, runId: string): StreamPosition {
  const emitted = reader.get(PLANS, runId)?.ended?.emitted ?? reader.get(RUNS, runId)?.emitted ?? 0;
  return { step: emitted, frame: Number.MAX_SAFE_INTEGER };
}

/** The body of a wait or join reply; undefined while the run is active (§4.8-4). */
export function outcomeOf(reader: Reader, runId: string): unknown {
  const plan = reader.get(PLANS, runId);
  if (plan?.ended) return outcomeOfPlan(plan);
  const run = reader.get(RUNS, runId);
  if (!run) return { __error__: ROLLED_BACK };
  if (isActive(run)) return undefined;
  if (run.status === "error" || run.status === "timeout")
    return { __error__: { error: run.status, message: "The details are no longer stored." } };
  const key = threadKey(run, run.thread_id);
  const { checkpoint_id = null } = reader.get(THREADS, key) ?? {};
  return (checkpoint_id && reader.get(CHECKPOINTS, checkpointKey(key, checkpoint_id))?.values) || {};
}

function outcomeOfPlan(plan: Plan): Json {
  const { emitted, ending } = plan.ended ?? { emitted: 0, ending: null };
  if (!ending) return { __error__: ROLLED_BACK };
  if (ending.trigger === "fail" || ending.trigger === "time_out")
    return { __error__: { error: ending.error, message: ending.message } };
  if (ending.trigger === "ask" && ending.interrupts.length > 0)
    return { __interrupt__: ending.interrupts.map(interruptView) };
  return valuesAfter(plan, emitted) ?? {};
}

/** When the run, or the run it queues behind, changes next; undefined when nothing is scheduled. */
export function nextChangeAt(reader: Reader, runId: string): Instant | undefined {
  const run = reader.get(RUNS, runId);
  if (!run || !isActive(run)) return undefined;
  const group = threadKey(run, run.thread_id);
  const [running] = reader.page(RUNS, { group, label: "running", offset: 0, limit: 1 });
  return running?.next_at ?? run.eligible_at ?? undefined;
}

/** Cancels an active run whose reader has disconnected. */
export function cancelUnreadRun(turn: Turn, runId: string): void {
  const run = turn.get(RUNS, runId);
  if (run && isActive(run)) cancelRun(turn, run, "interrupt");
}
