import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Rig, startRig } from "../support/emulator.ts";

const FIELDS = [
  "run_id",
  "thread_id",
  "assistant_id",
  "created_at",
  "updated_at",
  "status",
  "metadata",
  "kwargs",
  "multitask_strategy",
];
const UNKNOWN = "00000000-0000-4000-8000-00000000dead";
const RUNS = 11;

type Run = Record<string, unknown> & { run_id: string; status: string };

describe("GET /threads/{thread_id}/runs", () => {
  let rig: Rig;
  let thread: string;
  let newestFirst: string[];

  beforeAll(async () => {
    rig = await startRig();
    thread = (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body.thread_id;
    const ids: string[] = [];
    for (let n = 1; n <= RUNS; n += 1)
      ids.push(
        (await rig.call<Run>("POST", `/threads/${thread}/runs`, { assistant_id: "echo" })).body.run_id,
      );
    newestFirst = ids.reverse();
  });
  afterAll(() => rig.close());

  const list = async (query: string) => rig.call<Run[]>("GET", `/threads/${thread}/runs${query}`);

  it("answers with ten runs of exactly nine fields each by default (2.1-1, 4.1-1)", async () => {
    const { status, body, header } = await list("");
    expect(status).toBe(200);
    expect(header("content-type")).toBe("application/json");
    expect(body).toHaveLength(10);
    for (const run of body) {
      expect(Object.keys(run)).toEqual(FIELDS);
      expect(run.thread_id).toBe(thread);
      expect(run.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    }
    expect(body.map(({ run_id }) => run_id)).toEqual(newestFirst.slice(0, 10));
  });

  it("the members to select may be numbered (4.1-4)", async () => {
    const { body } = await list("?select[0]=run_id&select[1]=status&limit=2");
    expect(body.map((run) => Object.keys(run).sort())).toEqual(Array(2).fill(["run_id", "status"]));
  });

  it.each([
    ["?status=running", "query.status"],
    ["?status=done", "query.status"],
    ["?limit=0", "query.limit"],
    ["?limit=-1", "query.limit"],
    ["?limit=1001", "query.limit"],
    ["?limit=ten", "query.limit"],
    ["?limit=1.5", "query.limit"],
    ["?offset=-1", "query.offset"],
    ["?offset=x", "query.offset"],
    ["?select=foo", "query.select[0]"],
    ["?select=run_id&select=foo", "query.select[1]"],
    ["?select=%5B%22run_id%22", "query.select[0]"],
  ])("%s is refused with 422 and a string that names %s (4.1-3, 2.3-1)", async (query, name) => {
    const { status, body } = await rig.call<unknown>("GET", `/threads/${thread}/runs${query}`);
    expect(status).toBe(422);
    expect(body).toBeTypeOf("string");
    expect(body).toContain(name);
  });

  it.each(["?status=", "?select=", "?status=&limit=&select="])(
    "%s is the same as no query, as clients send it for what was left out (platform.empty_query)",
    async (query) => {
      expect((await list(query)).body).toEqual((await list("")).body);
    },
  );

  it("is 404 with a string for an unknown thread, 422 for an id that is not a uuid (4.1-3)", async () => {
    const unknown = await rig.call<unknown>("GET", `/threads/${UNKNOWN}/runs`);
    expect([unknown.status, unknown.body]).toEqual([404, `Thread with ID ${UNKNOWN} not found`]);
    const malformed = await rig.call<unknown>("GET", "/threads/abc/runs");
    expect([malformed.status, malformed.body]).toEqual([422, "path.thread_id: must be a uuid"]);
  });

  it("does not show the threads of another workspace", async () => {
    const tenant = { "x-tenant-id": UNKNOWN };
    expect((await rig.call("GET", `/threads/${thread}/runs`, undefined, tenant)).status).toBe(404);
  });
});

describe("in the profile observed", () => {
  it("errors have a member detail, and an unknown graph is 422", async () => {
    const rig = await startRig({ profile: "observed" });
    const unknown = await rig.call("GET", `/threads/${UNKNOWN}/runs`);
    expect([unknown.status, unknown.body]).toEqual([404, { detail: `Thread with ID ${UNKNOWN} not found` }]);
    const graph = await rig.call("POST", "/runs", { assistant_id: "nobody" });
    expect([graph.status, Object.keys(graph.body)]).toEqual([422, ["detail"]]);
    const reply = await rig.call("POST", "/threads", {});
    expect(reply.body).toMatchObject({ interrupts: {}, values: null, status: "idle" });
    await rig.close();
  });

  it("running is a status like the others, and there are no singular paths", async () => {
    const rig = await startRig({ profile: "observed" });
    const { thread_id } = (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body;
    const body = { assistant_id: "slow" };
    const { run_id } = (await rig.call<Run>("POST", `/threads/${thread_id}/runs`, body)).body;
    await rig.call("POST", `/threads/${thread_id}/runs`, body);
    const running = await rig.call<Run[]>("GET", `/threads/${thread_id}/runs?status=running`);
    expect(running.body.map((run) => run.run_id)).toEqual([run_id]);
    expect((await rig.call("GET", `/threads/${thread_id}/runs?status=done`)).status).toBe(422);
    expect((await rig.call("POST", `/thread/${thread_id}/runs`, body)).status).toBe(404);
    await rig.close();
  });

  it("the order can be turned round by its assumption", async () => {
    const rig = await startRig({ assumptions: { "agent.list_order": "oldest first" } });
    const { thread_id } = (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body;
    const ids = [];
    for (let n = 0; n < 3; n += 1)
      ids.push(
        (await rig.call<Run>("POST", `/threads/${thread_id}/runs`, { assistant_id: "echo" })).body.run_id,
      );
    const { body } = await rig.call<Run[]>("GET", `/threads/${thread_id}/runs?limit=2`);
    expect(body.map(({ run_id }) => run_id)).toEqual(ids.slice(0, 2));
    await rig.close();
  });
});
