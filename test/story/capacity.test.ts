import { afterEach, describe, expect, it } from "vitest";
import { DESTINATION, type ExportRig, HEADERS, startExportRig } from "../support/emulator.ts";

interface Waiting {
  readonly waiting_for_capacity: readonly { readonly ref: string; readonly pool: string }[];
}

let rig: ExportRig;

async function begin(limits: Record<string, unknown> = {}): Promise<void> {
  rig = await startExportRig({ limits });
}

afterEach(() => rig.close());

const stall = (times: number, then = "PT1H") =>
  rig.emulator.control("POST", "/faults", {
    target: "worker",
    match: { at: "run.started" },
    then: { stall: then },
    times,
  });
const statusesOf = async (path: string) =>
  (await rig.call<{ status: string }[]>("GET", path)).body.map(({ status }) => status);
const count = (statuses: readonly string[], expected: string) =>
  statuses.filter((status) => status === expected).length;
const waiting = async () => (await rig.emulator.control<Waiting>("GET", "/clock")).waiting_for_capacity;

describe("exports of one workspace (§8.2-2)", () => {
  it("work as many at a time as the limit says, in the order of their creation", async () => {
    const places = 3;
    await begin({ max_concurrent_exports_per_workspace: places });
    await stall(places * 3);
    const ids: string[] = [];
    for (let nth = 0; nth < places + 2; nth += 1) ids.push(await rig.createExportId());
    await rig.advance("PT1S");
    const statuses = async () => (await statusesOf("/api/v1/bulk-exports")).reverse();
    expect(await statuses()).toEqual([...Array(places).fill("RUNNING"), "CREATED", "CREATED"]);
    expect((await waiting()).map(({ ref }) => ref)).toEqual(ids.slice(places));
    await rig.cancel(ids[1] as string);
    expect((await statuses()).slice(-2)).toEqual(["RUNNING", "CREATED"]);
    await rig.advance("P1D");
    expect(count(await statuses(), "COMPLETED")).toBe(places + 1);
  });

  it("do not keep the same workspace of the other region waiting", async () => {
    await begin({ max_concurrent_exports_per_workspace: 1 });
    await stall(3);
    for (let nth = 0; nth < 2; nth += 1) await rig.createExport();
    const theirs = async (path: string, body?: object) => {
      const request = body && { method: "POST", body: JSON.stringify(body) };
      const reply = await fetch(rig.emulator.euUrl + path, { headers: HEADERS, ...request });
      return reply.json() as Promise<{ id: string; status: string }>;
    };
    const project = await theirs("/sessions", { name: "theirs" });
    const destination = await theirs("/api/v1/bulk-exports/destinations", DESTINATION);
    const { id } = await theirs("/api/v1/bulk-exports", {
      bulk_export_destination_id: destination.id,
      session_id: project.id,
      start_time: "2026-02-25T00:00:00Z",
      end_time: "2026-02-26T00:00:00Z",
    });
    await rig.advance("PT2S");
    expect((await theirs(`/api/v1/bulk-exports/${id}`)).status).toBe("COMPLETED");
    expect((await statusesOf("/api/v1/bulk-exports")).reverse()).toEqual(["RUNNING", "CREATED"]);
  });
});

describe("timeouts (§8.2-3, §8.2-4)", () => {
  it("a run timeout that never ends uses up the retries", async () => {
    await begin({ run_timeout: "PT10M", max_retries: 3 });
    await stall(1000);
    const id = await rig.createExportId({ end_time: "2026-02-26T00:00:00Z" });
    await rig.advance("PT2H");
    const timeouts = Object.fromEntries([0, 1, 2, 3].map((nth) => [`retry_${nth}`, "Run timeout"]));
    expect(await rig.runsOf(id)).toMatchObject([{ status: "FAILED", errors: timeouts }]);
    expect((await rig.exportOf(id)).status).toBe("FAILED");
  });

  it("the workflow timeout, here of 48 hours, also ends runs that wait for capacity", async () => {
    await begin({ max_concurrent_runs_per_export: 1, workflow_timeout: "PT48H" });
    await rig.arm({ preset: "workflow_timeout" });
    const id = await rig.createExportId();
    await rig.advance("PT2S");
    expect((await waiting())[0]).toMatchObject({ pool: `runs:${id}` });
    await rig.advance("P2D");
    expect((await rig.runsOf(id)).map(({ status }) => status)).toEqual(["TIMEDOUT", "TIMEDOUT", "TIMEDOUT"]);
    expect(await waiting()).toEqual([]);
  });
});
