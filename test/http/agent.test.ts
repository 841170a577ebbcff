import { beforeEach, describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const UNKNOWN = "00000000-0000-4000-8000-00000000dead";
const JSON_TYPE = { "content-type": "application/json" };
const ECHO = { assistant_id: "echo", input: { a: 1 } };

type Members = Readonly<Record<string, unknown>>;

const rig = useRig("file", () => startRig());
let thread: string;

beforeEach(async () => {
  thread = `/threads/${(await rig.call("POST", "/threads", {})).body.thread_id}`;
});

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const content = body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) };
  const reply = await rig.emulator.request(path, {
    method,
    headers: { ...JSON_TYPE, ...headers },
    ...content,
  });
  const text = await reply.text();
  return { status: reply.status, header: (name: string) => reply.headers.get(name) ?? "", text };
}

async function call<T = Members>(method: string, path: string, body?: unknown): Promise<T> {
  const { status, text } = await send(method, path, body);
  expect([status, text], `${method} ${path}`).toEqual([
    expect.toBeOneOf([200, 202, 204]),
    expect.any(String),
  ]);
  return JSON.parse(text || "null");
}

const start = (body: Members = {}) =>
  call<{ run_id: string }>("POST", `${thread}/runs`, { ...ECHO, ...body });

/** The events of a stream. */
const eventsIn = (text: string) =>
  text
    .split("\r\n\r\n")
    .filter((frame) => frame !== "")
    .map((frame) => Object.fromEntries(frame.split("\r\n").map((line) => line.split(/: (.*)/s).slice(0, 2))));

