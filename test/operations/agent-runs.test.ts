import { beforeAll, describe, expect, it } from "vitest";
import { someOf } from "../support/depth.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const UNKNOWN = "00000000-0000-4000-8000-00000000dead";

interface Run {
  readonly run_id: string;
  readonly thread_id: string;
  readonly status: string;
  readonly kwargs: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
}

const rig = useRig("file", () => startRig());
let thread: string;

beforeAll(async () => {
  thread = (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body.thread_id;
});
async function raw(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const reply = await fetch(`${rig.emulator.url}${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

/** Events of a stream, in their bytes. */
function eventsIn(text: string) {
  return text
    .split("\r\n\r\n")
    .filter((frame) => frame !== "")
    .map((frame) => Object.fromEntries(frame.split("\r\n").map((line) => line.split(/: (.*)/s).slice(0, 2))));
}

describe.each(["thread", "threads"])("on the paths /%s/… (4.8-1)", (word) => {
  it("creates a run in the background, with a location in the plural", async () => {
    const { status, headers, text } = await raw("POST", `/${word}/${thread}/runs`, {
      assistant_id: "echo",
      input: { a: 1 },
    });
    const run = JSON.parse(text) as Run;
    expect(status).toBe(200);
    expect(run).toMatchObject({
      thread_id: thread,
      status: "pending",
      multitask_strategy: "enqueue",
      kwargs: { input: { a: 1 } },
    });
    expect(headers.get("content-location")).toBe(`/threads/${thread}/runs/${run.run_id}`);
  });

  it("a run is waited for, and its values are the answer", async () => {
    const { status, headers, text } = await raw("POST", `/${word}/${thread}/runs/wait`, {
      assistant_id: "slow",
    });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ step: 10 });
    expect(headers.get("location")).toMatch(new RegExp(`^/threads/${thread}/runs/[^/]+/join$`));
  });

  it("a run is streamed as server-sent events with CRLF: event, data, id", async () => {
    const body = { assistant_id: "echo", input: { b: 2 }, stream_mode: ["values", "updates"] };
    const { headers, text } = await raw("POST", `/${word}/${thread}/runs/stream`, body);
    expect(headers.get("content-type")).toBe("text/event-stream");
    const location = headers.get("content-location");
    expect(headers.get("location")).toBe(`${location}/stream`);
    const events = eventsIn(text);
    expect(text).toMatch(/^event: metadata\r\ndata: \{"run_id":"[^"]+","attempt":1\}\r\nid: 0-0\r\n\r\n/);
    expect(events.map(({ event }) => event)).toEqual(["metadata", "values", "updates", "values"]);
    expect(JSON.parse(events.at(-2)?.data ?? "")).toEqual({ echo: { b: 2 } });
  });
});

describe("a stream", () => {
  it.each([
    ["values", ["values", "values", "values", "values"]],
    ["updates", ["updates", "updates", "updates"]],
    ["messages-tuple", ["messages", "messages"]],
    ["tasks", ["tasks", "tasks", "tasks", "tasks", "tasks", "tasks"]],
    ["checkpoints", ["checkpoints", "checkpoints", "checkpoints", "checkpoints", "checkpoints"]],
  ])("in mode %s streams the steps of the assistant agent", async (mode, expected) => {
    const body = { assistant_id: "agent", input: { messages: "hi" }, stream_mode: mode };
    const events = eventsIn((await raw("POST", "/runs/stream", body)).text).map(({ event }) => event);
    expect(events.slice(0, expected.length + 1)).toEqual(["metadata", ...expected]);
    expect(new Set(events.slice(1))).toEqual(new Set(expected));
  });

  it.each([
    ["messages", ["messages/complete", "messages/metadata", "messages/partial"]],
    ["events", ["events"]],
    ["debug", ["debug"]],
  ])("in mode %s streams %j", async (mode, expected) => {
    const body = { assistant_id: "agent", input: { messages: "hi" }, stream_mode: mode };
    const events = eventsIn((await raw("POST", "/runs/stream", body)).text).slice(1);
    expect([...new Set(events.map(({ event }) => event))].sort()).toEqual(expected);
  });

  it("of a failing run ends with its error, of an asking one with its question", async () => {
    const failed = eventsIn((await raw("POST", "/runs/stream", { assistant_id: "failing" })).text).at(-1);
    expect([failed?.event, JSON.parse(failed?.data ?? "")]).toMatchObject([
      "error",
      { error: "RuntimeError" },
    ]);
    const events = eventsIn(
      (await raw("POST", "/runs/stream", { assistant_id: "interrupting", stream_mode: "updates" })).text,
    );
    expect(JSON.parse(events.at(-1)?.data ?? "")).toMatchObject({
      __interrupt__: [{ value: "Shall I continue?" }],
    });
  });

  it.each([
    ["agent", { messages: "hi" }, ["on_chain_start", "on_tool_start", "on_tool_end", "on_chain_end"], 1],
    ["interrupting", {}, ["on_chain_start", "on_chain_end"], 1],
    ["failing", {}, ["on_chain_start"], 0],
  ])("of events has the start and the end of the whole of %s", async (assistant_id, input, some, ends) => {
    const body = { assistant_id, input, stream_mode: "events" };
    const { text } = await raw("POST", "/runs/stream", body);
    const events = eventsIn(text)
      .filter(({ event }) => event === "events")
      .map(({ data }) => JSON.parse(data ?? "") as { event: string; name: string; data: object });
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(some));
    expect(events[0]).toMatchObject({ event: "on_chain_start", name: assistant_id });
    const output = expect.objectContaining(
      Object.fromEntries(Object.keys(input).map((k) => [k, expect.anything()])),
    );
    const end = { event: "on_chain_end", name: assistant_id, data: { output } };
    expect(events.slice(-1).filter(({ event }) => event === "on_chain_end")).toMatchObject(
      Array(ends).fill(end),
    );
  });

  it.each([undefined, { then: { values: { a: 1 } }, times: 1 }])(
    "of events ends once whatever it says has started: %j",
    async (script) => {
      if (script) await rig.emulator.control("POST", "/agent/scripts", script);
      const body = { assistant_id: "agent", input: { messages: "hi" }, stream_mode: "events" };
      const events = eventsIn((await raw("POST", "/runs/stream", body)).text)
        .filter(({ event }) => event === "events")
        .map(({ data }) => JSON.parse(data ?? "") as { event: string; name: string });
      const eventsNamed = (expected: string) =>
        events.filter(({ event }) => event === expected).map(({ name }) => name);
      expect(eventsNamed("on_chain_end").sort()).toEqual(eventsNamed("on_chain_start").sort());
      expect(eventsNamed("on_tool_end")).toEqual(eventsNamed("on_tool_start"));
    },
  );

  it("resumes after Last-Event-ID, wherever it was interrupted", async () => {
    const body = {
      assistant_id: "agent",
      input: { messages: "hi" },
      stream_mode: ["values", "messages-tuple"],
    };
    const { headers, text } = await raw("POST", `/threads/${thread}/runs/stream`, body);
    const all = eventsIn(text);
    const place = headers.get("location") ?? "";
    for (const [index, { id }] of all.entries()) {
      const rest = eventsIn((await raw("GET", place, undefined, { "last-event-id": id ?? "" })).text);
      expect(rest, `behind ${id}`).toEqual(all.slice(index + 1));
    }
    const anew = eventsIn((await raw("GET", place, undefined, { "last-event-id": "-1" })).text);
    expect(anew).toEqual(all);
    expect((await raw("GET", place)).text).toBe("");
  });

  it("of a run without a thread can be joined after its end", async () => {
    const { headers, text } = await raw("POST", "/runs/stream", { assistant_id: "echo", input: { a: 1 } });
    const again = await raw("GET", headers.get("location") ?? "", undefined, { "last-event-id": "-1" });
    expect(again.text).toBe(text);
  });
});

describe("wait and join", () => {
  it.each([
    ["echo", { a: 1 }],
    ["failing", { __error__: { error: "RuntimeError", message: "The assistant failing always fails." } }],
    [
      "interrupting",
      { __interrupt__: [{ id: expect.stringMatching(/^[0-9a-f]{32}$/), value: "Shall I continue?" }] },
    ],
  ])("answer for %s", async (assistant_id, expected) => {
    const waited = await raw("POST", "/runs/wait", { assistant_id, input: { a: 1 } });
    expect(JSON.parse(waited.text)).toEqual(expected);
    expect(waited.headers.get("content-location")).toMatch(/^\/threads\/[^/]+\/runs\/[^/]+$/);
    const joined = await raw("GET", waited.headers.get("location") ?? "");
    expect(JSON.parse(joined.text)).toEqual(JSON.parse(waited.text));
  });
});

describe("runs without a thread", () => {
  it("are runs on POST /runs with assistant_id, and trace rows without it", async () => {
    const reply = await raw("POST", "/runs", { assistant_id: "echo" });
    expect([reply.status, JSON.parse(reply.text).status]).toEqual([200, "pending"]);
    expect(reply.headers.get("content-location")).toBe(`/runs/${JSON.parse(reply.text).run_id}`);
    const row = { id: UNKNOWN, name: "row", run_type: "chain", start_time: "2026-03-01T00:00:00Z" };
    expect((await rig.call("POST", "/runs", row)).status).toBe(202);
    expect((await rig.call("GET", `/runs/${UNKNOWN}`)).body).toMatchObject({ name: "row" });
  });

  it("are started together on POST /runs/batch with a list, or not at all", async () => {
    const both = await raw("POST", "/runs/batch", [{ assistant_id: "echo" }, { assistant_id: "slow" }]);
    expect(JSON.parse(both.text)).toMatchObject([{ status: "pending" }, { status: "pending" }]);
    const before = await rig.call<number>("POST", "/threads/count", {});
    const none = await raw("POST", "/runs/batch", [{ assistant_id: "slow" }, { assistant_id: "nobody" }]);
    expect([none.status, typeof JSON.parse(none.text)]).toEqual([404, "string"]);
    expect((await rig.call<number>("POST", "/threads/count", {})).body).toBe(before.body);
    expect((await rig.call("POST", "/runs/batch", { post: [], patch: [] })).status).toBe(202);
    expect((await raw("POST", "/runs/batch", [])).status).toBe(422);
  });

  it.each([
    [{ assistant_id: "nobody" }, 404, "body[1].assistant_id"],
    [{ assistant_id: "echo", webhook: "ftp://x" }, 422, "body[1].webhook"],
    [{ assistant_id: "echo", command: { resume: 1 } }, 422, "body[1].command.resume"],
  ])("name the wrong element of a list: %j", async (second, expected, name) => {
    const { status, text } = await raw("POST", "/runs/batch", [{ assistant_id: "echo" }, second]);
    expect([status, text.slice(1, name.length + 1)]).toEqual([expected, name]);
  });
});

describe("refused requests", () => {
  const webhook = "http://127.0.0.1:1/hook";
  it.each([
    [{}, 422, "body.assistant_id"],
    [{ assistant_id: 7 }, 422, "body.assistant_id"],
    [{ assistant_id: "nobody" }, 404, "assistant_id"],
    [{ assistant_id: UNKNOWN }, 404, "assistant_id"],
    [{ assistant_id: "echo", stream_mode: "video" }, 422, "body.stream_mode"],
    [{ assistant_id: "echo", stream_mode: [] }, 422, "body.stream_mode"],
    [{ assistant_id: "echo", multitask_strategy: "drop" }, 422, "body.multitask_strategy"],
    [{ assistant_id: "echo", after_seconds: -1 }, 422, "body.after_seconds"],
    [{ assistant_id: "echo", webhook: "" }, 422, "body.webhook"],
    [{ assistant_id: "echo", webhook: "ftp://x" }, 422, "webhook"],
    [{ assistant_id: "echo", config: [] }, 422, "body.config"],
    [{ assistant_id: "echo", context: { a: 1 }, config: { configurable: { a: 1 } } }, 422, "body.context"],
    [{ assistant_id: "echo", webhook, on_disconnect: "never" }, 422, "body.on_disconnect"],
  ])("%j gets a string that names the field", async (body, expected, name) => {
    for (const path of [
      `/threads/${thread}/runs`,
      `/thread/${thread}/runs/stream`,
      `/threads/${thread}/runs/wait`,
      "/runs/wait",
    ]) {
      const { status, text } = await raw("POST", path, body);
      expect(status, path).toBe(expected);
      expect(JSON.parse(text), path).toContain(name);
    }
  });

  it.each(["text", ["text"], 7, true])("is an input that is not an object: %j (§4.8-2)", async (input) => {
    const cron = { assistant_id: "echo", schedule: "* * * * *", input };
    for (const path of ["/runs", "/runs/stream", "/runs/wait", "/runs/crons"]) {
      const { status, text } = await raw(
        "POST",
        path,
        path.endsWith("crons") ? cron : { assistant_id: "echo", input },
      );
      expect([status, JSON.parse(text)], path).toEqual([422, expect.stringContaining("input")]);
    }
    expect((await raw("POST", "/runs/wait", { assistant_id: "echo", input: null })).status).toBe(200);
  });

  it("is more than a run may be started with", async () => {
    const { status, text } = await raw("POST", "/runs", {
      assistant_id: "echo",
      input: { text: "x".repeat(1_048_577) },
    });
    expect([status, JSON.parse(text)]).toEqual([413, expect.stringContaining("at most 1048576 are allowed")]);
  });

  it.each(someOf([`/threads/${UNKNOWN}/runs`, "/thread/x/runs/stream", "/runs/wait", "/assistants/search"]))(
    "are bodies too large or too deep for %s, and the answer is a string all the same",
    async (path) => {
      const large = await fetch(`${rig.emulator.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: Buffer.alloc(20_971_521, 0x20),
      });
      const tooLarge = expect.stringContaining("larger than 20971520 bytes");
      expect([large.status, await large.json()]).toEqual([413, tooLarge]);
      let input: unknown[] = [];
      for (let level = 0; level < 600; level += 1) input = [input];
      const deep = await raw("POST", path, { assistant_id: "echo", input });
      expect([deep.status, JSON.parse(deep.text)]).toEqual([422, expect.stringContaining("deeper than 500")]);
    },
  );

  it("unknown nodes as breakpoints; valid ones are in kwargs", async () => {
    const body = { assistant_id: "agent", input: {}, interrupt_before: ["tools"], interrupt_after: "*" };
    const run = JSON.parse((await raw("POST", `/threads/${thread}/runs`, body)).text) as Run;
    expect(run.kwargs).toMatchObject({ interrupt_before: ["tools"], interrupt_after: "*" });
    const { status, text } = await raw("GET", `/threads/${thread}/runs/${run.run_id}/join`);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      expect.objectContaining({ messages: expect.any(Array) }),
    ]);
    for (const interrupt_before of [7, "tools", [7]]) {
      const refusal = await raw("POST", "/runs/wait", { ...body, interrupt_before });
      const said = expect.stringContaining("body.interrupt_before");
      expect([refusal.status, JSON.parse(refusal.text)]).toEqual([422, said]);
    }
  });

  it.each(["/threads/search", "/assistants/search", "/runs/crons/search"])(
    "are fields to select on %s that there are not",
    async (path) => {
      const { status, text } = await raw("POST", path, { select: ["created_at", "nothing"] });
      expect(status).toBe(422);
      expect(text).toMatch(/^"body\.select\[1\]: must be one of /);
      expect((await raw("POST", path, { select: ["created_at", "metadata"] })).status).toBe(200);
    },
  );

  it("are methods that a path does not take, in a string too", async () => {
    const { status, text, headers } = await raw("PUT", `/threads/${thread}/runs`, {});
    expect([status, JSON.parse(text)]).toEqual([405, expect.stringContaining("does not accept PUT")]);
    expect(headers.get("allow")).toMatch(/GET.*POST|POST.*GET/);
    expect(JSON.parse((await raw("PUT", "/api/v1/bulk-exports", {})).text)).toHaveProperty("detail");
  });

  it("bodies that cannot be decompressed; the control API has its own error format", async () => {
    const send = (path: string) =>
      fetch(`${rig.emulator.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": "gzip" },
        body: "{}",
      });
    const agent = await send("/threads");
    expect([agent.status, await agent.json()]).toEqual([415, expect.stringContaining("not gzip")]);
    const platform = await send("/api/v1/bulk-exports");
    expect([platform.status, await platform.json()]).toEqual([415, { detail: expect.any(String) }]);
    const control = await send("/_emulator/v1/clock/freeze");
    const error = expect.objectContaining({ code: "unreadable_body" });
    expect([control.status, await control.json()]).toEqual([415, { error }]);
  });

  it("are unknown threads and runs, answers without a thread, and second ends", async () => {
    const body = { assistant_id: "echo" };
    expect((await raw("POST", `/threads/${UNKNOWN}/runs`, body)).status).toBe(404);
    expect((await raw("POST", `/threads/${UNKNOWN}/runs`, { ...body, if_not_exists: "create" })).status).toBe(
      200,
    );
    expect((await raw("POST", "/runs/wait", { ...body, command: { resume: 1 } })).status).toBe(422);
    for (const path of ["", "/join", "/stream"]) {
      const { status, text } = await raw("GET", `/threads/${thread}/runs/${UNKNOWN}${path}`);
      expect([status, typeof JSON.parse(text)]).toEqual([404, "string"]);
    }
    const run = JSON.parse((await raw("POST", `/threads/${thread}/runs`, body)).text) as Run;
    const { status, text } = await raw("POST", `/threads/${thread}/runs/${run.run_id}/cancel`);
    expect([status, JSON.parse(text)]).toEqual([409, `Run ${run.run_id} has ended with status success.`]);
    expect((await raw("GET", `/threads/${UNKNOWN}/runs/${run.run_id}`)).status).toBe(404);
  });

  it("is one more stream than there may be", async () => {
    const small = await startRig({ limits: { agent_streams: 1 } });
    await small.emulator.control("POST", "/agent/scripts", { then: { never_starts: true } });
    const first = new AbortController();
    const open = await fetch(`${small.emulator.url}/runs/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: "echo" }),
      signal: first.signal,
    });
    expect(open.status).toBe(200);
    const second = await small.call<string>("POST", "/runs/wait", { assistant_id: "echo" });
    expect([second.status, second.body]).toEqual([429, expect.stringContaining("limits.agent_streams")]);
    first.abort();
    await small.close();
  });
});

