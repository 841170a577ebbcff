import { isText, plainNumber, printExact, textOrJson } from "../../../contracts/spec/exact-json.ts";
import type { GraphBehaviour } from "../settings.ts";
import { isJsonObject } from "../traces/json.ts";
import type { Draft } from "./draft.ts";
import { lastOfType, messageMembers, textOf } from "./messages.ts";
import type { Ending } from "./plan.ts";
import type { Interrupt, Json, Values } from "./records.ts";

export interface GraphTiming {
  readonly stepMs: number;
}

/** One node of a graph; `run` returns an ending when the run ends at this node. */
export interface GraphNode {
  readonly node: string;
  readonly run: (draft: Draft, pace: GraphTiming) => Ending | undefined;
  /** For a node that occurs more than once: whether a thread with these values continues at this occurrence. */
  readonly isNext?: (values: Values) => boolean;
  /** Whether the graph continues after this node; true by default. */
  readonly continues?: (values: Values) => boolean;
}

const SLOW_STEPS = 10;
const SLOW_STEP_MS = 1000;
const TOOL = "look_up";
/** Most tool calls that one step runs; a caller may have added any number to the thread's state. */
const MAX_TOOL_CALLS = 100;

/** The nodes of the built-in graphs, in order of execution. */
export const GRAPH_NODES: Readonly<Record<GraphBehaviour, readonly GraphNode[]>> = {
  echo: [{ node: "echo", run: echoLastMessage }],
  agent: [
    { node: "agent", run: callTool, continues: hasToolCalls },
    { node: "tools", run: runTools },
    { node: "agent", run: reportFindings, isNext: (values) => messagesIn(values).at(-1)?.type === "tool" },
  ],
  slow: Array.from({ length: SLOW_STEPS }, (_, index) => ({
    node: "wait",
    run: (draft: Draft) => countSlowStep(draft, index + 1),
    isNext: (values: Values) => index === 0 || plainNumber(values?.step) === index,
    continues: (values: Values) => plainNumber(values?.step) !== SLOW_STEPS,
  })),
  failing: [
    {
      node: "fail",
      run: () => ({
        trigger: "fail",
        error: "RuntimeError",
        message: "The assistant failing always fails.",
        node: "fail",
      }),
    },
  ],
  interrupting: [
    {
      node: "ask",
      run: (draft) => ({
        trigger: "ask",
        node: "ask",
        interrupts: [newInterrupt(draft, "Shall I continue?")],
      }),
    },
  ],
};

/** An interrupt; its id has the form of a hash, as public clients expect. */
export function newInterrupt(draft: Draft, value: unknown): Interrupt {
  return { id: draft.nextId("interrupt").replaceAll("-", ""), value };
}

/** The node after `node` in a thread with these values; undefined at the end, and for a node of no graph. */
export function nodeAfter(behaviour: GraphBehaviour, node: string, values: Values): string | undefined {
  const nodes = GRAPH_NODES[behaviour];
  if (node === "__start__") return nodes[0]?.node;
  const index = nodes.findIndex((one) => one.node === node && (one.continues?.(values) ?? true));
  return index === -1 ? undefined : nodes[index + 1]?.node;
}

/** The distinct node names of a graph. */
export function nodeNames(behaviour: GraphBehaviour): readonly string[] {
  return [...new Set(GRAPH_NODES[behaviour].map(({ node }) => node))];
}

/** Plans a run that resumes after an interrupt: stores the answer and succeeds. */
export function resume(draft: Draft, node: string, answer: unknown): Ending {
  draft.goOn();
  draft.beginNode(node);
  draft.update({ answer });
  return { trigger: "succeed" };
}

function echoLastMessage(draft: Draft): undefined {
  const lastMessage = lastHumanMessage(draft);
  draft.update(
    lastMessage
      ? { messages: [draft.streamMessage({ content: textOf(lastMessage) }, 0)] }
      : (draft.input ?? {}),
  );
}

function countSlowStep(draft: Draft, step: number): undefined {
  draft.wait(SLOW_STEP_MS);
  draft.emit("custom", { step, of: SLOW_STEPS });
  draft.update({ step });
}

function hasToolCalls(values: Values): boolean {
  const calls = messagesIn(values).at(-1)?.tool_calls;
  return Array.isArray(calls) && calls.length > 0;
}

function callTool(draft: Draft, { stepMs }: GraphTiming): undefined {
  const question = textOf(lastHumanMessage(draft)) || printExact(draft.input ?? {});
  const call = { name: TOOL, args: { query: question }, id: draft.nextId("tool_call"), type: "tool_call" };
  draft.update({ messages: [draft.streamMessage({ content: "", tool_calls: [call] }, stepMs)] });
}

/** Runs the tool calls of the thread's current values: a caller may have edited them at a breakpoint. */
function runTools(draft: Draft, { stepMs }: GraphTiming): undefined {
  const requested = lastOfType(messagesIn(draft.values), "ai")?.tool_calls;
  const calls = (Array.isArray(requested) ? requested : []).filter(isJsonObject).slice(0, MAX_TOOL_CALLS);
  draft.update({ messages: calls.map((call) => runTool(draft, call, stepMs)) });
}

function reportFindings(draft: Draft, { stepMs }: GraphTiming): undefined {
  const messages = messagesIn(draft.values);
  const toolResults = messages.slice(messages.findLastIndex(({ type }) => type !== "tool") + 1).map(textOf);
  draft.update({
    messages: [draft.streamMessage({ content: `What I found: ${toolResults.join("; ")}` }, stepMs)],
  });
}

/** The last human message of the input; without input, of the thread's values. */
function lastHumanMessage({ input, values }: Draft): Json | undefined {
  return lastOfType(messagesIn(input ?? values), "human");
}

function messagesIn(values: Values): readonly Json[] {
  return Array.isArray(values?.messages) ? values.messages.filter(isJsonObject) : [];
}

function runTool(draft: Draft, call: Json, stepMs: number): Json {
  const from = draft.at;
  draft.wait(stepMs);
  const [name, args] = [textOrJson(call.name ?? TOOL), isJsonObject(call.args) ? call.args : {}];
  const query = isText(args.query) ? args.query : printExact(args);
  const content = `${query.length} characters about it`;
  const message = {
    ...messageMembers("tool"),
    type: "tool",
    name,
    content,
    tool_call_id: call.id ?? null,
    status: "success",
    id: draft.nextId("message"),
  };
  draft.trace({ name, run_type: "tool", from, to: draft.at, inputs: args, outputs: { output: content } });
  draft.addChunk(message, message, { first: true, last: true, alone: false });
  return message;
}