describe("a run (§4.8)", () => {
  it("has its places in the plural, whatever the path of its request", async () => {
    const path = thread.replace("threads", "thread");
    const creation = await send("POST", `${path}/runs`, ECHO);
    const { run_id, ...run } = JSON.parse(creation.text);
    expect(creation.header("content-location")).toBe(`${thread}/runs/${run_id}`);
    expect(run).toMatchObject({
      status: "pending",
      multitask_strategy: "enqueue",
      kwargs: { input: { a: 1 } },
    });
    const waited = await send("POST", `${path}/runs/wait`, ECHO);
    expect([waited.header("location"), waited.text]).toEqual([
      expect.stringMatching(RegExp(`^${thread}/runs/[^/]+/join$`)),
      '{"a":1}',
    ]);
    const streamed = await send("POST", `${path}/runs/stream`, {
      ...ECHO,
      stream_mode: ["values", "updates"],
    });
    expect(streamed.header("content-type")).toBe("text/event-stream");
    expect(streamed.header("location")).toBe(`${streamed.header("content-location")}/stream`);
    expect(streamed.text).toMatch(
      /^event: metadata\r\ndata: \{"run_id":"[^"]+","attempt":1\}\r\nid: 0-0\r\n\r\n/,
    );
    expect(eventsIn(streamed.text).map(({ event }) => event)).toEqual([
      "metadata",
      "values",
      "updates",
      "values",
    ]);
  });

  it.each([
    ["echo", { a: 1 }],
    ["failing", { __error__: { error: "RuntimeError", message: "The assistant failing always fails." } }],
    [
      "interrupting",
      { __interrupt__: [{ id: expect.stringMatching(/^[0-9a-f]{32}$/), value: "Shall I continue?" }] },
    ],
  ])("without a thread of %s is waited for, and can be joined afterwards", async (assistant_id, expected) => {
    const waited = await send("POST", "/runs/wait", { ...ECHO, assistant_id });
    expect(JSON.parse(waited.text)).toEqual(expected);
    expect(waited.header("content-location")).toMatch(/^\/threads\/[^/]+\/runs\/[^/]+$/);
    expect((await send("GET", waited.header("location"))).text).toBe(waited.text);
  });

  it("resumes its stream after Last-Event-ID, wherever it was interrupted", async () => {
    const stream_mode = ["values", "messages-tuple"];
    const { header, text } = await send("POST", `${thread}/runs/stream`, { ...ECHO, stream_mode });
    const all = eventsIn(text);
    const resumed = async (id: string) =>
      eventsIn((await send("GET", header("location"), undefined, { "last-event-id": id })).text);
    for (const [index, { id }] of all.entries())
      expect(await resumed(id ?? ""), id).toEqual(all.slice(index + 1));
    expect(await resumed("-1")).toEqual(all);
    expect((await send("GET", header("location"))).text).toBe("");
    const stateless = await send("POST", "/runs/stream", ECHO);
    const again = { "last-event-id": "-1" };
    expect((await send("GET", stateless.header("location"), undefined, again)).text).toBe(stateless.text);
  });

  it("is created by POST /runs with an assistant_id, and a trace row without it", async () => {
    const { header, text } = await send("POST", "/runs", ECHO);
    expect(header("content-location")).toBe(`/runs/${JSON.parse(text).run_id}`);
    const row = { id: UNKNOWN, name: "row", run_type: "chain", start_time: "2026-03-01T00:00:00Z" };
    expect((await send("POST", "/runs", row)).status).toBe(202);
    expect(await call("GET", `/runs/${UNKNOWN}`)).toMatchObject({ name: "row" });
  });

  it("is started with the others of a list, or none of them is", async () => {
    expect(await call("POST", "/runs/batch", [ECHO, ECHO])).toMatchObject([
      { status: "pending" },
      { status: "pending" },
    ]);
    const before = await call("POST", "/threads/count", {});
    expect((await send("POST", "/runs/batch", [ECHO, { assistant_id: "nobody" }])).status).toBe(404);
    expect(await call("POST", "/threads/count", {})).toBe(before);
    expect((await send("POST", "/runs/batch", { post: [], patch: [] })).status).toBe(202);
  });

  it("is cancelled at once, or with its result as the reply, alone or with others", async () => {
    const slow = async () => `${thread}/runs/${(await start({ assistant_id: "slow" })).run_id}`;
    const one = await slow();
    const cancelled = await send("POST", `${one}/cancel?wait=0&action=interrupt`);
    expect([cancelled.status, cancelled.text]).toEqual([202, ""]);
    expect(await call("GET", one)).toMatchObject({ status: "interrupted" });
    const two = await slow();
    await rig.emulator.clock.advance("PT2S");
    expect(await call("POST", `${two}/cancel?wait=1`)).toEqual({ a: 1, step: 2 });
    const removedRun = await slow();
    await send("POST", `${removedRun}/cancel?action=rollback`);
    const [waiting, other] = [await start({ after_seconds: 9 }), await start({ after_seconds: 9 })];
    const thread_id = thread.slice("/threads/".length);
    for (const [body, status] of [
      [{ thread_id: UNKNOWN, run_ids: [waiting.run_id] }, 404],
      [{ thread_id, status: "running" }, 404],
      [{ thread_id, run_ids: [waiting.run_id.toUpperCase()] }, 204],
      [{ thread_id, status: "pending" }, 204],
      [{ thread_id, status: "all" }, 404],
      [{}, 422],
    ] as const)
      expect((await send("POST", "/runs/cancel", body)).status, JSON.stringify(body)).toBe(status);
    await start({ after_seconds: 9 });
    expect((await send("POST", "/runs/cancel", { thread_id, status: "all" })).status).toBe(204);
    for (const { run_id } of [waiting, other])
      expect(await call("GET", `${thread}/runs/${run_id}`)).toMatchObject({ status: "interrupted" });
    await call("DELETE", two);
    for (const path of [
      two,
      removedRun,
      `${two}/join`,
      `${two}/stream`,
      `${one.replace(thread, `/threads/${UNKNOWN}`)}/join`,
    ])
      expect((await send("GET", path)).status).toBe(404);
    expect((await send("POST", `${one}/cancel`)).text).toMatch(
      /^"Run \S+ has ended with status interrupted\."$/,
    );
  });

  it("that is rolled back keeps its trace rows, calls no webhook and removes its own thread (§6)", async () => {
    const before = await rig.emulator.control("GET", "/webhooks/deliveries");
    const slow = { assistant_id: "slow", webhook: "/_emulator/inbox/gone" };
    const { run_id, thread_id } = await call("POST", "/runs", slow);
    await rig.emulator.clock.advance("PT3S");
    const reply = await call("POST", `/threads/${thread_id}/runs/${run_id}/cancel?action=rollback&wait=1`);
    expect(reply).toHaveProperty("__error__");
    expect(await call("GET", `/runs/${run_id}`)).toMatchObject({
      status: "error",
      error: "Rolled back by its caller.",
    });
    expect(await rig.emulator.control("GET", "/webhooks/deliveries")).toEqual(before);
    expect((await send("GET", `/threads/${thread_id}`)).status).toBe(404);
  });

  it("has the recursion limit of its assistant, unless it names its own", async () => {
    const { assistant_id } = await call("POST", "/assistants", {
      graph_id: "echo",
      config: { recursion_limit: 1 },
    });
    const run = { assistant_id, input: { a: 1 } };
    expect(await call("POST", "/runs/wait", run)).toMatchObject({
      __error__: { error: "GraphRecursionError" },
    });
    expect(await call("POST", "/runs/wait", { ...run, config: { recursion_limit: 2 } })).toEqual({ a: 1 });
  });
});

