import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printExact } from "../../contracts/spec/exact-json.ts";
import { textOfTurn } from "../../emulator/client/turn-line.ts";
import { BEGIN, HEADERS, type Rig, startRig } from "../support/emulator.ts";

/** Values that keep their digits, where the emulator computes with them, makes a text of them, or names a member after them. */
let rig: Rig;

beforeAll(async () => {
  rig = await startRig();
});

afterAll(() => rig.close());

/** Sends a text. A reply that is not JSON, or contains half of a surrogate pair, fails the test. */
async function send(method: string, path: string, body?: string) {
  const init = { method, headers: HEADERS, ...(body !== undefined && { body }) };
  const reply = await fetch(rig.emulator.url + path, init);
  const text = await reply.text();
  const documents = text.startsWith("event:")
    ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data)
    : [text];
  for (const document of documents) {
    const value = JSON.parse(document ?? "") as unknown;
    expect(`${JSON.stringify(value)} ${[...reply.headers].join()}`).not.toMatch(/\\udc0[01]|\ufffd/);
  }
  return { status: reply.status, text };
}

const idOf = (ordinal: number) => `50000000-0000-4000-8000-${String(ordinal).padStart(12, "0")}`;

async function postRow(ordinal: number, members: string): Promise<void> {
  const row = `"id":"${idOf(ordinal)}","session_name":"p","name":"n","run_type":"chain","start_time":"2026-02-25T00:00:00Z"`;
  expect((await send("POST", "/runs", `{${row},${members}}`)).status).toBe(202);
}

const STREAM_MODES =
  '["values","updates","messages","messages-tuple","events","debug","tasks","checkpoints"]';

const streamOf = (input: string, assistant = "echo") =>
  send(
    "POST",
    "/runs/stream",
    `{"assistant_id":"${assistant}","input":${input},"stream_mode":${STREAM_MODES}}`,
  );

const arm = (fault: string) => send("POST", "/_emulator/v1/faults", `{"target":"http",${fault}}`);

describe("a number in a text has its digits", () => {
  test.each(["echo", "agent"])("in messages of the assistant %s", async (assistant) => {
    const blocks =
      '[{"type":"text","text":10.0},10.0,{"type":"text","text":"x"},{"type":"text","text":2.50}]';
    const { text } = await streamOf(`{"messages":[7.0,{"role":"user","content":${blocks}}]}`, assistant);
    expect(text).toContain(assistant === "echo" ? '"content":"10.0x2.50"' : '"query":"10.0x2.50"');
    expect(text).toContain('"content":"7.0"');
    expect((await streamOf('{"messages":[{"role":"user","content":10.0}]}', assistant)).status).toBe(200);
  });

  test("in chunks and node names of a script", async () => {
    const events =
      '[{"mode":"messages","data":{"id":1.0,"content":"a"}},{"mode":"messages","data":{"content":2.0}}]';
    const update = '{"mode":"updates","data":{"10":{"a":10.0}},"run_type":"tool"}';
    const then = `{"events":[${events.slice(1, -1)},${update}]}`;
    await send("POST", "/_emulator/v1/agent/scripts", `{"times":1.0,"then":${then}}`);
    const { text } = await streamOf("{}");
    expect(text).toContain('{"1.0":{"metadata"');
    expect(text).toContain('"triggers":["branch:to:10"]');
    expect(text).toContain('"a":10.0');
  });

  test("in the reply of a fault, in previews, and in refusals", async () => {
    await arm('"match":{"op":"GET /info"},"then":{"status":503,"body":10.0}');
    expect(await send("GET", "/info")).toEqual({ status: 503, text: "10.0" });
    await postRow(1, '"inputs":10.0');
    const [project] = JSON.parse((await send("GET", "/sessions?name=p")).text) as [{ id: string }];
    const query = `{"project_ids":["${project.id}"],"ids":["${idOf(1)}"],"min_start_time":"2026-01-01T00:00:00Z","selects":["INPUTS_PREVIEW"]}`;
    const selected = await send("POST", "/api/v2/runs/query", query);
    expect(selected.text).toContain('"inputs_preview":"10.0"');
    expect((await arm('"match":{"10":1},"then":{"status":500}')).text).toContain(
      'match: \\"10\\" is unknown',
    );
    const thread = JSON.parse((await send("POST", "/threads", "{}")).text) as { thread_id: string };
    const state = await send(
      "POST",
      `/threads/${thread.thread_id}/state/checkpoint`,
      '{"checkpoint":{"checkpoint_id":1.0}}',
    );
    expect(state.text).toContain("has no state 1.0");
  });
});

