import { describe, expect, it } from "vitest";
import type { Superstep } from "../../../contracts/spec/agent/thread-resources.ts";
import { THREADS, threadKey } from "../../../emulator/subjects/agent/records.ts";
import { currentState, history, updateState } from "../../../emulator/subjects/agent/state.ts";
import { addSupersteps, requireSupersteps } from "../../../emulator/subjects/agent/supersteps.ts";
import { createThread, requireThread } from "../../../emulator/subjects/agent/threads.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { WORKSPACE, withVerbs } from "../../support/world.ts";
import { streamOf } from "./stream-of.ts";

type Update = Superstep["updates"][number];

const CALL = { name: "look_up", args: { query: "four" }, id: "c", type: "tool_call" };
const ASKING = { messages: [{ type: "ai", content: "", tool_calls: [CALL] }] };

const step = (...updates: readonly Update[]): Superstep => ({ updates: [...updates] });
const update = (as_node: string, values?: Update["values"]): Update => ({ as_node, values });

async function openNodes(options: Record<string, unknown> = {}) {
  const base = await openAgentWorld(options);
  const findThread = (id: string) => requireThread(base.reader, WORKSPACE, id);
  return withVerbs(base, {
    findThread,
    /** The id of a new thread with these supersteps. */
    create: (supersteps: Superstep[], graph_id: string | null = "agent") =>
      base.turn((turn) => {
        const input = { metadata: graph_id === null ? {} : { graph_id }, supersteps };
        requireSupersteps(turn, input);
        return addSupersteps(turn, createThread(turn, WORKSPACE, input), supersteps).thread_id;
      }),
    async run(id: string, body: Record<string, unknown>) {
      const run = base.start(id, { assistant_id: "agent", ...body });
      await base.advance(20_000);
      return run;
    },
    states: (id: string) => base.turn((turn) => history(turn, findThread(id), { limit: 100 })),
    /** The state after a change in the name of a node. */
    change: (id: string, as_node: string, values: Record<string, unknown> | null = {}, more: object = {}) => {
      base.turn((turn) => updateState(turn, findThread(id), { values, as_node, ...more }));
      return base.turn((turn) => currentState(turn, findThread(id)));
    },
  });
}

const refusal = (status: number, message: string) =>
  expect.objectContaining({ status, message: expect.stringContaining(message) });

describe("supersteps of a new thread (§4.8)", () => {
  it("repeat the states of another one", async () => {
    const world = await openNodes();
    const thread = world.thread();
    const run = await world.run(thread, { input: { messages: "hi" } });
    const updates = streamOf(world, run, "updates")
      .frames.slice(1)
      .flatMap(({ data }) => Object.entries(data as Record<string, Record<string, unknown>>));
    const states = world.states(thread);
    const input = states.at(-2)?.values;
    const supersteps = [
      step(update("__input__", input)),
      step(update("__start__", input)),
      ...updates.map(([node, values]) => step(update(node, values))),
    ];
    const clone = world.create(supersteps);
    const viewOf = ({ values, next, metadata }: (typeof states)[number]) => [values, next, metadata.step];
    expect(world.states(clone).map(viewOf)).toEqual(states.map(viewOf));
    expect([world.threadStatus(clone), world.values(clone)]).toEqual(["idle", states[0]?.values]);
  });

  it("leave the thread waiting for the node after the last one, where a run resumes", async () => {
    const world = await openNodes();
    const thread = world.create([
      step(update("__start__", { messages: "hi" })),
      step(update("agent", ASKING)),
    ]);
    expect(world.threadStatus(thread)).toBe("interrupted");
    expect(world.states(thread).map(({ next, metadata }) => [metadata.source, ...next])).toEqual([
      ["update", "tools"],
      ["update", "agent"],
    ]);
    await world.run(thread, { input: null });
    const { messages } = world.values(thread) as { messages: { type: string }[] };
    expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
  });

  it("copy the state before with __copy__, and merge the updates of one", async () => {
    const world = await openNodes();
    const copied = world.create([step(update("__start__", { messages: "hi" })), step(update("__copy__"))]);
    const [copy, original] = world.states(copied);
    expect(copy).toMatchObject({ values: original?.values, next: ["agent"], metadata: { source: "fork" } });
    const three = step(update("agent", { a: 1 }), update("mine", { b: 2 }), update("tools", null));
    const merged = world.create([three, step(update("mine", { c: 3 }))]);
    expect(world.values(merged)).toEqual({ a: 1, b: 2, c: 3 });
    expect(world.states(merged).map(({ next }) => next)).toEqual([[], ["agent"]]);
  });

  it.each<[Superstep[], string | null, number, string]>([
    [[step(update("agent"))], null, 422, "body.metadata.graph_id: is required"],
    [[step(update("agent"))], "none", 404, "graph_id: the server has no graph none"],
    [
      [step(update("__input__"), update("agent"))],
      "agent",
      422,
      "body.supersteps[0].updates: __input__ must",
    ],
    [[step(update("__copy__"))], "agent", 422, "body.supersteps[0].updates[0].as_node: __copy__ copies"],
    [[step(update("a")), step(update("a"), update("__copy__"))], "agent", 422, "[1].updates: __copy__ must"],
    [[step(update("a")), step(update("__copy__", { a: 1 }))], "agent", 422, "[1].updates[0].values: must be"],
  ])(
    "are refused with the mistake, and create no thread: %j of %s",
    async (supersteps, graph, status, text) => {
      const world = await openNodes();
      expect(() => world.create(supersteps, graph)).toThrow(refusal(status, text));
      expect(world.reader.count(THREADS, threadKey(WORKSPACE, "").slice(0, -1))).toBe(0);
    },
  );

  it("are refused with 413 when their states together exceed limits.agent_values_bytes", async () => {
    const world = await openNodes({ limits: { agent_values_bytes: 2_000 } });
    const supersteps = [step(update("__start__", { text: "x".repeat(700) })), step(update("a", {}))];
    expect(() => world.create([...supersteps, step(update("b", {}))])).toThrow(
      refusal(413, "2000 bytes of limits.agent_values_bytes"),
    );
    expect(() => world.create(supersteps)).not.toThrow();
  });
});

