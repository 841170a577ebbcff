import type { GraphBehaviour } from "../settings.ts";
import type { Draft } from "./draft.ts";
import { lastOfType, textOf } from "./messages.ts";
import type { Ending } from "./plan.ts";
import type { Json } from "./records.ts";

/** How the built-in assistants go about a run, and how it ends. */
export type Behaviour = (draft: Draft, pace: Pace) => Ending;

export interface Pace {
  readonly stepMs: number;
}

/** The node that each of them works in first, and the ones after it. */
export const NODES: Readonly<Record<GraphBehaviour, readonly string[]>> = {
  echo: ["echo"],
  agent: ["agent", "tools"],
  slow: ["wait"],
  failing: ["fail"],
  interrupting: ["ask"],
};

const SLOW_STEPS = 10;
const SLOW_STEP_MS = 1000;
const TOOL = "look_up";
const SUCCEED: Ending = { trigger: "succeed" };

export const BEHAVIOURS: Readonly<Record<GraphBehaviour, Behaviour>> = {
  echo(draft) {
    draft.takeInput();
    draft.begin("echo");
    const said = saidIn(draft);
    draft.update(said ? { messages: [draft.say({ content: textOf(said) }, 0)] } : (draft.input ?? {}));
    return SUCCEED;
  },

  agent(draft, { stepMs }) {
    draft.takeInput();
    const question = textOf(saidIn(draft)) || JSON.stringify(draft.input ?? {});
    const call = { name: TOOL, args: { query: question }, id: draft.nextId("tool_call"), type: "tool_call" };
    draft.begin("agent");
    draft.update({ messages: [draft.say({ content: "", tool_calls: [call] }, stepMs)] });
    draft.begin("tools");
    const found = useTool(draft, call, stepMs);
    draft.begin("agent");
    draft.update({ messages: [draft.say({ content: `What I found: ${found}` }, stepMs)] });
    return SUCCEED;
  },

  slow(draft) {
    draft.takeInput();
    draft.begin("wait");
    for (let step = 1; step <= SLOW_STEPS; step += 1) {
      draft.wait(SLOW_STEP_MS);
      draft.tell("custom", { step, of: SLOW_STEPS });
      draft.update({ step });
    }
    return SUCCEED;
  },

  failing(draft) {
    draft.takeInput();
    draft.begin("fail");
    return {
      trigger: "fail",
      error: "RuntimeError",
      message: "The assistant failing always fails.",
      node: "fail",
    };
  },

  interrupting(draft) {
    draft.takeInput();
    draft.begin("ask");
    return {
      trigger: "ask",
      node: "ask",
      interrupts: [{ id: draft.nextId("interrupt"), value: "Shall I go on?" }],
    };
  },
};

/** What a run does that answers the interrupt of the one before. */
export function resume(draft: Draft, node: string, answer: unknown): Ending {
  draft.takeInput();
  draft.begin(node);
  draft.update({ answer });
  return SUCCEED;
}

function saidIn({ input }: Draft): Json | undefined {
  return Array.isArray(input?.messages) ? lastOfType(input.messages as readonly Json[], "human") : undefined;
}

function useTool(
  draft: Draft,
  call: { readonly name: string; readonly args: Json; readonly id: string },
  stepMs: number,
): string {
  const from = draft.at;
  draft.wait(stepMs);
  const content = `${String(call.args.query).length} characters about it`;
  const message = {
    type: "tool",
    name: call.name,
    content,
    tool_call_id: call.id,
    status: "success",
    id: draft.nextId("message"),
  };
  draft.trace({
    name: call.name,
    run_type: "tool",
    from,
    to: draft.at,
    inputs: call.args,
    outputs: { output: content },
  });
  draft.piece(message, message, true, true);
  draft.update({ messages: [message] });
  return content;
}
