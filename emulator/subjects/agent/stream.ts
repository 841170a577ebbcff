import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { chainEvent } from "./event-frames.ts";
import { type FrameContent, framesOf, inFrameOrder, taskEndFrames } from "./frames.ts";
import type { Ended, Plan } from "./plan.ts";
import { type StepContext, stepContexts } from "./step-context.ts";
import { interruptView } from "./view.ts";

/** One event of a stream. Its id is its position in the run. */
export interface Frame extends FrameContent {
  readonly id: string;
}

/** A position in a stream: a step of the plan and a frame of that step. */
export interface StreamPosition {
  readonly step: number;
  readonly frame: number;
}

export const STREAM_START: StreamPosition = { step: -1, frame: 0 };

/** Parses Last-Event-ID; an invalid id starts from the beginning. */
export function positionOf(id: string): StreamPosition {
  const [, step, frame] = /^(\d{1,9})-(\d{1,9})$/.exec(id) ?? [];
  return step === undefined ? STREAM_START : { step: Number(step), frame: Number(frame) };
}

/** The first frame of every stream. */
export function metadataFrame(runId: string): Frame {
  return { id: "0-0", event: "metadata", data: { run_id: runId, attempt: 1 } };
}

/** The frames of these modes after a position: those of the first `upTo` steps, and those of the run's end. */
export function framesBetween(
  plan: Plan,
  after: StreamPosition,
  upTo: number,
  modes: readonly StreamMode[],
): readonly Frame[] {
  const { ended } = plan;
  const ordered = inFrameOrder(modes);
  const frames: Frame[] = [];
  let [index, last]: [number, StepContext | undefined] = [0, undefined];
  for (const context of stepContexts(plan, upTo)) {
    [index, last] = [index + 1, context];
    if (index < after.step) continue;
    const content = ordered.flatMap((mode) => framesOf(mode, context));
    frames.push(...framesAfter(after, index, content));
  }
  if (ended) frames.push(...framesAfter(after, ended.emitted + 1, endOf(plan, ended, last, ordered)));
  return frames;
}

/** The frames of one step that follow a position, with their ids. */
function framesAfter(
  after: StreamPosition,
  step: number,
  content: readonly FrameContent[],
): readonly Frame[] {
  const frames = content.map((frame, position) => ({ id: `${step}-${position}`, ...frame }));
  if (step > after.step) return frames;
  return step === after.step ? frames.slice(after.frame + 1) : [];
}

/** The frames of the run's end: an error, an interrupt, a chain end or none. */
function endOf(
  plan: Plan,
  { ending, at }: Ended,
  last: StepContext | undefined,
  modes: readonly StreamMode[],
): readonly FrameContent[] {
  if (!ending) return [{ event: "error", data: ROLLED_BACK }];
  if (ending.trigger === "cancel") return [];
  const values = last?.values ?? {};
  const chainEnd = modes.includes("events")
    ? [{ event: "events", data: chainEvent(plan, "on_chain_end", plan.graph_id, { output: values }) }]
    : [];
  if (ending.trigger === "succeed") return chainEnd;
  const interrupts = ending.trigger === "ask" ? ending.interrupts : [];
  const taskEnds = modes.flatMap((mode) =>
    last && (mode === "tasks" || mode === "debug") ? taskEndFrames(mode, last, at, interrupts) : [],
  );
  if (ending.trigger !== "ask")
    return [...taskEnds, { event: "error", data: { error: ending.error, message: ending.message } }];
  const data = { __interrupt__: interrupts.map(interruptView) };
  return [
    // Interrupts also go to readers of neither `updates` nor `values`.
    ...(modes.includes("updates") || !modes.includes("values") ? [{ event: "updates", data }] : []),
    ...(modes.includes("values") ? [{ event: "values", data }] : []),
    ...taskEnds,
    ...chainEnd,
  ];
}

export const ROLLED_BACK = { error: "UserRollback", message: "The run was rolled back." } as const;