describe("cancelling", () => {
  it("answers 202 at once, or with the result of the run", async () => {
    const thread = await rig.call<{ thread_id: string }>("POST", "/threads", {});
    const start = async () =>
      JSON.parse(
        (
          await raw("POST", `/threads/${thread.body.thread_id}/runs`, {
            assistant_id: "slow",
            input: { a: 1 },
          })
        ).text,
      ) as Run;
    const place = ({ thread_id, run_id }: Run) => `/threads/${thread_id}/runs/${run_id}`;
    const one = await start();
    const cancelled = await raw("POST", `${place(one)}/cancel?wait=0&action=interrupt`);
    expect([cancelled.status, cancelled.text]).toEqual([202, ""]);
    expect((await rig.call<Run>("GET", place(one))).body.status).toBe("interrupted");
    const two = await start();
    await rig.emulator.clock.advance("PT2S");
    const waited = await raw("POST", `${place(two)}/cancel?wait=1`);
    expect([waited.status, JSON.parse(waited.text)]).toEqual([200, { a: 1, step: 2 }]);
    const three = await start();
    expect((await raw("POST", `${place(three)}/cancel?action=rollback`)).status).toBe(202);
    expect((await raw("GET", place(three))).status).toBe(404);
    const four = await start();
    expect(
      (await raw("POST", "/runs/cancel", { thread_id: four.thread_id, run_ids: [four.run_id] })).status,
    ).toBe(204);
    expect((await raw("POST", "/runs/cancel", { thread_id: four.thread_id, status: "all" })).status).toBe(
      404,
    );
    expect((await raw("POST", "/runs/cancel", {})).status).toBe(422);
    expect((await raw("DELETE", place(four))).status).toBe(204);
    expect((await raw("GET", place(four))).status).toBe(404);
  });
});