describe("a list of runs (§4.1)", () => {
  it("takes an empty list for none, and numbered items", async () => {
    for (let n = 0; n < 2; n += 1) await start();
    const all = await call<Members[]>("GET", `${thread}/runs`);
    expect(await call("GET", `${thread}/runs?select=&stream_mode=`)).toEqual(all);
    const [first] = await call<Members[]>("GET", `${thread}/runs?select[0]=run_id&select[1]=status`);
    expect(Object.keys(first ?? {})).toEqual(["run_id", "status"]);
    expect((await rig.call("GET", `${thread}/runs`, undefined, { "x-tenant-id": UNKNOWN })).status).toBe(404);
  });
});

describe("a refused request", () => {
  const call = { name: "look_up", args: {}, id: "c", type: "tool_call" };
  const graph = { metadata: { graph_id: "agent" } };
  const steps = (...updates: readonly unknown[]) => ({ ...graph, supersteps: [{ updates }] });

  it.each<[path: string, body: unknown, status: number, text: string]>([
    ["T/runs/wait", { assistant_id: "nobody" }, 404, "assistant_id"],
    ["/runs/wait", { assistant_id: UNKNOWN }, 404, "assistant_id"],
    ["T/runs", { ...ECHO, stream_mode: "video" }, 422, "body.stream_mode"],
    ["T/runs", { ...ECHO, stream_mode: [] }, 422, "body.stream_mode"],
    ["T/runs", { ...ECHO, context: { a: 1 }, config: { configurable: { a: 1 } } }, 422, "body.context"],
    ["T/runs", { ...ECHO, interrupt_before: "tools" }, 422, "body.interrupt_before"],
    ["T/runs", { ...ECHO, interrupt_before: [7] }, 422, "body.interrupt_before"],
    ["/runs/crons", { ...ECHO, schedule: "* * * * *", input: true }, 422, "input"],
    ["/runs", { ...ECHO, input: { text: "x".repeat(1_048_577) } }, 413, "at most 1048576 are allowed"],
    ["/runs/wait", { assistant_id: "echo", command: { resume: 1 } }, 422, "resume"],
    ["/runs/batch", [], 422, "body"],
    ["/runs/batch", [ECHO, { assistant_id: "nobody" }], 404, '"body[1].assistant_id'],
    ["/runs/batch", [ECHO, { ...ECHO, webhook: "ftp://x" }], 422, '"body[1].webhook'],
    ["/runs/batch", [ECHO, { ...ECHO, command: { resume: 1 } }], 422, '"body[1].command.resume'],
    ...["T/runs", "/runs/stream", "/runs/crons"].map((path): [string, unknown, number, string] => [
      path,
      { ...ECHO, schedule: "0 * * * *", config: { recursion_limit: 0 } },
      422,
      "recursion_limit",
    ]),
    ["/assistants", { graph_id: "echo", config: { recursion_limit: 0 } }, 422, "recursion_limit"],
    ["/runs/batch", [{ ...ECHO, config: { recursion_limit: 0 } }], 422, "recursion_limit"],
    [`/threads/${UNKNOWN}/runs`, ECHO, 404, "send if_not_exists: create"],
    ...[5, {}, { ttl: 0 }, { ttl: "5" }, { ttl: 1e9 }, { ttl: 5, strategy: "archive" }].map(
      (ttl): [string, unknown, number, string] => ["/threads", { ttl }, 422, "ttl"],
    ),
    ["/threads", { supersteps: [{ updates: [{ as_node: "agent" }] }] }, 422, "metadata.graph_id"],
    ["/threads", { ...graph, supersteps: [{}] }, 422, "body.supersteps[0].updates"],
    ["/threads", steps(), 422, "body.supersteps[0].updates"],
    ["/threads", steps({ values: {} }), 422, "body.supersteps[0].updates[0].as_node"],
    ["/threads", steps({ as_node: "agent", values: 7 }), 422, "body.supersteps[0].updates[0].values"],
    [
      "/threads",
      steps({ as_node: "agent", command: { goto: "tools" } }),
      422,
      "body.supersteps[0].updates[0].command",
    ],
    ["/threads", { ...graph, supersteps: Array(101).fill({ updates: [call] }) }, 422, "body.supersteps"],
    ["/threads/a/runs/b/c/d", {}, 404, "is not emulated: §1 of the specification names"],
    ["/assistants/agent/versions/1", {}, 404, "GET /openapi.json lists"],
    ["/runs/crons/", {}, 404, "leave it out"],
  ])("POST %s %j is answered with a string that names the mistake: %i", async (path, body, status, text) => {
    const before = await send("POST", "/threads/count", {});
    const reply = await send("POST", path.replace(/^T/, thread), body);
    expect([reply.status, typeof JSON.parse(reply.text), reply.text]).toEqual([
      status,
      "string",
      expect.stringContaining(text.replace(/^"/, "")),
    ]);
    if (text.startsWith('"')) expect(reply.text.startsWith(text)).toBe(true);
    expect((await send("POST", "/threads/count", {})).text).toBe(before.text);
  });

  it.each([
    ["GET", "/runs?status=", 422, "query.status: must be"],
    ["GET", "/runs?limit=", 422, "query.limit: must be"],
    ["GET", "/runs?offset=", 422, "query.offset: must be"],
    ["GET", "/runs?select=run_id&select=foo", 422, "query.select[1]"],
    ["GET", `/runs/${UNKNOWN}`, 404, "not found"],
    ["GET", `/runs/${UNKNOWN}/join`, 404, "not found"],
    ["GET", "/runs/", 404, "leave it out"],
    ["PUT", "/runs", 405, "does not accept PUT"],
    ["PATCH", "", 422, "body"],
  ])("%s of a thread, %s, is answered with a string, too: %i", async (method, path, status, text) => {
    const reply = await send(method, thread + path, method === "GET" ? undefined : []);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([status, expect.stringContaining(text)]);
    if (status === 405) expect(reply.header("allow")).toMatch(/GET.*POST|POST.*GET/);
  });

  it("has the form of the errors of its server before its body is read", async () => {
    const problem = async (path: string) => {
      const headers = { ...JSON_TYPE, "content-encoding": "gzip" };
      const reply = await fetch(rig.emulator.url + path, { method: "POST", headers, body: "{}" });
      return [reply.status, await reply.json()];
    };
    expect(await problem("/threads")).toEqual([415, expect.stringContaining("not gzip")]);
    expect(await problem("/api/v1/bulk-exports")).toEqual([415, { detail: expect.any(String) }]);
    const error = expect.objectContaining({ code: "unreadable_body" });
    expect(await problem("/_emulator/v1/clock/freeze")).toEqual([415, { error }]);
    const deep = `{"assistant_id":"echo","input":${"[".repeat(600)}${"]".repeat(600)}}`;
    const { status, text } = await send("POST", "/runs/wait", deep);
    expect([status, JSON.parse(text)]).toEqual([422, expect.stringContaining("deeper than 500")]);
  });

  it("has a member detail in the profile observed, where an unknown graph is 422", async () => {
    const observed = await startRig({ profile: "observed" });
    const graph = await observed.call("POST", "/runs", { assistant_id: "nobody" });
    expect([graph.status, Object.keys(graph.body)]).toEqual([422, ["detail"]]);
    const reply = await observed.call("POST", "/threads", {});
    expect(reply.body).toMatchObject({ interrupts: {}, values: null, status: "idle" });
    expect((await observed.call("POST", `/thread/${reply.body.thread_id}/runs`, ECHO)).status).toBe(404);
    await observed.close();
  });
});

describe("threads", () => {
  it("of one instant are sorted by creation, in both directions and over pages", async () => {
    const create = async () => (await call("POST", "/threads", { metadata: { sorted: "x" } })).thread_id;
    const ids = [await create(), await create(), await create()];
    const search = async (body: object) =>
      (await call<Members[]>("POST", "/threads/search", { metadata: { sorted: "x" }, ...body })).map(
        ({ thread_id }) => thread_id,
      );
    expect(await search({})).toEqual(ids.toReversed());
    expect(await search({ sort_by: "created_at", sort_order: "asc" })).toEqual(ids);
    expect([await search({ limit: 2 }), await search({ limit: 2, offset: 2 })].flat()).toEqual(
      ids.toReversed(),
    );
    for (const id of ids.slice(0, 2)) {
      await rig.emulator.clock.advance("PT1M");
      await call("POST", `/threads/${id}/state`, { values: {} });
    }
    await rig.emulator.clock.advance("PT1M");
    await call("PATCH", `/threads/${ids[0]}`, { metadata: { a: 1 } });
    expect((await search({ sort_by: "state_updated_at" }))[0]).toBe(ids[1]);
    expect((await search({ sort_by: "state_updated_at", sort_order: "asc" }))[2]).toBe(ids[1]);
  });

  it("show their ttl, and the turn that removes one names the request that set it", async () => {
    const { thread_id } = await call("POST", "/threads", { ttl: { ttl: 60, strategy: "delete" } });
    const now = Date.parse(rig.emulator.clock.now());
    const inMinutes = (minutes: number) =>
      expect.stringContaining(new Date(now + minutes * 60_000).toISOString().slice(0, 23));
    const ttl = { strategy: "delete", ttl_minutes: 60, expires_at: inMinutes(60) };
    expect(await call("GET", `/threads/${thread_id}`)).toMatchObject({ ttl });
    await call("PATCH", `/threads/${thread_id}`, { ttl: { ttl: 1.5 } });
    const overview = await rig.emulator.control("GET", "/agent/threads");
    expect(overview).toContainEqual(
      expect.objectContaining({ thread_id, ttl: { strategy: "delete", expires_at: inMinutes(1.5) } }),
    );
    const { fired } = await rig.emulator.clock.advance("PT2M");
    expect(fired).toContainEqual(expect.objectContaining({ kind: "agent_thread.expire" }));
    expect(await rig.emulator.control("GET", `/why/${thread_id}`)).toMatchObject({
      chain: [
        { cause: { name: "agent_thread.expire" }, notes: [{ kind: "agent_thread.expired", ref: thread_id }] },
        {
          cause: { name: "updateThread" },
          notes: [{ kind: "agent_thread.ttl_set", detail: { ttl_minutes: 1.5 } }],
        },
      ],
    });
  });

  it("that exist are returned unchanged by a request that may create them", async () => {
    const thread_id = thread.slice("/threads/".length);
    const supersteps = [{ updates: [{ as_node: "__start__", values: { a: 1 } }] }];
    const again = { thread_id, metadata: { graph_id: "agent" }, if_exists: "do_nothing", supersteps };
    expect(await call("POST", "/threads", again)).toEqual(await call("GET", thread));
    const newThread = await call("POST", "/threads", { ...again, thread_id: undefined });
    expect(newThread).toMatchObject({ status: "interrupted", values: { a: 1 } });
    const run = await send("POST", `/threads/${UNKNOWN.replace("dead", "beef")}/runs`, {
      ...ECHO,
      if_not_exists: "create",
    });
    expect(run.status).toBe(200);
  });
});

it("an assistant has versions, of which one is the latest, and takes its threads with it on request", async () => {
  const { assistant_id: id } = await call("POST", "/assistants", {
    graph_id: "echo",
    name: "a",
    context: { c: 1 },
  });
  const path = `/assistants/${id}`;
  expect(await call("PATCH", path, { name: "b" })).toMatchObject({
    name: "b",
    version: 2,
    context: { c: 1 },
  });
  const versions = { metadata: {}, limit: 1, offset: 1 };
  expect(await call("POST", `${path}/versions`, versions)).toMatchObject([{ name: "a", version: 1 }]);
  expect(await call("POST", `${path}/latest`, { version: 1 })).toMatchObject({ name: "a", config: {} });
  expect(await call("GET", path)).toMatchObject({ name: "a", version: 1 });
  const missing = await send("POST", `${path}/latest`, { version: 7 });
  expect([missing.status, missing.text]).toEqual([
    404,
    expect.stringContaining(`assistant ${id} has no version 7.`),
  ]);
  const other = await call("POST", "/assistants", { graph_id: "echo" });
  const { thread_id } = await call("POST", "/threads", {});
  await call("POST", `${thread}/runs/wait`, { ...ECHO, assistant_id: id });
  await call("POST", `/threads/${thread_id}/runs/wait`, { ...ECHO, assistant_id: other.assistant_id });
  await call("DELETE", `${path}?delete_threads=true`);
  await call("DELETE", `/assistants/${other.assistant_id}`);
  expect((await send("GET", thread)).status).toBe(404);
  expect((await send("GET", `/threads/${thread_id}`)).status).toBe(200);
});
