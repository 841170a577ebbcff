import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { formatInstant } from "../../kernel/instant.ts";
import { textOf } from "./messages.ts";
import type { Plan, Step } from "./plan.ts";
import type { Json, Values } from "./records.ts";
import { merged, valuesAfter } from "./values.ts";
import { interruptView } from "./view.ts";

/** One event of a stream. Its id says where it stands in the run, whatever else a reader asked for. */
export interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** A place in a stream: a step of the plan, and the frame in it. */
export interface Place {
  readonly step: number;
  readonly frame: number;
}

type Told = Omit<Frame, "id">;

export const BEFORE_ALL: Place = { step: -1, frame: 0 };

/** The place that a reader names in Last-Event-ID; anything that is none begins anew. */
export function placeOf(id: string): Place {
  const [, step, frame] = /^(\d{1,9})-(\d{1,9})$/.exec(id) ?? [];
  return step === undefined ? BEFORE_ALL : { step: Number(step), frame: Number(frame) };
}

/** The first frame of every stream. */
export function metadataFrame(runId: string): Frame {
  return { id: "0-0", event: "metadata", data: { run_id: runId, attempt: 1 } };
}

/** What readers of these modes hear of the steps after a place, up to a number of steps. */
export function framesBetween(
  plan: Plan,
  after: Place,
  upTo: number,
  modes: readonly StreamMode[],
): readonly Frame[] {
  const frames: Frame[] = [];
  let values = plan.base;
  let text = "";
  plan.steps.slice(0, upTo).forEach((step, index) => {
    const before = values;
    values = valuesBehind(plan, before, step);
    if (step.kind === "message") text = (step.first ? "" : text) + textOf(step.chunk);
    if (index + 1 < after.step) return;
    const told = modes.flatMap((mode) => TELLERS[mode]({ plan, step, index, text, values: values ?? {} }));
    told.forEach((frame, place) => {
      const isNew = index + 1 > after.step || place > after.frame;
      if (isNew) frames.push({ id: `${index + 1}-${place}`, ...frame });
    });
  });
  return frames;
}

/** What readers hear of the end: an error, an interrupt, or nothing at all. */
export function endFrames(plan: Plan, after: Place, modes: readonly StreamMode[]): readonly Frame[] {
  const { ended } = plan;
  if (!ended) return [];
  const step = ended.emitted + 1;
  return endOf(plan, valuesAfter(plan, ended.emitted), modes)
    .map((frame, place) => ({ id: `${step}-${place}`, ...frame }))
    .filter((_, place) => step > after.step || place > after.frame);
}

function endOf(plan: Plan, values: Values, modes: readonly StreamMode[]): readonly Told[] {
  const ending = plan.ended?.ending;
  if (!ending) return [{ event: "error", data: ROLLED_BACK }];
  if (ending.trigger === "fail" || ending.trigger === "time_out")
    return [{ event: "error", data: { error: ending.error, message: ending.message } }];
  if (ending.trigger === "succeed") return chainEnd(plan, values, modes);
  if (ending.trigger !== "ask") return [];
  const __interrupt__ = ending.interrupts.map(interruptView);
  // Whoever reads updates only has to hear of it as well; a breakpoint asks nothing and changes no values.
  const asValues = modes.includes("values") && __interrupt__.length > 0;
  return [
    ...(modes.includes("updates") || !modes.includes("values")
      ? [{ event: "updates", data: { __interrupt__ } }]
      : []),
    ...(asValues ? [{ event: "values", data: { ...values, __interrupt__ } }] : []),
    ...chainEnd(plan, values, modes),
  ];
}

/** Readers of events hear of the end of the whole as they heard of its start. */
function chainEnd(plan: Plan, values: Values, modes: readonly StreamMode[]): readonly Told[] {
  if (!modes.includes("events")) return [];
  return [
    { event: "events", data: chainEvent(plan, "on_chain_end", plan.graph_id, { output: values ?? {} }) },
  ];
}

export const ROLLED_BACK = { error: "UserRollback", message: "The run was rolled back." } as const;

function valuesBehind({ kept_messages }: Plan, before: Values, step: Step): Values {
  if (step.kind === "values") return step.values;
  return step.kind === "input" || step.kind === "update"
    ? merged(before, step.update, kept_messages)
    : before;
}

interface Scene {
  readonly plan: Plan;
  readonly step: Step;
  readonly index: number;
  /** What a message that is being told says so far. */
  readonly text: string;
  readonly values: Json;
}

