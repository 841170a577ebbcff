import { textOf } from "./messages.ts";
import type { CheckpointStep, Plan, Step } from "./plan.ts";
import type { Json, Values } from "./records.ts";
import { valuesAfterStep } from "./values.ts";

/** A step of a plan with what the steps up to it have come to. */
export interface StepContext {
  readonly plan: Plan;
  readonly step: Step;
  readonly values: Json;
  /** The text of the current message so far. */
  readonly text: string;
  /** The newest state of the thread. */
  readonly state: CheckpointStep | undefined;
  /** The node of the task that is open after this step. */
  readonly task: string | undefined;
  /** Messages that are complete since this step. */
  readonly completed: readonly Json[];
}

/** The first `upTo` steps of a plan, in order. */
export function* stepContexts(plan: Plan, upTo: number): Generator<StepContext> {
  const knownIds = new Set<unknown>();
  let values: Values = plan.base;
  let text = "";
  let [state, task]: [CheckpointStep?, string?] = [];
  for (const step of plan.steps.slice(0, upTo)) {
    values = valuesAfterStep(values, step);
    if (step.kind === "message") text = (step.first ? "" : text) + textOf(step.chunk);
    if (step.kind === "checkpoint") state = step;
    if (step.kind === "begin") task = step.node;
    if (step.kind === "update") task = undefined;
    const completed = messagesDone(step, values).filter(({ id }) => id !== undefined && !knownIds.has(id));
    for (const { id } of completed) knownIds.add(id);
    yield { plan, step, values: values ?? {}, text, state, task, completed };
  }
}

/** Whether a task is open after the first `upTo` steps. */
export function hasOpenTask({ steps }: Plan, upTo: number): boolean {
  const isTask = ({ kind }: Step) => kind === "begin" || kind === "update";
  return steps.slice(0, upTo).findLast(isTask)?.kind === "begin";
}

export function writesValues(step: Step): boolean {
  return step.kind === "input" || step.kind === "values" || (step.kind === "update" && step.update !== null);
}

function messagesDone(step: Step, values: Values): readonly Json[] {
  if (step.kind === "message") return step.last && step.alone ? [step.message] : [];
  return writesValues(step) && Array.isArray(values?.messages) ? (values.messages as readonly Json[]) : [];
}
