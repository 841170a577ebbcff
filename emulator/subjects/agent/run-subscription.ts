import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import type { Instant } from "../../kernel/instant.ts";
import type { Reader, Turn } from "../turn.ts";
import { sameWorkspace, type Workspace } from "../workspace.ts";
import { cancelRun } from "./cancel.ts";
import { PLANS, type Plan } from "./plan.ts";
import { type AgentRun, CHECKPOINTS, type Json, RUNS, THREADS, threadKey } from "./records.ts";
import { isActive } from "./run-lifecycle.ts";
import {
  endFrames,
  type Frame,
  framesBetween,
  metadataFrame,
  ROLLED_BACK,
  STREAM_START,
  type StreamPosition,
} from "./stream.ts";
import { valuesAfter } from "./values.ts";
import { interruptView } from "./view.ts";

/** A reader of a run: what it wants to hear, and from where on. */
export interface RunSubscription {
  readonly runId: string;
  readonly as: "stream" | "outcome";
  readonly modes: readonly StreamMode[];
  readonly after: StreamPosition;
  readonly onDisconnect: "cancel" | "continue";
}

export interface StreamRead {
  readonly frames: readonly Frame[];
  /** Up to where the reader has heard everything. */
  readonly position: StreamPosition;
  readonly isOver: boolean;
}

/** The run that is named, or what is still known of one that is gone. */
export function findRun(
  reader: Reader,
  workspace: Workspace,
  runId: string,
  threadId?: string,
): AgentRun | Plan | undefined {
  const id = runId.toLowerCase();
  const found = reader.get(RUNS, id) ?? reader.get(PLANS, id);
  const isThere = found !== undefined && sameWorkspace(found, workspace);
  return isThere && (threadId === undefined || found.thread_id === threadId.toLowerCase())
    ? found
    : undefined;
}

/** What has happened behind a place; `over` when nothing more will. */
export function readStream(
  reader: Reader,
  { runId, modes }: RunSubscription,
  after: StreamPosition,
): StreamRead {
  const plan = reader.get(PLANS, runId);
  const run = reader.get(RUNS, runId);
  const head = after === STREAM_START ? [metadataFrame(runId)] : [];
  const isOver = plan?.ended !== undefined && plan.ended !== null ? true : !run || !isActive(run);
  const reached = plan?.ended?.emitted ?? run?.emitted ?? 0;
  const position = { step: Math.max(reached, after.step, 0), frame: Number.MAX_SAFE_INTEGER };
  const body = plan ? framesBetween(plan, after, reached, modes) : [];
  if (!isOver) return { frames: [...head, ...body], position, isOver };
  const removedFrames = !plan && !run ? [{ id: "0-1", event: "error", data: ROLLED_BACK }] : [];
  const end = plan ? endFrames(plan, after, modes) : removedFrames;
  return { frames: [...head, ...body, ...end], position, isOver };
}

/** The place behind everything that a run has told so far. */
export function currentPosition(reader: Reader, runId: string): StreamPosition {
  const emitted = reader.get(PLANS, runId)?.ended?.emitted ?? reader.get(RUNS, runId)?.emitted ?? 0;
  return { step: emitted, frame: Number.MAX_SAFE_INTEGER };
}

/** What wait and join answer with; undefined while the run goes on (4.8-4). */
export function outcomeOf(reader: Reader, runId: string): unknown {
  const plan = reader.get(PLANS, runId);
  if (plan?.ended) return outcomeOfPlan(plan);
  const run = reader.get(RUNS, runId);
  if (!run) return { __error__: ROLLED_BACK };
  if (isActive(run)) return undefined;
  if (run.status === "error" || run.status === "timeout")
    return { __error__: { error: run.status, message: "What it told of it is no longer kept." } };
  const thread = reader.get(THREADS, threadKey(run, run.thread_id));
  return (thread?.checkpoint_id && reader.get(CHECKPOINTS, thread.checkpoint_id)?.values) || {};
}

function outcomeOfPlan(plan: Plan): Json {
  const { emitted, ending } = plan.ended ?? { emitted: 0, ending: null };
  if (!ending) return { __error__: ROLLED_BACK };
  const values = valuesAfter(plan, emitted) ?? {};
  if (ending.trigger === "fail" || ending.trigger === "time_out")
    return { ...values, __error__: { error: ending.error, message: ending.message } };
  if (ending.trigger === "ask" && ending.interrupts.length > 0)
    return { ...values, __interrupt__: ending.interrupts.map(interruptView) };
  return values;
}

/** The next instant at which something happens that a run waits for; undefined when nothing will. */
export function nextChangeAt(reader: Reader, runId: string): Instant | undefined {
  const run = reader.get(RUNS, runId);
  if (!run || !isActive(run)) return undefined;
  const group = threadKey(run, run.thread_id);
  const [atWork] = reader.page(RUNS, { group, label: "running", offset: 0, limit: 1 });
  return atWork?.next_at ?? run.eligible_at ?? undefined;
}

/** Its reader has gone: the run is stopped, if it has not ended by itself. */
export function cancelUnreadRun(turn: Turn, runId: string): void {
  const run = turn.get(RUNS, runId);
  if (run && isActive(run)) cancelRun(turn, run, "interrupt");
}
