import { describe, expect, it } from "vitest";
import { systemAssistantId } from "../../../emulator/subjects/agent/assistants.ts";
import { RUNS, THREADS, threadKey } from "../../../emulator/subjects/agent/records.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { WORKSPACE } from "../../support/world.ts";
import { streamOf } from "./stream-of.ts";

type World = Awaited<ReturnType<typeof openAgentWorld>>;

const HI = { messages: [{ role: "user", content: "hi", name: "me" }] };
const MEMBERS = { additional_kwargs: {}, response_metadata: {} };
const AI = { ...MEMBERS, invalid_tool_calls: [] };

const kwargsOf = (world: World, run: string) =>
  world.reader.get(RUNS, run)?.kwargs.config as Record<string, unknown>;
const configOf = (world: World, thread: string) =>
  world.reader.get(THREADS, threadKey(WORKSPACE, thread))?.config;

describe("messages", () => {
  it("have the members that clients read, by their type", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    world.start(thread, { assistant_id: "agent", input: HI });
    await world.advance(1000);
    const { messages } = world.values(thread) as { messages: object[] };
    expect(messages).toMatchObject([
      { type: "human", content: "hi", name: "me", ...MEMBERS },
      { type: "ai", tool_calls: [{ name: "look_up" }], ...AI },
      { type: "tool", status: "success", ...MEMBERS },
      { type: "ai", tool_calls: [], ...AI },
    ]);
    expect(messages[0]).not.toHaveProperty("tool_calls");
  });

  it("keep members that the caller sets", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const additional_kwargs = { colour: "blue" };
    world.start(thread, { input: { messages: [{ role: "user", content: "hi", additional_kwargs }] } });
    expect(world.values(thread)).toMatchObject({ messages: [{ additional_kwargs }, { type: "ai" }] });
  });
});

describe("the configuration of a run", () => {
  it("has the run's metadata, and becomes that of the thread and of its later runs", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const config = { tags: ["t"], configurable: { user: "a", step: 1 } };
    const first = world.start(thread, { config, metadata: { team: "b" } });
    expect(kwargsOf(world, first)).toMatchObject({ ...config, metadata: { team: "b", graph_id: "echo" } });
    expect(configOf(world, thread)).toEqual(config);
    const second = world.start(thread, { config: { configurable: { step: 2 } } });
    expect(kwargsOf(world, second)).toMatchObject({
      configurable: { user: "a", step: 2, thread_id: thread },
    });
    expect(configOf(world, thread)).toEqual({ ...config, configurable: { user: "a", step: 2 } });
  });

  it("is refused where it would make that of the thread larger than limits.agent_metadata_bytes", async () => {
    const world = await openAgentWorld({ limits: { agent_metadata_bytes: 1000 } });
    const thread = world.thread();
    const half = (name: string) => ({ config: { configurable: { [name]: "x".repeat(600) } } });
    world.start(thread, half("a"));
    expect(() => world.start(thread, half("b"))).toThrow("metadata");
    expect(configOf(world, thread)).toEqual(half("a").config);
  });

  it("is shown in the frames of tasks, messages and checkpoints", async () => {
    const world = await openAgentWorld();
    const config = { tags: ["t"], recursion_limit: 9 };
    const run = world.start(world.thread(), { input: HI, config, metadata: { team: "b" } });
    const view = { team: "b", run_attempt: 1, run_id: run, graph_id: "echo" };
    const last = (mode: "tasks" | "messages-tuple" | "debug") =>
      streamOf(world, run, mode)
        .frames.slice(1)
        .map(({ data }) => data);
    expect(last("tasks")[0]).toMatchObject({ metadata: { ...view, tags: ["t"] } });
    expect(last("messages-tuple")[0]).toMatchObject([{}, { ...view, tags: ["t"], langgraph_node: "echo" }]);
    expect(last("debug")[0]).toMatchObject({ payload: { config: { ...config, metadata: view } } });
  });
});

const idsOf = (graph_id: string) => ({ graph_id, assistant_id: systemAssistantId(graph_id) });

describe("the metadata of a run", () => {
  it("names its own assistant, also on a thread that another assistant has used", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const runs = ["slow", "echo", "failing"].map((assistant_id) => world.start(thread, { assistant_id }));
    await world.advance(60_000);
    expect(runs.map((run) => world.reader.get(RUNS, run)?.metadata)).toMatchObject([
      idsOf("slow"),
      idsOf("echo"),
      idsOf("failing"),
    ]);
  });

  it("names its own assistant in the payload of its webhook (§6)", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    world.start(thread, { assistant_id: "failing" });
    world.start(thread, { assistant_id: "echo", webhook: "https://hooks.example/run" });
    await world.advance(1000);
    expect(world.sent.map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { assistant_id: idsOf("echo").assistant_id, metadata: idsOf("echo") },
    ]);
  });

  it("is that of the caller where both name a graph", async () => {
    const world = await openAgentWorld();
    const run = world.start(null, { on_completion: "keep", metadata: { graph_id: "mine" } });
    expect(world.reader.get(RUNS, run)?.metadata).toMatchObject({ ...idsOf("echo"), graph_id: "mine" });
  });
});
