import { afterEach, describe, expect, it } from "vitest";
import {
  order,
  type PreparedExport,
  prepare,
  type Rig,
  runToCompletion,
  startRig,
} from "../support/emulator.ts";

interface RunReply {
  readonly status: string;
  readonly errors: Record<string, string>;
}

interface ExportReply {
  readonly status: string;
  readonly finished_at: string | null;
}

let rig: Rig;
let prepared: PreparedExport;

async function begin(limits: Record<string, unknown> = {}): Promise<void> {
  rig = await startRig({ limits });
  prepared = await prepare(rig);
}

afterEach(() => rig.close());

const arm = (rule: object) => rig.emulator.control("POST", "/faults", rule);
const runsOf = async (id: string) =>
  (await rig.call<RunReply[]>("GET", `/api/v1/bulk-exports/${id}/runs`)).body;
const exportOf = async (id: string) =>
  (await rig.call<ExportReply>("GET", `/api/v1/bulk-exports/${id}`)).body;

describe("the run timeout (§8.2-3)", () => {
  it("ends an attempt after four hours, and the next one goes on from the checkpoint", async () => {
    await begin({ rows_per_file: 5 });
    await arm({ plane: "worker", match: { at: "checkpoint.saved", nth: 2 }, then: { stall: "PT4H1S" } });
    const { id } = (await order(rig, prepared, { end_time: "2026-02-26T00:00:00Z" })).body;
    await rig.emulator.clock.advance("PT4H");
    expect(await runsOf(id)).toMatchObject([{ status: "RUNNING", errors: {} }]);
    await rig.emulator.clock.advance("PT1S");
    expect(await runsOf(id)).toMatchObject([{ status: "RUNNING", errors: { retry_0: "Run timeout" } }]);
    await runToCompletion(rig, id);
    expect(await runsOf(id)).toMatchObject([{ status: "COMPLETED", errors: { retry_0: "Run timeout" } }]);
    expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true });
  });

  it("is counted from the start of each attempt", async () => {
    await begin({ rows_per_file: 5 });
    await arm({ plane: "worker", match: { at: "checkpoint.saved", attempt: 0 }, then: { stall: "PT3H" } });
    await arm({ plane: "worker", match: { at: "checkpoint.saved", nth: 2 }, then: { crash: true } });
    await arm({ plane: "worker", match: { at: "checkpoint.saved", attempt: 1 }, then: { stall: "PT3H59M" } });
    const { id } = (await order(rig, prepared, { end_time: "2026-02-26T00:00:00Z" })).body;
    await runToCompletion(rig, id);
    expect(await runsOf(id)).toMatchObject([
      { status: "COMPLETED", errors: { retry_0: expect.stringMatching(/^Infrastructure/) } },
    ]);
  });

  it("that never ends uses up the retries", async () => {
    await begin({ run_timeout: "PT10M", max_retries: 3 });
    await arm({ plane: "worker", match: { at: "run.started" }, then: { stall: "PT1H" }, times: 1000 });
    const { id } = (await order(rig, prepared, { end_time: "2026-02-26T00:00:00Z" })).body;
    await rig.emulator.clock.advance("PT2H");
    const timeouts = Object.fromEntries([0, 1, 2, 3].map((nth) => [`retry_${nth}`, "Run timeout"]));
    expect(await runsOf(id)).toMatchObject([{ status: "FAILED", errors: timeouts }]);
    expect((await exportOf(id)).status).toBe("FAILED");
  });
});

describe("the workflow timeout (§8.2-4)", () => {
  it("ends the export 72 hours after it began, for good, with its runs", async () => {
    await begin();
    await arm({ preset: "workflow_timeout" });
    const { id } = (await order(rig, prepared)).body;
    await rig.emulator.clock.advance("P3D");
    expect((await exportOf(id)).status).toBe("RUNNING");
    await rig.emulator.clock.advance("PT1S");
    expect(await exportOf(id)).toMatchObject({
      status: "TIMEDOUT",
      finished_at: "2026-03-04T00:00:01.000000Z",
    });
    expect((await runsOf(id)).map(({ status }) => status).sort()).toEqual([
      "COMPLETED",
      "COMPLETED",
      "TIMEDOUT",
    ]);
    await rig.emulator.clock.advance("P10D");
    expect((await exportOf(id)).status).toBe("TIMEDOUT");
  });

  it("takes along runs that still wait for capacity", async () => {
    await begin({ max_concurrent_runs_per_export: 1 });
    await arm({ preset: "workflow_timeout" });
    const { id } = (await order(rig, prepared)).body;
    await rig.emulator.clock.advance("P4D");
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(["TIMEDOUT", "TIMEDOUT", "TIMEDOUT"]);
    const { waiting_for_capacity } = await rig.emulator.control<{ waiting_for_capacity: unknown[] }>(
      "GET",
      "/clock",
    );
    expect(waiting_for_capacity).toEqual([]);
  });

  it("does not count the time that an export waits for its workspace", async () => {
    await begin({ max_concurrent_exports_per_workspace: 1 });
    await arm({ preset: "workflow_timeout", times: 2 });
    const first = (await order(rig, prepared, { end_time: "2026-02-26T00:00:00Z" })).body;
    const second = (await order(rig, prepared, { end_time: "2026-02-26T00:00:00Z" })).body;
    await rig.emulator.clock.advance("P3DT2S");
    expect((await exportOf(first.id)).status).toBe("TIMEDOUT");
    expect((await exportOf(second.id)).status).toBe("RUNNING");
    await rig.emulator.clock.advance("P2D");
    expect((await exportOf(second.id)).status).toBe("RUNNING");
    await rig.emulator.clock.advance("P2D");
    expect((await exportOf(second.id)).status).toBe("TIMEDOUT");
  });

  it("is 48 hours when the settings say so", async () => {
    await begin({ workflow_timeout: "PT48H" });
    await arm({ preset: "workflow_timeout" });
    const { id } = (await order(rig, prepared)).body;
    await rig.emulator.clock.advance("P2DT1S");
    expect((await exportOf(id)).status).toBe("TIMEDOUT");
  });

  it("has no hold on a schedule", async () => {
    await begin();
    const { id } = (await order(rig, prepared, { interval_hours: 24, start_time: "2026-03-01T00:00:00Z" }))
      .body;
    await rig.emulator.clock.advance("P10D");
    expect((await exportOf(id)).status).toBe("RUNNING");
  });
});
