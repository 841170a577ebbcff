import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { textOf } from "./messages.ts";
import type { Plan, Step } from "./plan.ts";
import type { Json, Values } from "./records.ts";
import { merged, valuesAfter } from "./values.ts";
import { interruptView } from "./view.ts";

/** One event of a stream. Its id is its position in the run and does not depend on the reader's modes. */
export interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** A position in a stream: a step of the plan and a frame of that step. */
export interface StreamPosition {
  readonly step: number;
  readonly frame: number;
}

type FrameContent = Omit<Frame, "id">;

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

/** The frames of these modes after a position, up to step `upTo`. */
export function framesBetween(
  plan: Plan,
  after: StreamPosition,
  upTo: number,
  modes: readonly StreamMode[],
): readonly Frame[] {
  const frames: Frame[] = [];
  let values = plan.base;
  let text = "";
  plan.steps.slice(0, upTo).forEach((step, index) => {
    const before = values;
    values = valuesAfterStep(plan, before, step);
    if (step.kind === "message") text = (step.first ? "" : text) + textOf(step.chunk);
    if (index + 1 < after.step) return;
    const emittedFrames = modes.flatMap((mode) =>
      FRAME_BUILDERS[mode]({ plan, step, index, text, values: values ?? {} }),
    );
    emittedFrames.forEach((frame, position) => {
      const isNew = index + 1 > after.step || position > after.frame;
      if (isNew) frames.push({ id: `${index + 1}-${position}`, ...frame });
    });
  });
  return frames;
}

/** The frames of the run's end: an error, an interrupt, a chain end or none. */
export function endFrames(plan: Plan, after: StreamPosition, modes: readonly StreamMode[]): readonly Frame[] {
  const { ended } = plan;
  if (!ended) return [];
  const step = ended.emitted + 1;
  return endOf(plan, valuesAfter(plan, ended.emitted), modes)
    .map((frame, position) => ({ id: `${step}-${position}`, ...frame }))
    .filter((_, position) => step > after.step || position > after.frame);
}

function endOf(plan: Plan, values: Values, modes: readonly StreamMode[]): readonly FrameContent[] {
  const ending = plan.ended?.ending;
  if (!ending) return [{ event: "error", data: ROLLED_BACK }];
  if (ending.trigger === "fail" || ending.trigger === "time_out")
    return [{ event: "error", data: { error: ending.error, message: ending.message } }];
  if (ending.trigger === "succeed") return chainEnd(plan, values, modes);
  if (ending.trigger !== "ask") return [];
  const __interrupt__ = ending.interrupts.map(interruptView);
  // Interrupts also go to readers of `updates`; a breakpoint has no interrupt and changes no values.
  const asValues = modes.includes("values") && __interrupt__.length > 0;
  return [
    ...(modes.includes("updates") || !modes.includes("values")
      ? [{ event: "updates", data: { __interrupt__ } }]
      : []),
    ...(asValues ? [{ event: "values", data: { ...values, __interrupt__ } }] : []),
    ...chainEnd(plan, values, modes),
  ];
}

/** The `on_chain_end` event of the whole run, counterpart of its `on_chain_start`. */
function chainEnd(plan: Plan, values: Values, modes: readonly StreamMode[]): readonly FrameContent[] {
  if (!modes.includes("events")) return [];
  return [
    { event: "events", data: chainEvent(plan, "on_chain_end", plan.graph_id, { output: values ?? {} }) },
  ];
}

export const ROLLED_BACK = { error: "UserRollback", message: "The run was rolled back." } as const;

function valuesAfterStep({ kept_messages }: Plan, before: Values, step: Step): Values {
  if (step.kind === "values") return step.values;
  return step.kind === "input" || step.kind === "update"
    ? merged(before, step.update, kept_messages)
    : before;
}

interface StepContext {
  readonly plan: Plan;
  readonly step: Step;
  readonly index: number;
  /** The text of the current message so far. */
  readonly text: string;
  readonly values: Json;
}

const changes = ({ kind }: Step) => kind === "input" || kind === "update" || kind === "values";
const stepFrames = (mode: StreamMode, { step }: StepContext): readonly FrameContent[] =>
  step.kind === "told" && step.mode === mode ? [{ event: mode, data: step.data }] : [];

