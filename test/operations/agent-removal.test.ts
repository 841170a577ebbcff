import { beforeEach, describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig());
let thread: string;

beforeEach(async () => {
  thread = (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body.thread_id;
});
const start = async (path: string, body: Record<string, unknown> = {}) =>
  (await rig.call<{ run_id: string; thread_id: string }>("POST", path, { assistant_id: "slow", ...body }))
    .body;

describe("a run that is rolled back", () => {
  it("keeps its trace rows, and calls no webhook (§6)", async () => {
    const { run_id } = await start(`/threads/${thread}/runs`, { webhook: "/_emulator/inbox/gone" });
    await rig.emulator.clock.advance("PT3S");
    const path = `/threads/${thread}/runs/${run_id}/cancel?action=rollback&wait=1`;
    expect((await rig.call("POST", path)).body).toHaveProperty("__error__");
    expect((await rig.call("GET", `/runs/${run_id}`)).body).toMatchObject({
      status: "error",
      error: "Rolled back by its caller.",
      start_time: "2026-03-01T00:00:00.000000Z",
      end_time: "2026-03-01T00:00:03.000000Z",
    });
    expect(await rig.emulator.control("GET", "/webhooks/deliveries")).toEqual([]);
  });

  it("also removes the thread that was created for it", async () => {
    const { run_id, thread_id } = await start("/runs");
    await rig.call("POST", "/runs/cancel?action=rollback", { run_ids: [run_id] });
    expect((await rig.call("GET", `/threads/${thread_id}`)).status).toBe(404);
    expect((await rig.call<unknown[]>("POST", "/threads/search", {})).body).toHaveLength(1);
  });
});

describe("a deleted object", () => {
  it.each(["run", "thread"])("is not found by those who come late to join or stream it: %s", async (what) => {
    const { run_id } = await start(`/threads/${thread}/runs`, { assistant_id: "echo" });
    const place = `/threads/${thread}/runs/${run_id}`;
    expect((await rig.call("GET", `${place}/join`)).status).toBe(200);
    expect((await rig.call("DELETE", what === "run" ? place : `/threads/${thread}`)).status).toBe(204);
    for (const late of ["join", "stream"])
      expect((await rig.call("GET", `${place}/${late}`)).status).toBe(404);
  });
});

it.each([
  ["GET", "/assistants/agent/schemas"],
  ["GET", "/assistants/agent/subgraphs"],
  ["POST", "/assistants/agent/versions/1"],
  ["PUT", "/store/items"],
  ["GET", "/threads/"],
  ["GET", "/threads/a/runs/"],
  ["POST", "/threads/a/runs/b/c/d"],
  ["POST", "/runs/crons/"],
])("%s %s is 404 with the section, in a string (§2.3)", async (method, path) => {
  const { status, body } = await rig.call(method, path, {});
  expect([status, body]).toEqual([
    404,
    expect.stringContaining(`${method} ${path} is not emulated: §1 of the specification names`),
  ]);
  expect(body).toContain(path.endsWith("/") ? "leave it out" : "GET /openapi.json lists");
});
