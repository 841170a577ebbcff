import { describe, expect, it } from "vitest";
import type { StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { latestCheckpoint } from "../../../emulator/subjects/agent/checkpoints.ts";
import { THREADS, threadKey } from "../../../emulator/subjects/agent/records.ts";
import { updateState } from "../../../emulator/subjects/agent/state.ts";
import { stateView } from "../../../emulator/subjects/agent/view.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { WORKSPACE, withVerbs } from "../../support/world.ts";
import { streamOf } from "./stream-of.ts";

interface Said {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly tool_calls?: readonly object[];
}

const ASKED = { assistant_id: "agent", input: { messages: "hi" } };

async function agentThread() {
  const world = await openAgentWorld();
  const thread = world.thread();
  const findThread = () => {
    const record = world.reader.get(THREADS, threadKey(WORKSPACE, thread));
    if (!record) throw new Error("no thread");
    return record;
  };
  return withVerbs(world, {
    id: thread,
    state: () =>
      world.turn((turn) =>
        stateView(turn.ports.settings, findThread(), latestCheckpoint(turn, findThread())),
      ),
    change: (values: unknown) => world.turn((turn) => updateState(turn, findThread(), { values })),
    async run(body: Record<string, unknown>) {
      const id = world.start(thread, { assistant_id: "agent", ...body });
      await world.advance(10_000);
      return id;
    },
    said: () => (world.values(thread)?.messages ?? []) as readonly Said[],
    frames: (runId: string, mode: StreamMode) =>
      streamOf(world, runId, mode).frames.map(({ event, data }) => [event, data]),
  });
}

describe("a breakpoint", () => {
  it.each([
    [{ interrupt_before: ["tools"] }, "tools", ["human", "ai"]],
    [{ interrupt_after: ["tools"] }, "agent", ["human", "ai", "tool"]],
    [{ interrupt_before: "*" }, "agent", ["human"]],
    [{ interrupt_after: "*" }, "tools", ["human", "ai"]],
  ])("of %j stops the run in front of %s, and its thread waits there", async (stops, next, types) => {
    const thread = await agentThread();
    const run = await thread.run({ ...ASKED, ...stops });
    expect(thread.status(run)).toBe("interrupted");
    expect(thread.threadStatus(thread.id)).toBe("interrupted");
    expect(thread.said().map(({ type }) => type)).toEqual(types);
    const state = thread.state();
    expect(state).toMatchObject({ next: [next], interrupts: [], tasks: [{ name: next, interrupts: [] }] });
    expect(thread.outcome(run)).toEqual(state.values);
  });

  it("at a node that is not on the way, or after the last one, stops nothing", async () => {
    const thread = await agentThread();
    const stops = { interrupt_before: ["nowhere"], interrupt_after: ["echo"] };
    expect(thread.status(await thread.run({ ...ASKED, ...stops }))).toBe("success");
    const last = await thread.run({ assistant_id: "echo", input: { a: 1 }, interrupt_after: "*" });
    expect([thread.status(last), thread.state().next]).toEqual(["success", []]);
  });

  it.each([{ input: null }, { command: { resume: "yes" } }])("is passed by a run with %j", async (body) => {
    const plain = await agentThread();
    plain.run(ASKED);
    const thread = await agentThread();
    await thread.run({ ...ASKED, interrupt_before: ["tools"] });
    const run = await thread.run({ ...body, interrupt_before: ["tools"] });
    expect([thread.status(run), thread.threadStatus(thread.id)]).toEqual(["success", "idle"]);
    expect(thread.state().next).toEqual([]);
    const words = (said: readonly Said[]) => said.map(({ type, content }) => [type, content]);
    expect(words(thread.said())).toEqual(words(plain.said()));
  });

  it("stops each resumed run at the next node", async () => {
    const thread = await agentThread();
    const nexts = [await thread.run({ ...ASKED, interrupt_before: "*" })].map(() => thread.state().next);
    for (let step = 0; step < 3; step += 1) {
      await thread.run({ interrupt_before: "*" });
      nexts.push(thread.state().next);
    }
    expect(nexts).toEqual([["agent"], ["tools"], ["agent"], []]);
    expect(thread.said().at(-1)?.content).toMatch(/^What I found: \d+ characters/);
  });

  it("lets a person change the tool call, and the tool runs with the change", async () => {
    const thread = await agentThread();
    await thread.run({ ...ASKED, interrupt_before: ["tools"] });
    const asking = thread.said().at(-1);
    const call = { name: "weigh", args: { query: "x".repeat(77) }, id: "mine", type: "tool_call" };
    thread.change({ messages: [{ ...asking, tool_calls: [call, { ...call, id: "too" }] }] });
    expect(thread.state().next).toEqual(["tools"]);
    expect(thread.status(await thread.run({ input: null }))).toBe("success");
    expect(thread.said().slice(-3)).toMatchObject([
      { type: "tool", name: "weigh", tool_call_id: "mine", content: "77 characters about it" },
      { type: "tool", name: "weigh", tool_call_id: "too" },
      { type: "ai", content: "What I found: 77 characters about it; 77 characters about it" },
    ]);
  });

  it("in front of the tools is passed without a tool when no message of the model is left", async () => {
    const thread = await agentThread();
    await thread.run({ ...ASKED, interrupt_before: ["tools"] });
    const [, asking] = thread.said();
    thread.change({ messages: [{ id: asking?.id, type: "human", content: "never mind" }] });
    expect(thread.status(await thread.run({ input: null }))).toBe("success");
    expect(thread.said().map(({ type }) => type)).toEqual(["human", "human", "ai"]);
  });

  it("does not stop a run with input: it starts at the beginning", async () => {
    const thread = await agentThread();
    await thread.run({ ...ASKED, interrupt_before: ["tools"] });
    expect(thread.status(await thread.run({ input: { messages: "again" } }))).toBe("success");
    expect(thread.said().map(({ type }) => type)).toEqual(["human", "ai", "human", "ai", "tool", "ai"]);
  });

  it("ends a stream of any mode with an empty list of interrupts", async () => {
    const thread = await agentThread();
    const run = await thread.run({ ...ASKED, interrupt_before: ["tools"] });
    expect(thread.frames(run, "updates").at(-1)).toEqual(["updates", { __interrupt__: [] }]);
    expect(thread.frames(run, "custom").at(-1)).toEqual(["updates", { __interrupt__: [] }]);
    expect(thread.frames(run, "values").slice(-2)).toEqual([
      ["values", thread.state().values],
      ["values", { __interrupt__: [] }],
    ]);
    expect(thread.frames(run, "checkpoints").at(-2)).toEqual([
      "checkpoints",
      expect.objectContaining({ next: ["tools"] }),
    ]);
  });

  it("does not apply to a scripted run", async () => {
    const thread = await agentThread();
    thread.script({ then: { after: "PT1S" } });
    expect(thread.status(await thread.run({ ...ASKED, interrupt_before: "*" }))).toBe("success");
  });
});
