import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { metadataOf } from "./checkpoints.ts";
import { eventsOf } from "./event-frames.ts";
import type { CheckpointStep, Plan } from "./plan.ts";
import type { Interrupt, Json } from "./records.ts";
import { type StepContext, writesValues } from "./step-context.ts";
import { checkpointOf, interruptView, taskPath } from "./view.ts";

export interface FrameContent {
  readonly event: string;
  readonly data: unknown;
}

type FrameBuilder = (context: StepContext) => readonly FrameContent[];

/**
 * The frames of one step in each stream mode. The order of the modes is the order of their frames, whatever
 * order a reader names them in.
 */
const FRAME_BUILDERS: Readonly<Record<StreamMode, FrameBuilder>> = {
  events: (context) => eventsOf(context).map((data) => ({ event: "events", data })),

  updates: ({ step }) =>
    step.kind === "update" && step.update ? [{ event: "updates", data: { [step.node]: step.update } }] : [],

  tasks: (context) => taskOf(context).map(({ data }) => ({ event: "tasks", data })),

  checkpoints: ({ plan, step, values }) =>
    step.kind === "checkpoint" ? [{ event: "checkpoints", data: checkpointData(plan, step, values) }] : [],

  debug(context) {
    const { plan, step, values } = context;
    const at = plan.started_at + step.at;
    const tasks = taskOf(context).map(({ type, data }) => debugFrame(context, at, type, data));
    if (step.kind !== "checkpoint") return tasks;
    return [debugFrame(context, at, "checkpoint", debugCheckpoint(plan, step, values))];
  },

  values: ({ step, values }) => (writesValues(step) ? [{ event: "values", data: values }] : []),

  messages({ plan, step, state, text, completed }) {
    const frames: FrameContent[] = [];
    if (step.kind === "message" && step.message.type !== "tool") {
      const metadata = { [String(step.message.id)]: { metadata: messageMetadata(plan, step.node, state) } };
      if (step.first) frames.push({ event: "messages/metadata", data: metadata });
      frames.push({ event: "messages/partial", data: [{ ...step.message, content: text }] });
    }
    if (completed.length > 0) frames.push({ event: "messages/complete", data: completed });
    return frames;
  },

  "messages-tuple": ({ plan, step, state }) =>
    step.kind === "message"
      ? [
          {
            event: "messages",
            data: [step.chunk, { ...messageMetadata(plan, step.node, state), ...tagsOf(plan) }],
          },
        ]
      : [],

  custom: () => [],
};

const MODES_IN_ORDER = Object.keys(FRAME_BUILDERS) as readonly StreamMode[];

/** These modes in the order of their frames. */
export function inFrameOrder(modes: readonly StreamMode[]): readonly StreamMode[] {
  return MODES_IN_ORDER.filter((mode) => modes.includes(mode));
}

/** The frames of one step in one mode, as observed on the public service. */
export function framesOf(mode: StreamMode, context: StepContext): readonly FrameContent[] {
  const { step } = context;
  if (step.kind === "told") return step.mode === mode ? [{ event: mode, data: step.data }] : [];
  return FRAME_BUILDERS[mode](context);
}

/** The end of the open task, if there is one: its node failed or interrupted the run. */
export function taskEndFrames(
  mode: "tasks" | "debug",
  context: StepContext,
  at: number,
  interrupts: readonly Interrupt[],
): readonly FrameContent[] {
  const { plan, state, task } = context;
  if (task === undefined) return [];
  const data = { id: state?.id, name: task, result: {}, interrupts: interrupts.map(interruptView) };
  return mode === "tasks"
    ? [{ event: "tasks", data }]
    : [debugFrame(context, plan.started_at + at, "task_result", data)];
}

/** Tasks belong to the step after the state that they start from. */
function debugFrame({ state }: StepContext, at: number, type: string, payload: Json): FrameContent {
  const step = (state?.step ?? 0) + (type === "checkpoint" ? 0 : 1);
  return { event: "debug", data: { step, type, timestamp: formatInstant(at), payload } };
}

function taskOf({ plan, step, values }: StepContext): readonly { type: string; data: Json }[] {
  if (step.kind === "begin") {
    const [triggers, metadata] = [[`branch:to:${step.node}`], { ...metadataOf(plan), ...tagsOf(plan) }];
    const task = { id: step.task, name: step.node, input: values, triggers, interrupts: [], metadata };
    return [{ type: "task", data: task }];
  }
  if (step.kind !== "update") return [];
  const { task: id, node: name, update: result } = step;
  return [{ type: "task_result", data: { id, name, result: result ?? {}, interrupts: [] } }];
}

function checkpointData(plan: Plan, state: CheckpointStep, values: Json): Json {
  const { source, step, stored, next } = state;
  const tasks = next.map((name) => ({
    id: state.id,
    name,
    path: taskPath(name),
    interrupts: stored?.interrupts.map(interruptView) ?? [],
  }));
  return {
    config: configOf(plan, state.id),
    ...(state.parent_id !== null && { parent_config: configOf(plan, state.parent_id) }),
    values,
    metadata: stored?.metadata ?? { source, step, parents: {} },
    next,
    tasks,
  };
}

function debugCheckpoint(plan: Plan, state: CheckpointStep, values: Json): Json {
  return {
    ...checkpointData(plan, state, values),
    checkpoint: checkpointOf(plan, state.id),
    parent_checkpoint: state.parent_id === null ? null : checkpointOf(plan, state.parent_id),
  };
}

function configOf(plan: Plan, checkpoint_id: string): Json {
  const configurable = { ...subjectOf(plan), checkpoint_ns: "", checkpoint_id };
  return { ...plan.config, configurable, metadata: metadataOf(plan) };
}

function subjectOf({ run_id, thread_id, graph_id, assistant_id }: Plan): Json {
  return { run_id, thread_id, graph_id, assistant_id };
}

function tagsOf({ config }: Plan): Json {
  return config?.tags === undefined ? {} : { tags: config.tags };
}

function messageMetadata(plan: Plan, node: string, state: CheckpointStep | undefined): Json {
  const namespace = `${node}:${state?.id}`;
  return {
    ...metadataOf(plan),
    langgraph_node: node,
    langgraph_step: (state?.step ?? 0) + 1,
    langgraph_triggers: [`branch:to:${node}`],
    langgraph_path: taskPath(node),
    langgraph_checkpoint_ns: namespace,
    checkpoint_ns: namespace,
  };
}
