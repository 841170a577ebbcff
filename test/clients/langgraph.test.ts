import type { Client as Client1 } from "langgraph-sdk-1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import type { Rig } from "../support/emulator.ts";
import { AGENT_CLIENTS, startOver } from "./transports.ts";

const ECHO = "046b5dc7-2108-582c-9c6c-31d556d138f0";
const UNKNOWN = "00000000-0000-4000-8000-00000000dead";

interface Chunk {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

interface DebugData {
  readonly type: string;
  readonly payload: { readonly checkpoint: object };
}

describe.each(AGENT_CLIENTS)("client %s %s", (line, transport, Client) => {
  let rig: Rig;
  let emulator: Emulator;
  let client: Client1;

  beforeAll(async () => {
    rig = await startOver(transport);
    emulator = rig.emulator;
    const options = { apiUrl: emulator.url, apiKey: "emulator-key", callerOptions: { maxRetries: 0 } };
    client = new Client(options) as Client1;
  });
  afterAll(() => rig.close());

  const thread = async () => (await client.threads.create()).thread_id;
  async function report(stream: AsyncIterable<unknown>): Promise<Chunk[]> {
    const chunks: Chunk[] = [];
    for await (const chunk of stream) chunks.push(chunk as Chunk);
    return chunks;
  }

  it("finds the assistants of the server, and makes its own", async () => {
    const results = await client.assistants.search({ limit: 10, offset: 0 });
    expect(results.map(({ graph_id }) => graph_id).sort()).toEqual([
      "agent",
      "echo",
      "failing",
      "interrupting",
      "slow",
    ]);
    expect(results.find(({ graph_id }) => graph_id === "agent")?.assistant_id).toBe(
      "fe096781-5601-53d2-b2f6-0d3403f7e9ca",
    );
    const page = await client.assistants.search({ limit: 2, includePagination: true });
    expect(page).toMatchObject({ next: "2" });
    const assistant = await client.assistants.create({
      graphId: "echo",
      name: "Mine",
      metadata: { team: "a" },
    });
    expect(await client.assistants.get(assistant.assistant_id)).toMatchObject({
      name: "Mine",
      graph_id: "echo",
      version: 1,
    });
    expect(await client.assistants.update(assistant.assistant_id, { name: "Ours" })).toMatchObject({
      name: "Ours",
      version: 2,
    });
    expect(await client.assistants.search({ metadata: { team: "a" } })).toHaveLength(1);
    expect(await client.assistants.getVersions(assistant.assistant_id)).toMatchObject([
      { name: "Ours", version: 2 },
      { name: "Mine", version: 1 },
    ]);
    expect(await client.assistants.setLatest(assistant.assistant_id, 1)).toMatchObject({
      name: "Mine",
      version: 1,
    });
    await expect(client.assistants.setLatest(assistant.assistant_id, 7)).rejects.toThrow("404");
    expect(await client.assistants.update(assistant.assistant_id, { name: "Theirs" })).toMatchObject({
      version: 3,
    });
    expect(await client.assistants.getVersions(ECHO)).toMatchObject([{ version: 1 }]);
    const run = await client.runs.create(await thread(), assistant.assistant_id, { input: {} });
    expect(run.assistant_id).toBe(assistant.assistant_id);
    expect((await client.assistants.getGraph(assistant.assistant_id)).nodes).toHaveLength(3);
    await client.assistants.delete(assistant.assistant_id);
    await expect(client.assistants.get(assistant.assistant_id)).rejects.toThrow("404");
    await expect(client.assistants.delete(ECHO)).rejects.toThrow("409");
  });

  it("creates, finds, changes, copies and deletes threads", async () => {
    const thread = await client.threads.create({ metadata: { owner: line } });
    expect(thread).toMatchObject({ status: "idle", values: null, metadata: { owner: line } });
    expect(Object.keys(thread)).toEqual([
      "thread_id",
      "created_at",
      "updated_at",
      "metadata",
      "status",
      "config",
      "values",
    ]);
    expect(await client.threads.create({ threadId: thread.thread_id, ifExists: "do_nothing" })).toEqual(
      thread,
    );
    await expect(client.threads.create({ threadId: thread.thread_id })).rejects.toThrow("409");
    expect(await client.threads.search({ metadata: { owner: line }, status: "idle" })).toEqual([thread]);
    expect(await client.threads.search({ metadata: { owner: "nobody" } })).toEqual([]);
    await client.threads.update(thread.thread_id, { metadata: { more: 1 } });
    expect((await client.threads.get(thread.thread_id)).metadata).toEqual({ owner: line, more: 1 });
    await client.runs.wait(thread.thread_id, "echo", { input: { kept: true } });
    const copy = await client.threads.copy(thread.thread_id);
    await client.threads.delete(thread.thread_id);
    await expect(client.threads.get(thread.thread_id)).rejects.toThrow("404");
    expect((await client.threads.get(copy.thread_id)).values).toEqual({ kept: true });
  });

  it("reads and changes the state of a thread, and its history", async () => {
    const id = await thread();
    await client.runs.wait(id, "echo", { input: { a: 1 } });
    await client.threads.updateState(id, { values: { b: 2 }, asNode: "echo" });
    const state = await client.threads.getState(id);
    expect(state).toMatchObject({
      values: { a: 1, b: 2 },
      next: [],
      tasks: [],
      metadata: { source: "update" },
    });
    const history = await client.threads.getHistory(id);
    expect(history.map(({ values, metadata }) => [values, metadata?.source, metadata?.step])).toEqual([
      [{ a: 1, b: 2 }, "update", 2],
      [{ a: 1 }, "loop", 1],
      [{ a: 1 }, "loop", 0],
      [{}, "input", -1],
    ]);
    const before = history[1]?.checkpoint.checkpoint_id ?? "";
    expect(state.parent_checkpoint?.checkpoint_id).toBe(before);
    expect((await client.threads.getState(id, before)).values).toEqual({ a: 1 });
    expect(await client.threads.getHistory(id, { limit: 1 })).toHaveLength(1);
  });

  it("reads a state for each step, resumes from one, and copies them to another thread", async () => {
    const id = await thread();
    const input = { messages: [{ role: "user", content: "hello" }] };
    const stream = await report(client.runs.stream(id, "agent", { input, streamMode: ["updates", "debug"] }));
    const history = await client.threads.getHistory<{ messages: object[] }>(id);
    expect(history.map(({ metadata, next }) => [metadata?.step, metadata?.source, ...next])).toEqual([
      [3, "loop"],
      [2, "loop", "agent"],
      [1, "loop", "tools"],
      [0, "loop", "agent"],
      [-1, "input", "__start__"],
    ]);
    const debugged = stream.flatMap(({ event, data }) => (event === "debug" ? [data as DebugData] : []));
    expect(
      debugged.filter(({ type }) => type === "checkpoint").map(({ payload }) => payload.checkpoint),
    ).toEqual(history.map(({ checkpoint }) => checkpoint).reverse());
    const clone = await client.threads.create({
      graphId: "agent",
      supersteps: [
        { updates: [{ asNode: "__input__", values: history[3]?.values }] },
        { updates: [{ asNode: "__start__", values: history[3]?.values }] },
        ...stream
          .filter(({ event }) => event === "updates")
          .map(({ data }) => ({
            updates: Object.entries(data as object).map(([asNode, values]) => ({ asNode, values })),
          })),
      ],
    });
    const cloned = await client.threads.getHistory(clone.thread_id);
    expect(cloned.map(({ next, values }) => [next, values])).toEqual(
      history.map(({ next, values }) => [next, values]),
    );
    const checkpoint = history[2]?.checkpoint;
    await client.runs.wait(id, "agent", { input: null, ...(checkpoint && { checkpoint }) });
    expect((await client.threads.getHistory(id))[2]?.metadata).toMatchObject({ source: "fork", step: 2 });
    await expect(client.runs.wait(id, "agent", { input, config: { recursion_limit: 1 } })).rejects.toThrow(
      "GraphRecursionError",
    );
  });

  it("creates runs and hears which, lists them with every option, gets and deletes them", async () => {
    const id = await thread();
    const ids: unknown[] = [];
    const onRunCreated = (run: unknown) => void ids.push(run);
    const run = await client.runs.create(id, "echo", { input: { n: 1 }, onRunCreated });
    expect(ids).toEqual([{ run_id: run.run_id, thread_id: id }]);
    const failed = await client.runs.create(id, "failing", { input: {}, metadata: { nth: 2 } });
    expect((await client.runs.list(id)).map(({ run_id }) => run_id)).toEqual([failed.run_id, run.run_id]);
    expect(await client.runs.list(id, { limit: 5, offset: 1 })).toMatchObject([{ run_id: run.run_id }]);
    expect(await client.runs.list(id, { status: "error", select: ["run_id", "metadata"] })).toEqual([
      { run_id: failed.run_id, metadata: expect.objectContaining({ nth: 2 }) },
    ]);
    expect(await client.runs.get(id, run.run_id)).toMatchObject({
      status: "success",
      kwargs: { input: { n: 1 } },
    });
    await client.runs.delete(id, failed.run_id);
    await expect(client.runs.get(id, failed.run_id)).rejects.toThrow("404");
  });

  it("waits for runs: values, errors, interrupts and answers", async () => {
    const id = await thread();
    const ids: unknown[] = [];
    const onRunCreated = (run: unknown) => void ids.push(run);
    expect(await client.runs.wait(id, "slow", { input: { a: 1 }, onRunCreated })).toEqual({
      a: 1,
      step: 10,
    });
    expect(ids).toMatchObject([{ thread_id: id }]);
    await expect(client.runs.wait(id, "failing", { input: {} })).rejects.toThrow(
      "RuntimeError: The assistant failing always fails.",
    );
    expect(await client.runs.wait(id, "interrupting", { input: {} })).toMatchObject({
      __interrupt__: [{ value: "Shall I continue?" }],
    });
    expect((await client.threads.get(id)).status).toBe("interrupted");
    expect(await client.runs.wait(id, "interrupting", { command: { resume: "yes" } })).toMatchObject({
      answer: "yes",
    });
    expect(await client.runs.wait(null, "echo", { input: { b: 2 } })).toEqual({ b: 2 });
  });

  it("stops at breakpoints, changes the tool call, and resumes", async () => {
    const id = await thread();
    const input = { messages: [{ role: "user", content: "hello" }] };
    const paused = await report(
      client.runs.stream(id, "agent", { input, interruptBefore: ["tools"], streamMode: "updates" }),
    );
    expect(paused.at(-1)).toMatchObject({ event: "updates", data: { __interrupt__: [] } });
    const state = await client.threads.getState<{ messages: Record<string, unknown>[] }>(id);
    expect(state).toMatchObject({ next: ["tools"], tasks: [{ name: "tools" }] });
    expect((await client.threads.get(id)).status).toBe("interrupted");
    const call = { name: "weigh", args: { query: "four" }, id: "mine", type: "tool_call" };
    const asking = { ...state.values.messages.at(-1), tool_calls: [call] };
    await client.threads.updateState(id, { values: { messages: [asking] } });
    const ended = await client.runs.wait(id, "agent", { input: null });
    expect((ended as { messages: object[] }).messages.slice(-2)).toMatchObject([
      { type: "tool", name: "weigh", tool_call_id: "mine" },
      { type: "ai", content: "What I found: 4 characters about it" },
    ]);
    expect((await client.threads.getState(id)).next).toEqual([]);
  });

  it("streams runs, on a thread and without one, in the requested modes", async () => {
    const ids: unknown[] = [];
    const input = { messages: [{ role: "user", content: "hello there" }] };
    const onRunCreated = (run: unknown) => void ids.push(run);
    const id = await thread();
    const both = await report(
      client.runs.stream(id, "echo", { input, streamMode: ["updates", "messages-tuple"], onRunCreated }),
    );
    expect(both.map(({ event }) => event)).toEqual(["metadata", "messages", "messages", "updates"]);
    expect(both[0]?.data).toEqual({ run_id: (ids[0] as { run_id: string }).run_id, attempt: 1 });
    expect(both.at(-1)?.data).toMatchObject({
      echo: { messages: [{ type: "ai", content: "hello there" }] },
    });
    const stateless = await report(client.runs.stream(null, "echo", { input: { a: 1 } }));
    expect(stateless.map(({ event }) => event)).toEqual(["metadata", "values", "values"]);
    const failed = await report(client.runs.stream(null, "failing", { input: {}, streamMode: "events" }));
    expect(failed.at(-1)).toMatchObject({ event: "error", data: { error: "RuntimeError" } });
  });

  it("joins runs and their streams from its last position", async () => {
    const id = await thread();
    const run = await client.runs.create(id, "slow", { input: {}, streamMode: "custom" });
    const joined = report(client.runs.joinStream(id, run.run_id));
    expect((await joined).map(({ data }) => (data as { step: number }).step)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(await client.runs.join(id, run.run_id)).toEqual({ step: 10 });
    const again = await report(
      client.runs.joinStream(id, run.run_id, { lastEventId: "-1", streamMode: "values" }),
    );
    expect(again.map(({ event }) => event)).toEqual(["metadata", ...new Array(11).fill("values")]);
    const rest = await report(
      client.runs.joinStream(id, run.run_id, { lastEventId: again[9]?.id ?? "", streamMode: "values" }),
    );
    expect(rest).toEqual(again.slice(10));
  });

  it("cancels runs, by hand and by the next one on the thread", async () => {
    const id = await thread();
    const [first, second] = [
      await client.runs.create(id, "slow", {}),
      await client.runs.create(id, "slow", {}),
    ];
    await client.runs.cancel(id, second.run_id);
    await client.runs.cancel(id, first.run_id, true);
    expect((await client.runs.list(id)).map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
    const busy = await client.runs.create(id, "slow", {});
    await expect(client.runs.create(id, "echo", { multitaskStrategy: "reject" })).rejects.toThrow("409");
    await client.runs.wait(id, "echo", { multitaskStrategy: "rollback" });
    await expect(client.runs.get(id, busy.run_id)).rejects.toThrow("404");
    const cut = await client.runs.create(id, "slow", {});
    await client.runs.wait(id, "echo", { multitaskStrategy: "interrupt" });
    expect((await client.runs.get(id, cut.run_id)).status).toBe("interrupted");
    const queued = await client.runs.create(id, "slow", {});
    await client.runs.wait(id, "echo", { multitaskStrategy: "enqueue" });
    expect((await client.runs.get(id, queued.run_id)).status).toBe("success");
    // Only the newer line can cancel several.
    if (line !== "1.15.0") return;
    const last = await client.runs.create(id, "slow", {});
    await client.runs.cancelMany({ threadId: id, status: "all" });
    expect((await client.runs.get(id, last.run_id)).status).toBe("interrupted");
  });

  it("starts runs together", async () => {
    const runs = await client.runs.createBatch([
      { assistantId: "echo", input: { a: 1 } },
      { assistantId: "slow", input: {} },
    ]);
    expect(runs.map(({ status }) => status)).toEqual(["pending", "pending"]);
  });

  it.each([
    ["an unknown thread", () => client.runs.list(UNKNOWN), `404: "Thread with ID ${UNKNOWN} not found"`],
    [
      "a thread id that is not a uuid",
      () => client.runs.list("abc"),
      '422: "path.thread_id: must be a uuid"',
    ],
    ["an unknown assistant", () => client.runs.wait(null, UNKNOWN, { input: {} }), '404: "assistant_id:'],
    ["an unknown run", async () => client.runs.join(await thread(), UNKNOWN), "404"],
    ["a stream of an unknown thread", () => report(client.runs.stream(UNKNOWN, "echo", {})), "404"],
  ])("receives a plain string for %s", async (_, call, expected) => {
    await expect(call()).rejects.toThrow(expected);
  });

  it("leaves no run open when it aborts a stream, and cancels its run on request", async () => {
    await emulator.control("POST", "/agent/scripts", { match: { nth: 1 }, then: { never_starts: true } });
    const abort = new AbortController();
    const id = await thread();
    const onRunCreated = () => abort.abort();
    const stream = client.runs.stream(id, "echo", {
      onDisconnect: "cancel",
      signal: abort.signal,
      onRunCreated,
    });
    await report(stream).catch(() => []);
    let runs = await client.runs.list(id);
    for (let tries = 0; tries < 500 && runs[0]?.status !== "interrupted"; tries += 1)
      runs = await client.runs.list(id);
    expect(runs[0]?.status).toBe("interrupted");
    expect(await emulator.control("GET", "/status")).toMatchObject({ open_streams: 0 });
  });
});
