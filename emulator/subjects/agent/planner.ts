import {
  isText,
  markedName,
  plainName,
  plainNumber,
  textOrJson,
} from "../../../contracts/spec/exact-json.ts";
import { formatDuration } from "../../kernel/duration.ts";
import { isJsonObject } from "../traces/json.ts";
import type { Turn } from "../turn.ts";
import { behaviourOf } from "./assistants.ts";
import { newInterrupt, nodeNames, resume } from "./behaviours.ts";
import { valuesTooLarge } from "./capacity.ts";
import type { ThreadState } from "./checkpoints.ts";
import { createDraft, type Draft, ValuesTooLarge } from "./draft.ts";
import { planGraph } from "./graph.ts";
import { messageFrom, textOf } from "./messages.ts";
import type { Ending, Plan } from "./plan.ts";
import type { AgentRun, Checkpoint, Json } from "./records.ts";
import type { ScriptedEvent, ScriptedRun } from "./script.ts";
import { bytesOf } from "./size.ts";
import { GraphRecursionError } from "./state-chain.ts";

/** Computes a run's plan from a state of its thread: the newest one, unless it `forks` from an earlier one. */
export function planRun(
  turn: Turn,
  run: AgentRun,
  checkpoint: Checkpoint | ThreadState | undefined,
  forks: boolean,
): Plan {
  const { settings } = turn.ports;
  const node = checkpoint?.next[0] ?? nodeNames(behaviourOf(settings, run.graph_id))[0] ?? run.graph_id;
  const draft = createDraft({
    from: checkpoint,
    forks,
    input: run.kwargs.input ?? commandUpdate(run) ?? pendingInput(checkpoint),
    node,
    recursionLimit: recursionLimitOf(run),
    valuesBytes: settings.limits.agent_values_bytes,
    nextId: (kind) => turn.nextId(kind),
  });
  const { ending, ends_at } = planWithinLimits(turn, run, draft, checkpoint);
  return applyTimeout(settings.limits.agent_run_timeout_ms, run, {
    ...planHeaderOf(turn, run),
    metadata: run.metadata,
    config: planConfig(run),
    base: draft.base,
    steps: draft.steps,
    spans: draft.spans,
    ends_at,
    ending,
    ended: null,
  });
}

/** The members that name the run of a plan, and its start. */
export function planHeaderOf({ now: started_at }: Turn, run: AgentRun) {
  const { region, tenant_id, run_id, thread_id, assistant_id, graph_id } = run;
  return { region, tenant_id, run_id, thread_id, assistant_id, graph_id, started_at };
}

/** Plans the steps; the run fails where it would exceed the limit for a thread's values or its own for steps. */
function planWithinLimits(turn: Turn, run: AgentRun, draft: Draft, checkpoint: Checkpoint | undefined) {
  const { script } = run;
  try {
    const ending = planSteps(turn, run, draft, checkpoint);
    if (script?.dies) return { ending, ends_at: Number.POSITIVE_INFINITY };
    draft.wait(Math.max(0, (script?.after_ms ?? 0) - draft.at));
    if (ending.trigger === "succeed") draft.finish();
    return { ending, ends_at: draft.at };
  } catch (error) {
    const failure = limitFailure(turn, error);
    return { ending: { trigger: "fail", ...failure, node: draft.node } as const, ends_at: draft.at };
  }
}

/** The error of a run that has reached a limit. Throws any other error again. */
function limitFailure(turn: Turn, error: unknown) {
  if (error instanceof GraphRecursionError) return { error: error.name, message: error.message };
  if (!(error instanceof ValuesTooLarge)) throw error;
  const { message, hint } = valuesTooLarge(error.bytes, turn.ports.settings.limits.agent_values_bytes);
  return { error: error.name, message: `${message} ${hint}` };
}

function planSteps(turn: Turn, run: AgentRun, draft: Draft, checkpoint: Checkpoint | undefined): Ending {
  const { script } = run;
  const answer = resumeAnswer(run, checkpoint);
  const usesBuiltIn = !script || (script.events === null && script.status === "success");
  if (answer && (usesBuiltIn || script.interrupt)) {
    const ending = resume(draft, checkpoint?.next[0] ?? draft.node, answer.value);
    return withValues(draft, script, ending);
  }
  if (usesBuiltIn) {
    const ending = planGraph(turn.ports.settings, run, draft, checkpoint);
    return withValues(draft, script, script ? { trigger: "succeed" } : ending);
  }
  draft.applyInput();
  draft.beginNode(draft.node);
  planEvents(draft, script.events ?? [], turn.ports.settings.limits.agent_values_bytes);
  const ending = withValues(draft, script, endingOf(script, draft));
  if (ending.trigger !== "succeed") draft.ensureTask();
  return ending;
}

/** Applies a script's values at the end of the run; a run that dies never applies them. */
function withValues(draft: Draft, script: ScriptedRun | null, ending: Ending): Ending {
  if (!script?.values || script.dies) return ending;
  draft.wait(Math.max(0, (script.after_ms ?? 0) - draft.at));
  draft.replace(script.values);
  return ending;
}

