import { describe, expect, it } from "vitest";
import { STREAM_MODES, type StreamMode } from "../../../contracts/spec/agent/lifecycle.ts";
import { messageMembers } from "../../../emulator/subjects/agent/messages.ts";
import { openAgentWorld } from "../../support/agent-world.ts";
import { streamOf } from "./stream-of.ts";

type World = Awaited<ReturnType<typeof openAgentWorld>>;

interface Message {
  readonly id: string;
  readonly type: string;
  readonly content: string;
  readonly tool_calls?: readonly object[];
}

async function streamed(world: World, body: Record<string, unknown>, modes: readonly StreamMode[]) {
  const runId = world.start((body.thread as string | undefined) ?? world.thread(), body);
  await world.advance(10_000);
  return streamOf(world, runId, ...modes).frames.slice(1);
}

const AGENT = { assistant_id: "agent", input: { messages: [{ role: "user", content: "hi", id: "mine" }] } };

/** The parts of a data member that its order is about. */
const stepOf = (data: unknown) => {
  const { step, type, metadata } = data as { step?: number; type?: string; metadata?: { step?: number } };
  return type === undefined ? (metadata?.step ?? "") : `${step} ${type}`;
};

describe("the order of a stream", () => {
  it("is that of the steps, and within one updates come before values", async () => {
    const world = await openAgentWorld();
    const modes = ["values", "debug", "updates", "tasks", "checkpoints"] as const;
    const frames = await streamed(world, { assistant_id: "echo", input: { a: 1 } }, modes);
    expect(frames.map(({ event, data }) => `${event} ${stepOf(data)}`.trim())).toEqual([
      "checkpoints -1",
      "debug -1 checkpoint",
      "values",
      "checkpoints 0",
      "debug 0 checkpoint",
      "tasks",
      "debug 1 task",
      "updates",
      "tasks",
      "debug 1 task_result",
      "values",
      "checkpoints 1",
      "debug 1 checkpoint",
    ]);
  });

  it("does not depend on the order in which the modes are named", async () => {
    const contents = async (modes: readonly StreamMode[]) =>
      (await streamed(await openAgentWorld(), AGENT, modes)).map(({ id, event, data }) => [id, event, data]);
    expect(await contents([...STREAM_MODES].reverse())).toEqual(await contents(STREAM_MODES));
  });

  it("is the same each time", async () => {
    const text = async () => JSON.stringify(await streamed(await openAgentWorld(), AGENT, STREAM_MODES));
    expect(await text()).toBe(await text());
  });

  it("ends a run that asks with its interrupts alone, and then its task", async () => {
    const world = await openAgentWorld();
    const modes = ["values", "updates", "tasks"] as const;
    const frames = await streamed(world, { assistant_id: "interrupting", input: { a: 1 } }, modes);
    const interrupts = [{ id: expect.any(String), value: "Shall I continue?" }];
    expect(frames.map(({ event, data }) => [event, data]).slice(-3)).toEqual([
      ["updates", { __interrupt__: interrupts }],
      ["values", { __interrupt__: interrupts }],
      ["tasks", { id: expect.any(String), name: "ask", result: {}, interrupts }],
    ]);
  });
});

describe("a stream of the assistant agent", () => {
  it.each([
    ["values", 4, "values"],
    ["updates", 3, "updates"],
    ["messages-tuple", 9, "messages"],
    ["tasks", 6, "tasks"],
    ["checkpoints", 5, "checkpoints"],
    ["debug", 11, "debug"],
  ] as const)("has in mode %s %i events %s", async (mode, count, name) => {
    const frames = await streamed(await openAgentWorld(), AGENT, [mode]);
    expect(frames.map(({ event }) => event)).toEqual(Array(count).fill(name));
  });

  it.each([
    [AGENT, {}],
    [AGENT, { script: { then: { values: { a: 1 } } } }],
  ])("of %j has in mode events an end for each start: %j", async (body, { script }: { script?: object }) => {
    const world = await openAgentWorld();
    if (script) world.script(script);
    const events = (await streamed(world, body, ["events"])).map(
      ({ data }) => data as { event: string; name: string; data: object },
    );
    const names = (end: string) => events.filter(({ event }) => event === end).map(({ name }) => name);
    expect(names("on_chain_end").sort()).toEqual(names("on_chain_start").sort());
    expect(names("on_tool_end")).toEqual(names("on_tool_start"));
    const { assistant_id: name } = body;
    expect(events[0]).toMatchObject({ event: "on_chain_start", name });
    expect(events.at(-1)).toMatchObject({
      event: "on_chain_end",
      name,
      data: { output: expect.any(Object) },
    });
  });
});

