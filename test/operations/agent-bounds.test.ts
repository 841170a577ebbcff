import { afterEach, expect, it } from "vitest";
import { type Rig, startRig } from "../support/emulator.ts";

/** Nothing grows for ever: each bound says which setting raises it, and a refusal leaves nothing behind. */
let rig: Rig;
afterEach(() => rig.close());

interface Thread {
  readonly thread_id: string;
}

const threads = async () => (await rig.call<unknown[]>("POST", "/threads/search", {})).body.length;

it("bounds the threads of a workspace, however they are created", async () => {
  rig = await startRig({ limits: { agent_threads: 2 } });
  const [first] = [await rig.call<Thread>("POST", "/threads", {}), await rig.call("POST", "/threads", {})];
  const echo = { assistant_id: "echo" };
  for (const [path, body] of [
    ["/threads", {}],
    [`/threads/${first.body.thread_id}/copy`, {}],
    ["/runs/wait", echo],
    ["/runs/batch", [echo]],
    ["/threads/00000000-0000-4000-8000-0000000000aa/runs", { ...echo, if_not_exists: "create" }],
  ] as const) {
    const { status, body: said } = await rig.call<string>("POST", path, body);
    expect([path, status, said]).toEqual([path, 409, expect.stringContaining("limits.agent_threads")]);
  }
  expect(await threads()).toBe(2);
  await rig.call("DELETE", `/threads/${first.body.thread_id}`);
  expect((await rig.call("POST", "/runs/wait", echo)).status).toBe(200);
  expect((await rig.call("POST", "/runs/batch", [echo, echo])).status).toBe(409);
  const elsewhere = { "x-tenant-id": "00000000-0000-4000-8000-000000000002" };
  expect((await rig.call("POST", "/threads", {}, elsewhere)).status).toBe(200);
});

it("a thread may keep so many runs", async () => {
  rig = await startRig({ limits: { agent_runs: 2 } });
  const { thread_id } = (await rig.call<Thread>("POST", "/threads", {})).body;
  const path = `/threads/${thread_id}/runs`;
  const create = () => rig.call<Record<string, string>>("POST", path, { assistant_id: "echo" });
  const { run_id } = (await create()).body;
  await create();
  const refusal = await create();
  expect([refusal.status, refusal.body]).toEqual([409, expect.stringContaining("limits.agent_runs")]);
  await rig.call("DELETE", `${path}/${run_id}`);
  expect((await create()).status).toBe(200);
});

it("bounds the assistants of a workspace", async () => {
  rig = await startRig({ limits: { agent_assistants: 1 } });
  const create = () => rig.call<string>("POST", "/assistants", { graph_id: "echo" });
  expect((await create()).status).toBe(200);
  const refusal = await create();
  expect([refusal.status, refusal.body]).toEqual([409, expect.stringContaining("limits.agent_assistants")]);
});

it("retains the newest versions of an assistant", async () => {
  rig = await startRig({ limits: { agent_assistant_versions: 2 } });
  const reply = await rig.call<Record<string, string>>("POST", "/assistants", { graph_id: "echo" });
  const path = `/assistants/${reply.body.assistant_id}`;
  for (const name of ["b", "c"]) await rig.call("PATCH", path, { name });
  const { body } = await rig.call<readonly object[]>("POST", `${path}/versions`, {});
  expect(body).toMatchObject([
    { name: "c", version: 3 },
    { name: "b", version: 2 },
  ]);
  expect((await rig.call("POST", `${path}/latest`, { version: 1 })).status).toBe(404);
});

it("bounds the bytes of a thread's values: a waiting caller gets the error, and a manual change is refused", async () => {
  rig = await startRig({ limits: { agent_values_bytes: 3000 } });
  const { thread_id } = (await rig.call<Thread>("POST", "/threads", {})).body;
  const run = (key: string) => ({ assistant_id: "echo", input: { [key]: "x".repeat(1000) } });
  const path = `/threads/${thread_id}`;
  await rig.call("POST", `${path}/runs/wait`, run("a"));
  await rig.call("POST", `${path}/runs/wait`, run("b"));
  const waited = await rig.call<Record<string, unknown>>("POST", `${path}/runs/wait`, run("c"));
  const message = expect.stringContaining("limits.agent_values_bytes");
  expect([waited.status, waited.body.__error__]).toEqual([200, { error: "ValuesTooLarge", message }]);
  const [last] = (await rig.call<Record<string, string>[]>("GET", `${path}/runs`)).body;
  expect(last?.status).toBe("error");
  const values = { a: "x".repeat(1000), b: "x".repeat(1000) };
  expect((await rig.call(`GET`, path)).body).toMatchObject({ status: "error", values });
  const refusal = await rig.call("POST", `${path}/state`, { values: { d: "x".repeat(1000) } });
  expect([refusal.status, refusal.body]).toEqual([413, message]);
  expect((await rig.call("POST", `${path}/state`, { values: { a: null } })).status).toBe(200);
  expect((await rig.call("POST", `${path}/runs/wait`, run("c"))).body).not.toHaveProperty("__error__");
});

it("what callers note on a thread or an assistant has a bound, in however many changes", async () => {
  rig = await startRig({ limits: { agent_metadata_bytes: 1000 } });
  const half = (name: string) => ({ metadata: { [name]: "x".repeat(600) } });
  const full = [413, expect.stringContaining("limits.agent_metadata_bytes")];
  for (const [path, more, id] of [
    ["/threads", {}, "thread_id"],
    ["/assistants", { graph_id: "echo" }, "assistant_id"],
  ] as const) {
    const reply = await rig.call<Record<string, string>>("POST", path, { ...more, ...half("a") });
    const large = await rig.call("POST", path, { ...more, config: { a: "x".repeat(1000) } });
    expect([large.status, large.body]).toEqual(full);
    const place = `${path}/${reply.body[id]}`;
    const changed = await rig.call("PATCH", place, half("b"));
    expect([changed.status, changed.body]).toEqual(full);
    expect((await rig.call("GET", place)).body).toMatchObject(half("a"));
    expect((await rig.call("PATCH", place, { metadata: { a: 1 } })).status).toBe(200);
  }
});

it("bounds the waiting events, and accepts a list of runs completely or not at all", async () => {
  rig = await startRig({ limits: { agent_waiting_events: 3 } });
  const late = { assistant_id: "echo", after_seconds: 60 };
  const full = [409, expect.stringContaining("limits.agent_waiting_events")];
  const refusal = await rig.call("POST", "/runs/batch", [late, late, late, late]);
  expect([refusal.status, refusal.body]).toEqual(full);
  expect(await threads()).toBe(0);
  expect((await rig.call("POST", "/runs/batch", [late, late, late])).status).toBe(200);
  for (const [path, body] of [
    ["/runs/wait", { assistant_id: "echo" }],
    ["/runs/crons", { assistant_id: "echo", schedule: "0 * * * *" }],
  ] as const) {
    const { status, body: said } = await rig.call("POST", path, body);
    expect([path, status, said]).toEqual([path, ...full]);
  }
});