/** The members of the run's configuration that its frames show. */
function planConfig({ kwargs }: AgentRun): Json {
  const { recursion_limit, tags } = kwargs.config as Json;
  return { ...(recursion_limit !== undefined && { recursion_limit }), ...(Array.isArray(tags) && { tags }) };
}

/** `config.recursion_limit` of the run or of its assistant; `requireRecursionLimit` has checked it. */
function recursionLimitOf({ kwargs }: AgentRun): number | null {
  const limit = plainNumber((kwargs.config as Json | null | undefined)?.recursion_limit);
  return typeof limit === "number" ? limit : null;
}

/** The value of `command.resume`, or that of the open interrupt if it is an object of values by id. */
function resumeAnswer(
  { kwargs }: AgentRun,
  checkpoint: Checkpoint | undefined,
): { readonly value: unknown } | undefined {
  const command = kwargs.command as Json | null | undefined;
  const [open] = checkpoint?.interrupts ?? [];
  if (!open || command?.resume === undefined) return undefined;
  const { resume: value } = command;
  return { value: isJsonObject(value) && Object.hasOwn(value, open.id) ? value[open.id] : value };
}

/** `command.update` in place of input: an object, or a list of [name, value] pairs. */
function commandUpdate({ kwargs }: AgentRun): unknown {
  const update = (kwargs.command as Json | null | undefined)?.update;
  if (!Array.isArray(update)) return isJsonObject(update) ? update : null;
  const pairs = update.filter((pair) => Array.isArray(pair) && pair.length === 2);
  return Object.fromEntries(pairs.map(([name, value]) => [markedName(textOrJson(name)), value]));
}

/** The input of a state that its graph has not processed yet; a run that continues there starts with it. */
function pendingInput(from: Checkpoint | ThreadState | undefined): Json | null {
  return from && "result" in from && from.next[0] === "__start__" ? from.result : null;
}

/** Plans scripted events. Their trace rows carry the thread's values until `tracedBytes` are used up. */
function planEvents(draft: Draft, events: readonly ScriptedEvent[], tracedBytes: number): void {
  let message: Json | undefined;
  let bytesLeft = tracedBytes;
  events.forEach((event, index) => {
    const from = draft.at;
    draft.wait(event.after_ms);
    if (event.node !== null && event.node !== draft.node) draft.beginNode(event.node);
    if (event.mode === "messages" || event.mode === "messages-tuple") {
      const last = events[index + 1]?.mode !== event.mode;
      message = planChunk(draft, message, event.data, last);
      if (last) message = undefined;
    } else planEvent(draft, event);
    if (!event.run_type) return;
    // Once the budget is used up, the values are no longer serialised just to measure them.
    if (bytesLeft >= 0) bytesLeft -= bytesOf(draft.values);
    draft.trace({
      name: event.node ?? draft.node,
      run_type: event.run_type,
      from,
      to: draft.at,
      inputs: bytesLeft < 0 ? {} : asObject(draft.values),
      outputs: asObject(event.data),
    });
  });
}

function planEvent(draft: Draft, { mode, data }: ScriptedEvent): void {
  if (mode === "values" && isJsonObject(data)) return draft.replace(data);
  if (mode !== "updates" || !isJsonObject(data)) return draft.emit(mode, data);
  for (const [name, update] of Object.entries(data)) {
    const node = plainName(name);
    if (node !== draft.node) draft.beginNode(node);
    draft.update(isJsonObject(update) ? update : {});
  }
}

/** Consecutive chunks belong to one message. */
function planChunk(draft: Draft, before: Json | undefined, data: unknown, last: boolean): Json {
  const input = isText(data) ? { type: "ai", content: data } : data;
  const text = messageFrom(input, () => String(before?.id ?? draft.nextId("message")));
  const chunk = { ...text, id: before?.id ?? text.id };
  const message = { ...chunk, content: textOf(before) + textOf(chunk) };
  draft.ensureTask();
  const part = { first: before === undefined, last, alone: true };
  draft.addChunk(message, { ...chunk, type: "AIMessageChunk" }, part);
  return message;
}

function endingOf(script: ScriptedRun, draft: Draft): Ending {
  const { node } = draft;
  if (script.status === "error" && script.error) return { trigger: "fail", ...script.error, node };
  if (script.status === "timeout") return timedOut(node, "The script makes this run time out.");
  if (script.status !== "interrupted") return { trigger: "succeed" };
  const interrupts = script.interrupt ? [newInterrupt(draft, script.interrupt.value)] : [];
  return { trigger: "ask", node, interrupts };
}

/** Cuts a plan off at the run time-out. */
function applyTimeout(timeoutMs: number, run: AgentRun, plan: Plan): Plan {
  if (plan.ends_at <= timeoutMs) return plan;
  const steps = plan.steps.filter(({ at }) => at < timeoutMs);
  const node = steps.findLast((step) => step.kind === "begin")?.node ?? run.graph_id;
  const ending = timedOut(node, `The run took longer than ${formatDuration(timeoutMs)}.`);
  return { ...plan, steps, spans: plan.spans.filter(({ to }) => to < timeoutMs), ends_at: timeoutMs, ending };
}

function timedOut(node: string, message: string): Ending {
  return { trigger: "time_out", error: "TimeoutError", message, node };
}

function asObject(value: unknown): Json {
  return isJsonObject(value) ? value : { value: value ?? null };
}