const changes = ({ kind }: Step) => kind === "input" || kind === "update" || kind === "values";
const told = (mode: StreamMode, { step }: Scene): readonly Told[] =>
  step.kind === "told" && step.mode === mode ? [{ event: mode, data: step.data }] : [];

/** How each mode tells a step (C.6 of what was observed). */
const TELLERS: Readonly<Record<StreamMode, (scene: Scene) => readonly Told[]>> = {
  values: (scene) =>
    changes(scene.step) ? [{ event: "values", data: scene.values }] : told("values", scene),

  updates: (scene) =>
    scene.step.kind === "update"
      ? [{ event: "updates", data: { [scene.step.node]: scene.step.update } }]
      : told("updates", scene),

  messages(scene) {
    const { plan, step, index, text } = scene;
    if (step.kind !== "message") return told("messages", scene);
    const metadata = { [String(step.message.id)]: { metadata: messageMetadata(plan, step.node, index) } };
    return [
      ...(step.first ? [{ event: "messages/metadata", data: metadata }] : []),
      step.last
        ? { event: "messages/complete", data: [step.message] }
        : { event: "messages/partial", data: [{ ...step.message, content: text }] },
    ];
  },

  "messages-tuple": (scene) =>
    scene.step.kind === "message"
      ? [
          {
            event: "messages",
            data: [scene.step.chunk, messageMetadata(scene.plan, scene.step.node, scene.index)],
          },
        ]
      : told("messages-tuple", scene),

  custom: (scene) => told("custom", scene),
  tasks: (scene) => [...taskOf(scene).map((data) => ({ event: "tasks", data })), ...told("tasks", scene)],
  checkpoints: (scene) =>
    changes(scene.step)
      ? [{ event: "checkpoints", data: checkpointData(scene) }]
      : told("checkpoints", scene),

  debug(scene) {
    const { plan, step, index } = scene;
    const base = { step: index, timestamp: formatInstant(plan.started_at + step.at) };
    return [
      ...taskOf(scene).map((payload) => ({
        event: "debug",
        data: { type: step.kind === "begin" ? "task" : "task_result", ...base, payload },
      })),
      ...(changes(step)
        ? [{ event: "debug", data: { type: "checkpoint", ...base, payload: checkpointData(scene) } }]
        : []),
      ...told("debug", scene),
    ];
  },

  events: (scene) => [
    ...eventsOf(scene).map((data) => ({ event: "events", data })),
    ...told("events", scene),
  ],
};

function taskOf({ step, values }: Scene): readonly Json[] {
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

function checkpointData({ plan, step, index, values }: Scene): Json {
  const { thread_id, run_id } = plan;
  return {
    values,
    next: nodesBehind(plan, index),
    metadata: { source: step.kind === "input" ? "input" : "loop", step: index, run_id, thread_id },
    tasks: [],
    config: { configurable: { thread_id, checkpoint_ns: "" } },
  };
}

function nodesBehind({ steps, ending }: Plan, index: number): readonly string[] {
  const next = steps[index + 1];
  if (!next && ending.trigger === "ask") return [ending.node];
  return next?.kind === "begin" ? [next.node] : [];
}

function chainEvent({ run_id, graph_id }: Plan, event: string, name: string, data: Json): Json {
  return { event, name, run_id, tags: [], metadata: { graph_id }, data };
}

function eventsOf({ plan, step, values }: Scene): readonly Json[] {
  const { graph_id } = plan;
  const about = (event: string, name: string, data: Json) => chainEvent(plan, event, name, data);
  switch (step.kind) {
    case "input":
      return [about("on_chain_start", graph_id, { input: step.update })];
    case "begin":
      return [about("on_chain_start", step.node, { input: values })];
    case "message":
      if (step.message.type === "tool")
        return [
          about("on_tool_start", String(step.message.name), { input: {} }),
          about("on_tool_end", String(step.message.name), { output: step.message }),
        ];
      return [
        ...(step.first ? [about("on_chat_model_start", `${step.node}-model`, { input: {} })] : []),
        about("on_chat_model_stream", `${step.node}-model`, { chunk: step.chunk }),
        ...(step.last ? [about("on_chat_model_end", `${step.node}-model`, { output: step.message })] : []),
      ];
    case "update":
      return [
        about("on_chain_stream", step.node, { chunk: step.update }),
        about("on_chain_end", step.node, { output: step.update }),
      ];
    case "values":
      return [about("on_chain_stream", graph_id, { chunk: values })];
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
