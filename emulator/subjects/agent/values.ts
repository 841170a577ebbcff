import type { Plan, Step } from "./plan.ts";
import type { Json, Values } from "./records.ts";

/** Merges an update into values: members are replaced, messages are appended, and none is dropped (1-4). */
export function merged(values: Values, update: Json): Json {
  const after = { ...values, ...update };
  if (!Array.isArray(update.messages)) return after;
  const before = Array.isArray(values?.messages) ? (values.messages as readonly unknown[]) : [];
  return { ...after, messages: withMessages(before, update.messages) };
}

/** The thread's values after a step, given those before it. */
export function valuesAfterStep(before: Values, step: Step): Values {
  if (step.kind === "values") return step.values;
  const writes = step.kind === "input" || step.kind === "update";
  return writes && step.update ? merged(before, step.update) : before;
}

/** The thread's values after the first `count` steps of a plan; null when nothing has been written. */
export function valuesAfter({ base, steps }: Plan, count: number): Values {
  let values = base;
  for (const step of steps.slice(0, count)) values = valuesAfterStep(values, step);
  return values;
}

/** Appends messages; a message with a known id replaces the earlier one. */
function withMessages(before: readonly unknown[], added: readonly unknown[]): readonly unknown[] {
  const messages = [...before];
  for (const message of added) {
    const id = idOf(message);
    const index = id === undefined ? -1 : messages.findIndex((message) => idOf(message) === id);
    if (index === -1) messages.push(message);
    else messages[index] = message;
  }
  return messages;
}

function idOf(message: unknown): unknown {
  return typeof message === "object" && message !== null ? (message as { id?: unknown }).id : undefined;
}