describe("a change in the name of a node", () => {
  it("resumes after the node of the graph of the thread's last run", async () => {
    const world = await openNodes();
    const thread = world.thread();
    await world.run(thread, { input: { messages: "hi" } });
    expect(world.change(thread, "tools")).toMatchObject({ next: ["agent"], metadata: { step: 4 } });
    expect(world.threadStatus(thread)).toBe("interrupted");
    expect(world.change(thread, "agent")?.next).toEqual([]);
    expect(world.change(thread, "__start__", { messages: "again" })?.next).toEqual(["agent"]);
    expect(() => world.change(thread, "tols")).toThrow(
      expect.objectContaining({
        message: 'body.as_node: "tols" is not a node of the graph agent.',
        hint: "Use one of agent, tools, __start__, __end__ and __copy__.",
      }),
    );
  });

  it("may be in the name of a node of a script that a run of the thread had", async () => {
    const world = await openNodes();
    const thread = world.thread();
    world.script({
      then: { events: [{ node: "mine" }, { mode: "updates", data: { yours: {} } }] },
      times: 1,
    });
    await world.run(thread, { input: {} });
    for (const node of ["mine", "yours"]) expect(world.change(thread, node)?.next).toEqual([]);
    expect(() => world.change(thread, "theirs")).toThrow(refusal(422, "theirs"));
  });

  it("copies a state with __copy__: the same values, parent and next nodes", async () => {
    const world = await openNodes();
    const thread = world.thread();
    expect(() => world.change(thread, "__copy__", null)).toThrow(refusal(422, "does not have one"));
    await world.run(thread, { input: { messages: "hi" }, interrupt_before: ["tools"] });
    const states = world.states(thread);
    expect(states[0]?.next).toEqual(["tools"]);
    expect(() => world.change(thread, "__copy__", { a: 1 })).toThrow(
      refusal(422, "body.values: must be null or empty"),
    );
    for (const [original, reference] of [
      [states[0], {}],
      [states[1], { checkpoint_id: states[1]?.checkpoint_id }],
    ] as const) {
      const { values, next, parent_id, metadata } = original ?? {};
      const copy = {
        values,
        next,
        parent_id,
        metadata: { source: "fork", step: Number(metadata?.step) + 1 },
      };
      expect(world.change(thread, "__copy__", null, reference)).toMatchObject(copy);
    }
    await world.run(thread, { checkpoint_id: states[0]?.checkpoint_id });
    expect(world.values(thread)).toMatchObject({ messages: [{}, {}, {}, {}] });
  });
});
