import { describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

interface Thread {
  readonly thread_id: string;
  readonly status: string;
  readonly created_at: string;
  readonly values: unknown;
}

interface State {
  readonly values: { readonly messages?: readonly object[] };
  readonly next: readonly string[];
  readonly metadata: { readonly step: number; readonly source: string };
  readonly checkpoint: { readonly checkpoint_id: string };
  readonly parent_checkpoint: object | null;
}

const rig = useRig("test", () => startRig());
const create = (body: Record<string, unknown>) => rig.call<Thread>("POST", "/threads", body);
const historyOf = async ({ thread_id }: Thread) =>
  (await rig.call<State[]>("POST", `/threads/${thread_id}/history`, {})).body;

const update = (as_node: string, values?: unknown) => ({ updates: [{ as_node, values }] });
const GRAPH = { metadata: { graph_id: "agent" } };

describe("a search of threads that were created at one instant", () => {
  it("sorts by creation, in both directions and over pages", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await create({})).body.thread_id);
    const searchIds = async (search: object) =>
      (await rig.call<Thread[]>("POST", "/threads/search", search)).body.map(({ thread_id }) => thread_id);
    expect(await searchIds({})).toEqual(ids.toReversed());
    expect(await searchIds({ sort_by: "created_at", sort_order: "asc" })).toEqual(ids);
    expect([await searchIds({ limit: 2 }), await searchIds({ limit: 2, offset: 2 })].flat()).toEqual(
      ids.toReversed(),
    );
  });
});

it("a search sorts threads by the time of their state", async () => {
  const [first, second] = [(await create({})).body, (await create({})).body];
  await rig.call("POST", "/_emulator/v1/clock/advance", { by: "PT1M" });
  await rig.call("POST", `/threads/${second?.thread_id}/runs/wait`, { assistant_id: "echo", input: {} });
  await rig.call("POST", "/_emulator/v1/clock/advance", { by: "PT1M" });
  await rig.call("PATCH", `/threads/${first?.thread_id}`, { metadata: { a: 1 } });
  await rig.call("POST", `/threads/${first?.thread_id}/state`, { values: {} });
  await rig.call("PATCH", `/threads/${second?.thread_id}`, { metadata: { a: 1 } });
  const { body } = await rig.call<Thread[]>("POST", "/threads/search", { sort_by: "state_updated_at" });
  expect(body.map(({ thread_id }) => thread_id)).toEqual([first?.thread_id, second?.thread_id]);
  const asc = { sort_by: "state_updated_at", sort_order: "asc" };
  expect((await rig.call<Thread[]>("POST", "/threads/search", asc)).body[0]?.thread_id).toBe(
    second?.thread_id,
  );
});