describe("the mode tasks", () => {
  it("shows each task at its start, with metadata, and at its end, with its result", async () => {
    const world = await openAgentWorld();
    const body = { assistant_id: "echo", input: { a: 1 }, metadata: { team: "b" } };
    const [start, end, ...more] = (await streamed(world, body, ["tasks"])).map(({ data }) => data);
    expect(more).toEqual([]);
    const { id } = start as { id: string };
    expect(start).toMatchObject({
      name: "echo",
      input: { a: 1 },
      triggers: ["branch:to:echo"],
      interrupts: [],
      metadata: { team: "b", graph_id: "echo", run_id: expect.any(String) },
    });
    expect(end).toEqual({ id, name: "echo", result: { a: 1 }, interrupts: [] });
  });

  it("ends the task of a node that fails, and of one that writes nothing", async () => {
    const world = await openAgentWorld();
    const [, failed, error] = await streamed(world, { assistant_id: "failing", input: {} }, ["tasks"]);
    expect([failed?.data, error?.event]).toMatchObject([{ name: "fail", result: {} }, "error"]);
    world.script({ then: { events: [{ mode: "custom", data: 1 }] } });
    const silent = await streamed(world, { input: { a: 1 } }, ["tasks", "updates", "checkpoints"]);
    expect(silent.map(({ event }) => event)).toEqual([
      "checkpoints",
      "checkpoints",
      "tasks",
      "tasks",
      "checkpoints",
    ]);
    expect(silent.at(-1)?.data).toMatchObject({ values: { a: 1 }, next: [] });
  });
});

describe("the mode messages", () => {
  const MESSAGES = ["messages"] as const;
  const framesOf = (frames: readonly { event: string; data: unknown }[]) =>
    frames
      .filter(({ event }) => event !== "messages/metadata")
      .flatMap(({ event, data }) =>
        (data as Message[])
          .slice(-1)
          .map((last) => ({ event: event.slice(9), last, all: data as Message[] })),
      );

  it("completes the human message, and each answer after a partial one with its whole text", async () => {
    const frames = framesOf(await streamed(await openAgentWorld(), AGENT, MESSAGES));
    expect(frames.map(({ event, last }) => `${event} ${last.type}`).join()).toMatch(
      /^complete human,partial ai,complete ai,complete tool,(?:partial ai,){7}complete ai$/,
    );
    const answers = frames.flatMap(({ event, last }, index) =>
      event === "complete" && last.type === "ai" ? [[frames[index - 1]?.last, last]] : [],
    );
    expect(answers.map(([partial]) => partial)).toEqual(answers.map(([, complete]) => complete));
    expect(answers.map(([, answer]) => [answer?.content.slice(0, 13), answer?.tool_calls?.length])).toEqual([
      ["", 1],
      ["What I found:", 0],
    ]);
  });

  it("gives metadata once for each answer, with the step and the node of it", async () => {
    const frames = await streamed(await openAgentWorld(), AGENT, MESSAGES);
    const metadata = frames
      .filter(({ event }) => event === "messages/metadata")
      .flatMap(({ data }) => Object.values(data as Record<string, { metadata: object }>));
    expect(metadata).toMatchObject([
      { metadata: { langgraph_node: "agent", langgraph_step: 1, langgraph_triggers: ["branch:to:agent"] } },
      {
        metadata: { langgraph_node: "agent", langgraph_step: 3, langgraph_path: ["__pregel_pull", "agent"] },
      },
    ]);
  });

  it("completes what the thread held before in one event, and nothing twice", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const hello = (content: string) => ({ assistant_id: "echo", thread, input: { messages: content } });
    await streamed(world, hello("one"), MESSAGES);
    const [first, ...rest] = framesOf(await streamed(world, hello("two"), MESSAGES));
    expect(first?.all).toMatchObject([{ content: "one" }, { type: "ai" }, { content: "two" }]);
    expect(rest.map(({ event, last }) => [event, last.content])).toEqual([
      ["partial", "two"],
      ["complete", "two"],
    ]);
  });

  it("completes a scripted message once, also when an update holds it", async () => {
    const world = await openAgentWorld();
    const message = { type: "ai", id: "one", content: "Hello" };
    world.script({
      then: {
        events: [
          { mode: "messages", data: message },
          { mode: "updates", data: { model: { messages: [message] } } },
        ],
      },
    });
    const frames = framesOf(await streamed(world, { input: { a: 1 } }, MESSAGES));
    expect(frames.map(({ event, last }) => [event, last.content])).toEqual([
      ["partial", "Hello"],
      ["complete", "Hello"],
    ]);
  });
});

describe("values with the words of an outcome", () => {
  it.each([
    { text: "__error__ and __interrupt__" },
    {
      messages: [
        { ...messageMembers("human"), type: "human", id: "m", content: '{"__error__":{"error":"E"}}' },
      ],
    },
    { __interrupt__: "text", __error__: "text" },
  ])("are values: %j", async (input) => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const run = world.start(thread, { input });
    expect([world.status(run), world.threadStatus(thread)]).toEqual(["success", "idle"]);
    expect(JSON.stringify(world.outcome(run))).toContain(JSON.stringify(input).slice(1, -2));
    expect(world.values(thread)).toEqual(world.outcome(run));
  });
});
