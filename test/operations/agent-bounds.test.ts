import { afterEach, expect, it } from "vitest";
import { type Rig, startRig } from "../story/emulator.ts";

/** Nothing grows for ever: each bound says which setting raises it, and a refusal leaves nothing behind. */
let rig: Rig;
afterEach(() => rig.close());

interface Thread {
  readonly thread_id: string;
}

const threads = async () => (await rig.call<unknown[]>("POST", "/threads/search", {})).body.length;

it("a workspace may have so many threads, however they come about", async () => {
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
  const refused = await create();
  expect([refused.status, refused.body]).toEqual([409, expect.stringContaining("limits.agent_runs")]);
  await rig.call("DELETE", `${path}/${run_id}`);
  expect((await create()).status).toBe(200);
});

it("a workspace may have so many assistants of its own", async () => {
  rig = await startRig({ limits: { agent_assistants: 1 } });
  const create = () => rig.call<string>("POST", "/assistants", { graph_id: "echo" });
  expect((await create()).status).toBe(200);
  const refused = await create();
  expect([refused.status, refused.body]).toEqual([409, expect.stringContaining("limits.agent_assistants")]);
});