describe("supersteps of a created thread (§4.8)", () => {
  it("repeat the states of another one", async () => {
    const { body: thread } = await create({});
    const stream = await fetch(`${rig.emulator.url}/threads/${thread.thread_id}/runs/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: "agent", input: { messages: "hi" }, stream_mode: "updates" }),
    });
    const updates = [...(await stream.text()).matchAll(/event: updates\r\ndata: (.*)\r\n/g)].map(
      ([, data]) => JSON.parse(data ?? "") as Record<string, object>,
    );
    const history = await historyOf(thread);
    const input = history.at(-2)?.values;
    const { status, body: clone } = await create({
      ...GRAPH,
      supersteps: [
        update("__input__", input),
        update("__start__", input),
        ...updates.flatMap((one) => Object.entries(one).map(([node, values]) => update(node, values))),
      ],
    });
    expect([status, clone.status]).toEqual([200, "idle"]);
    const viewOf = ({ values, next, metadata }: State) => ({ values, next, step: metadata.step });
    expect((await historyOf(clone)).map(viewOf)).toEqual(history.map(viewOf));
    expect(clone.values).toEqual(history[0]?.values);
  });

  it("leave the thread waiting for the node after the last one, where a run resumes", async () => {
    const call = { name: "look_up", args: { query: "four" }, id: "c", type: "tool_call" };
    const asking = { type: "ai", content: "", tool_calls: [call] };
    const { body: thread } = await create({
      ...GRAPH,
      supersteps: [update("__start__", { messages: "hi" }), update("agent", { messages: [asking] })],
    });
    expect(thread.status).toBe("interrupted");
    expect((await historyOf(thread)).map(({ next, metadata }) => [metadata.source, ...next])).toEqual([
      ["update", "tools"],
      ["update", "agent"],
    ]);
    const waited = await rig.call<{ messages: { type: string }[] }>(
      "POST",
      `/threads/${thread.thread_id}/runs/wait`,
      { assistant_id: "agent", input: null },
    );
    expect(waited.body.messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
  });

  it("copy the state before with __copy__", async () => {
    const supersteps = [update("__start__", { messages: "hi" }), update("__copy__")];
    const { body: thread } = await create({ ...GRAPH, supersteps });
    const [copy, original] = await historyOf(thread);
    expect(copy).toMatchObject({ values: original?.values, next: ["agent"], metadata: { source: "fork" } });
  });

  it("merge the updates of one superstep; a node of no graph is the last one", async () => {
    const updates = [
      { as_node: "agent", values: { a: 1 } },
      { as_node: "mine", values: { b: 2 } },
      { as_node: "tools", values: null },
    ];
    const { body } = await create({ ...GRAPH, supersteps: [{ updates }, update("mine", { c: 3 })] });
    expect(body.values).toEqual({ a: 1, b: 2, c: 3 });
    expect((await historyOf(body)).map(({ next }) => next)).toEqual([[], ["agent"]]);
  });

  it.each([
    [{ supersteps: [update("agent", {})] }, 422, "metadata.graph_id"],
    [{ metadata: { graph_id: "none" }, supersteps: [update("agent", {})] }, 404, "graph_id"],
    [{ ...GRAPH, supersteps: [{ updates: [] }] }, 422, "body.supersteps[0].updates"],
    [{ ...GRAPH, supersteps: [{}] }, 422, "body.supersteps[0].updates"],
    [{ ...GRAPH, supersteps: [{ updates: [{ values: {} }] }] }, 422, "body.supersteps[0].updates[0].as_node"],
    [{ ...GRAPH, supersteps: [update("agent", 7)] }, 422, "body.supersteps[0].updates[0].values"],
    [
      { ...GRAPH, supersteps: [{ updates: [{ as_node: "agent", command: { goto: "tools" } }] }] },
      422,
      "body.supersteps[0].updates[0].command",
    ],
    [
      { ...GRAPH, supersteps: [{ updates: [{ as_node: "__input__" }, { as_node: "agent" }] }] },
      422,
      "body.supersteps[0].updates: __input__",
    ],
    [{ ...GRAPH, supersteps: [update("__copy__")] }, 422, "body.supersteps[0].updates[0].as_node: __copy__"],
    [
      {
        ...GRAPH,
        supersteps: [update("agent"), { updates: [{ as_node: "agent" }, { as_node: "__copy__" }] }],
      },
      422,
      "body.supersteps[1].updates: __copy__",
    ],
    [{ ...GRAPH, supersteps: Array(101).fill(update("agent", {})) }, 422, "body.supersteps"],
  ])("are refused with the mistake, and create no thread: %#", async (body, status, name) => {
    const refusal = await create(body);
    expect([refusal.status, refusal.body]).toEqual([status, expect.stringContaining(name)]);
    expect((await rig.call("POST", "/threads/count", {})).body).toBe(0);
  });

  it("are refused with 413 when their states together are too large", async () => {
    const small = await startRig({ limits: { agent_values_bytes: 2_000 } });
    const supersteps = [update("__start__", { text: "x".repeat(700) }), update("a", {}), update("b", {})];
    const refusal = await small.call("POST", "/threads", { ...GRAPH, supersteps });
    expect([refusal.status, refusal.body]).toEqual([413, expect.stringContaining("agent_values_bytes")]);
    expect((await small.call("POST", "/threads/count", {})).body).toBe(0);
    const fits = await small.call("POST", "/threads", { ...GRAPH, supersteps: supersteps.slice(0, 2) });
    expect(fits.status).toBe(200);
    await small.close();
  });

  it("do nothing to a thread that exists", async () => {
    const { body } = await create({});
    const again = { ...GRAPH, thread_id: body.thread_id, if_exists: "do_nothing" };
    const reply = await create({ ...again, supersteps: [update("agent", { a: 1 })] });
    expect(reply.body).toEqual(body);
  });
});

describe("a change in the name of a node", () => {
  it("resumes after the node of the graph of the thread's last run", async () => {
    const { body: thread } = await create({});
    const path = `/threads/${thread.thread_id}`;
    await rig.call("POST", `${path}/runs/wait`, { assistant_id: "agent", input: { messages: "hi" } });
    const change = async (as_node: string, values: unknown) => {
      await rig.call("POST", `${path}/state`, { values, as_node });
      return (await rig.call<State>("GET", `${path}/state`)).body;
    };
    expect(await change("tools", {})).toMatchObject({ next: ["agent"], metadata: { step: 4 } });
    expect((await rig.call<Thread>("GET", path)).body.status).toBe("interrupted");
    expect((await change("agent", {})).next).toEqual([]);
    expect((await change("__start__", { messages: "again" })).next).toEqual(["agent"]);
    const unknown = await rig.call("POST", `${path}/state`, { values: {}, as_node: "tols" });
    const problem =
      'body.as_node: "tols" is not a node of the graph agent. Use one of agent, tools, __start__,';
    expect([unknown.status, unknown.body]).toEqual([422, expect.stringContaining(problem)]);
  });

  it("may be in the name of a node of a script that a run of the thread had", async () => {
    const { body: thread } = await create({});
    const path = `/threads/${thread.thread_id}`;
    const events = [{ node: "mine" }, { mode: "updates", data: { yours: {} } }] as const;
    await rig.emulator.control("POST", "/agent/scripts", { then: { events }, times: 1 });
    await rig.call("POST", `${path}/runs/wait`, { assistant_id: "agent", input: {} });
    for (const as_node of ["mine", "yours"]) {
      expect((await rig.call("POST", `${path}/state`, { values: {}, as_node })).status).toBe(200);
      expect((await rig.call<State>("GET", `${path}/state`)).body.next).toEqual([]);
    }
  });

  it("copies a state with __copy__: the same values, parent and next nodes", async () => {
    const { body: thread } = await create({});
    const path = `/threads/${thread.thread_id}`;
    const copy = (body: object = {}) =>
      rig.call<string>("POST", `${path}/state`, { values: null, as_node: "__copy__", ...body });
    expect(await copy()).toMatchObject({ status: 422, body: expect.stringContaining("does not have one") });
    const run = { assistant_id: "agent", input: { messages: "hi" }, interrupt_before: ["tools"] };
    await rig.call("POST", `${path}/runs/wait`, run);
    const [latest, first] = await historyOf(thread);
    expect(latest?.next).toEqual(["tools"]);
    expect(await copy({ values: { a: 1 } })).toMatchObject({
      status: 422,
      body: expect.stringContaining("body.values: must be null or empty"),
    });
    for (const { original, reference } of [
      { original: latest, reference: {} },
      { original: first, reference: { checkpoint_id: first?.checkpoint.checkpoint_id } },
    ]) {
      expect((await copy(reference)).status).toBe(200);
      const { values, next, parent_checkpoint, metadata } = original as State;
      const source = "fork";
      const step = Number(metadata.step) + 1;
      const state = (await rig.call<State>("GET", `${path}/state`)).body;
      expect(state).toMatchObject({ values, next, parent_checkpoint, metadata: { source, step } });
    }
    expect((await rig.call<Thread>("GET", path)).body.status).toBe("interrupted");
    const resumed = await rig.call<{ messages: object[] }>("POST", `${path}/runs/wait`, {
      assistant_id: "agent",
      checkpoint_id: latest?.checkpoint.checkpoint_id,
    });
    expect(resumed.body.messages).toHaveLength(4);
  });
});

describe("an assistant that is deleted", () => {
  it("also deletes its threads on request", async () => {
    const assistantUse = async (body: Record<string, unknown> = {}) => {
      const assistant = await rig.call<{ assistant_id: string }>("POST", "/assistants", { graph_id: "echo" });
      const { assistant_id } = assistant.body;
      const thread = (await create({ metadata: { owner: "me" } })).body;
      await rig.call("POST", `/threads/${thread.thread_id}/runs/wait`, { assistant_id, ...body });
      return { assistant_id, path: `/threads/${thread.thread_id}` };
    };
    const [one, two] = [await assistantUse(), await assistantUse()];
    await rig.call("DELETE", `/assistants/${one.assistant_id}?delete_threads=true`);
    await rig.call("DELETE", `/assistants/${two.assistant_id}`);
    expect((await rig.call("GET", one.path)).status).toBe(404);
    expect((await rig.call("GET", two.path)).status).toBe(200);
  });
});

it("refuses an invalid recursion_limit in every configuration (§2.1)", async () => {
  const { body: thread } = await create({});
  const config = { recursion_limit: 0 };
  const run = { assistant_id: "echo", input: {}, config };
  for (const [path, body] of [
    [`/threads/${thread.thread_id}/runs`, run],
    ["/runs/stream", run],
    ["/runs/batch", [run]],
    ["/runs/crons", { ...run, schedule: "0 * * * *" }],
    ["/assistants", { graph_id: "echo", config }],
  ] as const) {
    const refusal = await rig.call("POST", path, body);
    expect([refusal.status, refusal.body], path).toEqual([422, expect.stringContaining("recursion_limit")]);
  }
});

it("the limit of an assistant holds for its runs, unless a run names its own", async () => {
  const config = { recursion_limit: 1 };
  const { body } = await rig.call<{ assistant_id: string }>("POST", "/assistants", {
    graph_id: "echo",
    config,
  });
  const run = { assistant_id: body.assistant_id, input: { a: 1 } };
  const failed = await rig.call<{ __error__?: object }>("POST", "/runs/wait", run);
  expect(failed.body.__error__).toMatchObject({ error: "GraphRecursionError" });
  const more = await rig.call("POST", "/runs/wait", { ...run, config: { recursion_limit: 2 } });
  expect(more.body).toEqual({ a: 1 });
});
