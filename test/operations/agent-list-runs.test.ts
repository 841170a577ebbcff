import { beforeAll, describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const UNKNOWN = "00000000-0000-4000-8000-00000000dead";
type Run = Record<string, unknown> & { run_id: string; status: string };

describe("GET /threads/{thread_id}/runs", () => {
  const rig = useRig("file", () => startRig());
  let runs: string;

  beforeAll(async () => {
    const { thread_id } = (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body;
    runs = `/threads/${thread_id}/runs`;
    for (const assistant_id of ["echo", "slow"]) await rig.call("POST", runs, { assistant_id });
  });

  it("an empty list is the same as none, as clients send it for what was left out (platform.empty_query)", async () => {
    const { body } = await rig.call<Run[]>("GET", runs);
    expect(body).toHaveLength(2);
    expect((await rig.call("GET", `${runs}?select=&stream_mode=`)).body).toEqual(body);
  });

  it.each(["status", "limit", "offset"])("an empty %s is refused (4.1-2)", async (name) => {
    const { status, body } = await rig.call("GET", `${runs}?${name}=`);
    expect([status, body]).toEqual([422, expect.stringContaining(`query.${name}: must be`)]);
  });

  it("names the wrong item of a list (4.1-3), and takes numbered ones (4.1-4)", async () => {
    const { status, body } = await rig.call("GET", `${runs}?select=run_id&select=foo`);
    expect([status, body]).toEqual([422, expect.stringContaining("query.select[1]")]);
    const numbered = await rig.call<Run[]>("GET", `${runs}?select[0]=run_id&select[1]=status`);
    expect(numbered.body.map((run) => Object.keys(run))).toEqual(Array(2).fill(["run_id", "status"]));
  });

  it("does not show the threads of another workspace", async () => {
    const tenant = { "x-tenant-id": UNKNOWN };
    expect((await rig.call("GET", runs, undefined, tenant)).status).toBe(404);
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
});
