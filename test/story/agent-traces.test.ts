import { afterEach, describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../emulator/runtime/index.ts";
import { createExport, DESTINATION, type Rig, runToCompletion, startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

let rig: Rig;
afterEach(() => rig.close());

const begin = async (options: EmulatorOptions = {}) => {
  rig = await startRig(options);
};

async function startRun(body: object): Promise<string> {
  const { thread_id } = (await rig.call("POST", "/threads", {})).body;
  const { body: run } = await rig.call<{ run_id: string }>("POST", `/threads/${thread_id}/runs`, body);
  return run.run_id;
}

const rowOf = async (id: string) => (await rig.call("GET", `/runs/${id}`)).body;

describe("the traces of a run", () => {
  it("are a row of its own id in a project named after its assistant, and one for each model and tool", async () => {
    await begin();
    const run = await startRun({ assistant_id: "agent", input: { messages: "hi" }, metadata: { team: "a" } });
    await rig.emulator.clock.advance("PT1M");
    expect(await rowOf(run)).toMatchObject({
      name: "agent",
      run_type: "chain",
      status: "success",
      parent_run_id: null,
      trace_id: run,
      start_time: "2026-03-01T00:00:00.000000Z",
      end_time: "2026-03-01T00:00:00.300000Z",
      extra: { metadata: { team: "a", graph_id: "agent" } },
    });
    const [project] = (await rig.call<{ id: string }[]>("GET", "/sessions?name=agent")).body;
    const destination = await rig.call<{ id: string }>(
      "POST",
      "/api/v1/bulk-exports/destinations",
      DESTINATION,
    );
    const prepared = { projectId: project?.id ?? "", destinationId: destination.body.id };
    const window = { start_time: "2026-02-28T00:00:00Z", end_time: "2026-03-02T00:00:00Z" };
    const { id } = (await createExport(rig, prepared, window)).body;
    await runToCompletion(rig, id);
    expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true, rows: 4 });
  });

  it("contain errors, and are in the project of the setting, or nowhere", async () => {
    await begin({ agent: { project: "all agents" } });
    const error = "RuntimeError: The assistant failing always fails.";
    expect(await rowOf(await startRun({ assistant_id: "failing" }))).toMatchObject({
      status: "error",
      error,
    });
    expect((await rig.call<unknown[]>("GET", "/sessions?name=all%20agents")).body).toHaveLength(1);
    await rig.close();
    await begin({ agent: { traces: false } });
    expect((await rig.call("GET", `/runs/${await startRun({ assistant_id: "echo" })}`)).status).toBe(404);
  });

  it("do not fail the run when they cannot be stored", async () => {
    await begin();
    const deep = JSON.parse("[".repeat(300) + "]".repeat(300));
    const { status, body } = await rig.call("POST", "/runs/wait", { assistant_id: "echo", input: { deep } });
    expect([status, Object.keys(body)]).toEqual([200, ["deep"]]);
  });
});

describe("scripts and assistants", () => {
  it("are added, listed with their matches, and deleted by the control API", async () => {
    await begin({ agent: { scripts: [{ match: { assistant_id: "slow" }, then: { after: "PT1S" } }] } });
    const scripts = (method: string, path = "", body?: unknown) =>
      rig.emulator.control<{ id: string }>(method, `/agent/scripts${path}`, body);
    const match = { assistant_id: "echo" };
    const events = [{ data: 1, after: "PT1S", node: "mine" }];
    const { id } = await scripts("POST", "", {
      match,
      then: { status: "error", after: "PT5S", error: "no", events },
    });
    const run = await startRun(match);
    await rig.emulator.clock.advance("PT5S");
    expect(await rowOf(run)).toMatchObject({ status: "error", error: "RuntimeError: no" });
    expect(await scripts("GET")).toMatchObject([
      { id, match, then: { status: "error", after: "PT5S", events }, matches: 1, times: null },
      { id: "configured-1", match: { assistant_id: "slow" }, matches: 0 },
    ]);
    await scripts("DELETE", `/${id}`);
    await expect(scripts("DELETE", `/${id}`)).rejects.toThrow(`No script ${id}`);
    await scripts("POST", "", { then: { status: "error" } });
    await scripts("DELETE");
    expect(await scripts("GET")).toHaveLength(1);
    await expect(scripts("POST", "", { then: { status: "done" } })).rejects.toThrow(
      "body.then.status: must be one",
    );
    await expect(scripts("POST", "", { than: {} })).rejects.toThrow("than");
  });

  it("come from the configuration, which is refused when it is wrong", async () => {
    await begin({ agent: { assistants: [{ graph_id: "support", name: "Support", like: "interrupting" }] } });
    const search = await rig.call("POST", "/assistants/search", { graph_id: "support" });
    expect(search.body).toMatchObject([{ name: "Support", metadata: { created_by: "system" } }]);
    expect((await rig.call("POST", "/runs/wait", { assistant_id: "support" })).body).toHaveProperty(
      "__interrupt__",
    );
    for (const [agent, message] of [
      [{ scripts: [{ then: { status: "done" } }] }, /agent.scripts/],
      [{ assistants: [{ graph_id: "x", like: "magic" }] }, /agent.assistants/],
    ] as const)
      await expect(startRig({ agent: agent as never })).rejects.toThrow(message);
  });
});

it("a run continues after a restart, and ended runs are still listed", async () => {
  const data = workingFolder();
  await begin({ ephemeral: false, data });
  const { thread_id } = (await rig.call("POST", "/threads", {})).body;
  const start = async (assistant_id: string) =>
    (await rig.call<{ run_id: string }>("POST", `/threads/${thread_id}/runs`, { assistant_id })).body.run_id;
  const [done, slow, next] = [await start("echo"), await start("slow"), await start("echo")];
  await rig.emulator.clock.advance("PT4S");
  await rig.close();
  await begin({ ephemeral: false, data, now: undefined });
  const expectStatuses = async (...statuses: readonly string[]) => {
    const expected = [next, slow, done].map((run_id, at) => ({ run_id, status: statuses[at] }));
    expect((await rig.call("GET", `/threads/${thread_id}/runs`)).body).toMatchObject(expected);
  };
  await expectStatuses("pending", "running", "success");
  expect((await rig.call("GET", `/threads/${thread_id}/runs/${slow}/join`)).body).toMatchObject({ step: 10 });
  await expectStatuses("success", "success", "success");
});