test("a value that becomes the name of a member is a name, in its place", async () => {
  const update = '{"update":[["b",1],["10",2],[7,3],[10.0,4]]}';
  const { text } = await send("POST", "/threads", "{}");
  const { thread_id } = JSON.parse(text) as { thread_id: string };
  const path = `/threads/${thread_id}/runs/wait`;
  expect((await send("POST", path, `{"assistant_id":"echo","command":${update}}`)).text).toBe(
    '{"b":1,"10":2,"7":3,"10.0":4}',
  );
  await postRow(2, '"feedback_stats":{"z":1,"10":{"n":2.0,"avg":0.50}}');
  for (const value of ['"b"', '"5"', "5.0"])
    await send("POST", "/feedback", `{"run_id":"${idOf(2)}","key":"10","score":1,"value":${value}}`);
  const stats = '"feedback_stats":{"z":1,"10":{"n":3,"avg":1,"values":{"b":1,"5":1}}}';
  expect((await send("GET", `/runs/${idOf(2)}`)).text).toContain(stats);
  await postRow(3, '"feedback_stats":{"10":{"n":2.0,"avg":0.50}}');
  expect((await send("POST", "/runs/stats", `{"id":["${idOf(3)}"]}`)).text).toContain(
    '"10":{"n":2,"avg":0.5}',
  );
});

describe("10.0 is the number 10", () => {
  test("as a limit of a run, as a step of a state, and in a fault", async () => {
    const run = '{"assistant_id":"slow","input":{},"config":{"recursion_limit":2.0}}';
    expect((await send("POST", "/runs/wait", run)).text).toContain("GraphRecursionError");
    const thread = await send("POST", "/threads", '{"metadata":{"graph_id":"slow"}}');
    const { thread_id } = JSON.parse(thread.text) as { thread_id: string };
    await send("POST", `/threads/${thread_id}/state`, '{"values":{"step":10.0},"as_node":"wait"}');
    expect((await send("GET", `/threads/${thread_id}/state`)).text).toContain('"next":[]');
    const fault = await arm(
      '"match":{"op":"GET /livez","nth":1.0},"then":{"status":503.0,"body":{"10":1.0}},"times":1.0',
    );
    expect(fault.status).toBe(200);
    expect(await send("GET", "/livez")).toEqual({ status: 503, text: '{"10":1.0}' });
  });

  test("where metadata are compared, and it is not the thread of a row", async () => {
    await send("POST", "/sessions", '{"name":"s","extra":{"metadata":{"n":10.0}}}');
    expect((await send("GET", `/sessions?metadata=${encodeURIComponent('{"n":10}')}`)).text).toContain(
      '"name":"s"',
    );
    await send(
      "POST",
      "/runs/crons",
      '{"assistant_id":"echo","schedule":"0 0 * * *","metadata":{"n":{"m":10.0}}}',
    );
    expect((await send("POST", "/runs/crons/count", '{"metadata":{"n":{"m":10}}}')).text).toBe("1");
    await postRow(4, '"extra":{"metadata":{"session_id":10.0,"thread_id":"t"}}');
    expect((await send("GET", `/runs/${idOf(4)}`)).text).toContain('"thread_id":"t"');
  });
});

test.each([
  [
    "POST /threads",
    '{"ttl":{"ttl":10.00000000000000000001}}',
    "body.ttl.ttl: must be a number with at most 17 digits",
  ],
  [
    "POST /runs/query",
    '{"limit":1.00000000000000000001}',
    "body.limit: must be an integer or null with at most 17",
  ],
  [
    "POST /runs",
    `{"id":"${idOf(5)}","name":"n","run_type":"llm","total_tokens":9007199254740991.4}`,
    "body.total_tokens: must be a whole number",
  ],
])("%s refuses a number that it would round: %s", async (line, body, sentence) => {
  const [method = "", path = ""] = line.split(" ");
  expect(await send(method, path, body)).toMatchObject({
    status: 422,
    text: expect.stringContaining(sentence),
  });
});

test("the turn that wrote a member named by an integer is found", async () => {
  await postRow(6, '"inputs":{"b":1,"10":{"2":[10.0]}}');
  expect((await send("GET", `/_emulator/v1/why/${idOf(6)}?field=inputs.10.2.0`)).status).toBe(200);
});

test("a number that became a name is printed as one, and in lines of the log", () => {
  const marked = JSON.parse('{"\\udc0010.0":"\\udc0010.0"}') as unknown;
  expect(printExact(marked)).toBe('{"10.0":10.0}');
  const notes = [{ kind: "fault.hit", ref: "f", detail: marked as Record<string, unknown> }];
  expect(textOfTurn({ turn: 1, now: BEGIN, cause: { type: "request", name: "n" }, notes })).toContain(
    'fault.hit f {"10.0":10.0}',
  );
});