/** The frames of one step in each stream mode, as observed on the public service. */
const FRAME_BUILDERS: Readonly<Record<StreamMode, (context: StepContext) => readonly FrameContent[]>> = {
  values: (context) =>
    changes(context.step) ? [{ event: "values", data: context.values }] : stepFrames("values", context),

  updates: (context) =>
    context.step.kind === "update"
      ? [{ event: "updates", data: { [context.step.node]: context.step.update } }]
      : stepFrames("updates", context),

  messages(context) {
    const { plan, step, index, text } = context;
    if (step.kind !== "message") return stepFrames("messages", context);
    const metadata = { [String(step.message.id)]: { metadata: messageMetadata(plan, step.node, index) } };
    return [
      ...(step.first ? [{ event: "messages/metadata", data: metadata }] : []),
      step.last
        ? { event: "messages/complete", data: [step.message] }
        : { event: "messages/partial", data: [{ ...step.message, content: text }] },
    ];
  },

  "messages-tuple": (context) =>
    context.step.kind === "message"
      ? [
          {
            event: "messages",
            data: [context.step.chunk, messageMetadata(context.plan, context.step.node, context.index)],
          },
        ]
      : stepFrames("messages-tuple", context),

  custom: (context) => stepFrames("custom", context),
  tasks: (context) => [
    ...taskOf(context).map((data) => ({ event: "tasks", data })),
    ...stepFrames("tasks", context),
  ],
  checkpoints: (context) =>
    changes(context.step)
      ? [{ event: "checkpoints", data: checkpointData(context) }]
      : stepFrames("checkpoints", context),

  debug(context) {
    const { plan, step, index } = context;
    const base = { step: index, timestamp: formatInstant(plan.started_at + step.at) };
    return [
      ...taskOf(context).map((payload) => ({
        event: "debug",
        data: { type: step.kind === "begin" ? "task" : "task_result", ...base, payload },
      })),
      ...(changes(step)
        ? [{ event: "debug", data: { type: "checkpoint", ...base, payload: checkpointData(context) } }]
        : []),
      ...stepFrames("debug", context),
    ];
  },

  events: (context) => [
    ...eventsOf(context).map((data) => ({ event: "events", data })),
    ...stepFrames("events", context),
  ],
};

function taskOf({ step, values }: StepContext): readonly Json[] {
  if (step.kind === "begin")
    return [
      {
        id: step.task,
        name: step.node,
        input: values,
        triggers: [`branch:to:${step.node}`],
        interrupts: [],
      },
    ];
  if (step.kind !== "update") return [];
  return [
    { id: step.task, name: step.node, error: null, result: Object.entries(step.update), interrupts: [] },
  ];
}

function checkpointData({ plan, step, index, values }: StepContext): Json {
  const { thread_id, run_id } = plan;
  return {
    values,
    next: nodesAfterStep(plan, index),
    metadata: { source: step.kind === "input" ? "input" : "loop", step: index, run_id, thread_id },
    tasks: [],
    config: { configurable: { thread_id, checkpoint_ns: "" } },
  };
}

function nodesAfterStep({ steps, ending }: Plan, index: number): readonly string[] {
  const next = steps[index + 1];
  if (!next && ending.trigger === "ask") return [ending.node];
  return next?.kind === "begin" ? [next.node] : [];
}

function chainEvent({ run_id, graph_id }: Plan, event: string, name: string, data: Json): Json {
  return { event, name, run_id, tags: [], metadata: { graph_id }, data };
}

function eventsOf({ plan, step, values }: StepContext): readonly Json[] {
  const { graph_id } = plan;
  const chainFrame = (event: string, name: string, data: Json) => chainEvent(plan, event, name, data);
  switch (step.kind) {
    case "input":
      return [chainFrame("on_chain_start", graph_id, { input: step.update })];
    case "begin":
      return [chainFrame("on_chain_start", step.node, { input: values })];
    case "message":
      if (step.message.type === "tool")
        return [
          chainFrame("on_tool_start", String(step.message.name), { input: {} }),
          chainFrame("on_tool_end", String(step.message.name), { output: step.message }),
        ];
      return [
        ...(step.first ? [chainFrame("on_chat_model_start", `${step.node}-model`, { input: {} })] : []),
        chainFrame("on_chat_model_stream", `${step.node}-model`, { chunk: step.chunk }),
        ...(step.last
          ? [chainFrame("on_chat_model_end", `${step.node}-model`, { output: step.message })]
          : []),
      ];
    case "update":
      return [
        chainFrame("on_chain_stream", step.node, { chunk: step.update }),
        chainFrame("on_chain_end", step.node, { output: step.update }),
      ];
    case "values":
      return [chainFrame("on_chain_stream", graph_id, { chunk: values })];
    default:
      return [];
  }
}

function messageMetadata(
  { run_id, thread_id, graph_id, assistant_id }: Plan,
  node: string,
  index: number,
): Json {
  return { langgraph_node: node, langgraph_step: index, run_id, thread_id, graph_id, assistant_id };
}
