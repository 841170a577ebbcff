import { describe, expect, it } from "vitest";
import { DESTINATION, type Rig, startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

interface Row {
  readonly id: string;
  readonly name: string;
  readonly run_type: string;
  readonly parent_run_id: string | null;
  readonly trace_id: string;
  readonly status: string;
  readonly error: string | null;
  readonly start_time: string;
  readonly end_time: string;
}

async function startRun(rig: Rig, body: Record<string, unknown>): Promise<string> {
  const { thread_id } = (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body;
  return (await rig.call<{ run_id: string }>("POST", `/threads/${thread_id}/runs`, body)).body.run_id;
}

const row = async (rig: Rig, id: string) => (await rig.call<Row>("GET", `/runs/${id}`)).body;

describe("the traces of a run", () => {
  it("is a row of its own id in a project named after its assistant, with one for each model and tool", async () => {
    const rig = await startRig();
    const run = await startRun(rig, {
      assistant_id: "agent",
      input: { messages: "hi" },
      metadata: { team: "a" },
    });
    await rig.emulator.clock.advance("PT1M");
    const root = await row(rig, run);
    expect(root).toMatchObject({
      name: "agent",
      run_type: "chain",
      status: "success",
      parent_run_id: null,
      trace_id: run,
      start_time: "2026-03-01T00:00:00.000000Z",
      end_time: "2026-03-01T00:00:00.300000Z",
      extra: { metadata: { team: "a", graph_id: "agent" } },
    });
    const projects = (await rig.call<{ id: string; name: string }[]>("GET", "/sessions?name=agent")).body;
    expect(projects).toHaveLength(1);
    const { stats } = await exportRows(rig, projects[0]?.id ?? "");
    expect(stats).toMatchObject({ ok: true, rows: 4 });
    await rig.close();
  });

  it("contains errors and time-outs, and is stored in the project of the setting, or not at all", async () => {
    const rig = await startRig({ agent: { project: "all agents" } });
    const failed = await row(rig, await startRun(rig, { assistant_id: "failing" }));
    expect(failed).toMatchObject({
      status: "error",
      error: "RuntimeError: The assistant failing always fails.",
    });
    expect((await rig.call<unknown[]>("GET", "/sessions?name=all%20agents")).body).toHaveLength(1);
    await rig.close();
    const silent = await startRig({ agent: { traces: false } });
    const run = await startRun(silent, { assistant_id: "echo" });
    expect((await silent.call("GET", `/runs/${run}`)).status).toBe(404);
    await silent.close();
  });

  it("does not fail the run when it cannot be stored", async () => {
    const rig = await startRig();
    let deep: unknown = 1;
    for (let level = 0; level < 300; level += 1) deep = [deep];
    const { status, body } = await rig.call("POST", "/runs/wait", { assistant_id: "echo", input: { deep } });
    expect([status, Object.keys(body)]).toEqual([200, ["deep"]]);
    await rig.close();
  });
});

/** From an agent's run to a verified file: one story through the whole product. */
async function exportRows(rig: Rig, sessionId: string) {
  const destination = (
    await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", DESTINATION)
  ).body;
  const { body } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id: destination.id,
    session_id: sessionId,
    start_time: "2026-02-28T00:00:00Z",
    end_time: "2026-03-02T00:00:00Z",
  });
  await rig.emulator.clock.advance({ until: { export: body.id, status: "COMPLETED" } });
  return { stats: await rig.emulator.verifyExport(body.id) };
}

describe("scripts by the control surface", () => {
  it("are added, listed with their matches, and deleted", async () => {
    const rig = await startRig({
      agent: { scripts: [{ match: { assistant_id: "slow" }, then: { after: "PT1S" } }] },
    });
    const add = (body: unknown) => rig.emulator.control<{ id: string }>("POST", "/agent/scripts", body);
    const { id } = await add({
      match: { assistant_id: "echo" },
      then: { status: "error", after: "PT5S", error: "no", events: [{ data: 1, after: "PT1S" }] },
    });
    const run = await startRun(rig, { assistant_id: "echo" });
    await rig.emulator.clock.advance("PT5S");
    expect(await row(rig, run)).toMatchObject({ status: "error", error: "RuntimeError: no" });
    expect(await rig.emulator.control("GET", "/agent/scripts")).toMatchObject([
      {
        id,
        match: { assistant_id: "echo" },
        then: { status: "error", after: "PT5S" },
        matches: 1,
        times: null,
      },
      { id: "configured-1", match: { assistant_id: "slow" }, matches: 0 },
    ]);
    await rig.emulator.control("DELETE", `/agent/scripts/${id}`);
    await expect(rig.emulator.control("DELETE", `/agent/scripts/${id}`)).rejects.toThrow(`No script ${id}`);
    await add({ then: { status: "error" } });
    await rig.emulator.control("DELETE", "/agent/scripts");
    expect(await rig.emulator.control("GET", "/agent/scripts")).toHaveLength(1);
    await expect(add({ then: { status: "done" } })).rejects.toThrow("body.then.status: must be one of");
    await expect(add({ than: {} })).rejects.toThrow();
    await rig.close();
  });

  it("and assistants can come from the configuration", async () => {
    const assistants = [{ graph_id: "support", name: "Support", like: "interrupting" as const }];
    const rig = await startRig({ agent: { assistants } });
    const results = (await rig.call<object[]>("POST", "/assistants/search", { graph_id: "support" })).body;
    expect(results).toMatchObject([{ name: "Support", metadata: { created_by: "system" } }]);
    expect((await rig.call("POST", "/runs/wait", { assistant_id: "support" })).body).toHaveProperty(
      "__interrupt__",
    );
    await rig.close();
    await expect(startRig({ agent: { scripts: [{ then: { status: "done" } } as never] } })).rejects.toThrow(
      /agent.scripts/,
    );
    await expect(
      startRig({ agent: { assistants: [{ graph_id: "x", like: "magic" } as never] } }),
    ).rejects.toThrow(/agent.assistants/);
  });
});

it("a run continues after a restart, and ended runs are still listed", async () => {
  const data = workingFolder();
  const first = await startRig({ ephemeral: false, data });
  const { thread_id } = (await first.call<{ thread_id: string }>("POST", "/threads", {})).body;
  const start = async (assistant_id: string) =>
    (await first.call<{ run_id: string }>("POST", `/threads/${thread_id}/runs`, { assistant_id })).body
      .run_id;
  const [done, slow, next] = [await start("echo"), await start("slow"), await start("echo")];
  await first.emulator.clock.advance("PT4S");
  await first.close();
  const second = await startRig({ ephemeral: false, data, now: undefined });
  const list = async () =>
    (await second.call<{ run_id: string; status: string }[]>("GET", `/threads/${thread_id}/runs`)).body.map(
      (run) => [run.run_id, run.status],
    );
  expect(await list()).toEqual([
    [next, "pending"],
    [slow, "running"],
    [done, "success"],
  ]);
  expect((await second.call("GET", `/threads/${thread_id}/runs/${slow}/join`)).body).toMatchObject({
    step: 10,
  });
  expect(await list()).toEqual([
    [next, "success"],
    [slow, "success"],
    [done, "success"],
  ]);
  await second.close();
});
