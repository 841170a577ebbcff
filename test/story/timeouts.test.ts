import { afterEach, describe, expect, it } from "vitest";
import { type ExportRig, startExportRig } from "../support/emulator.ts";

let rig: ExportRig;

async function begin(limits: Record<string, unknown> = {}): Promise<void> {
  rig = await startExportRig({ limits });
}

afterEach(() => rig.close());

describe("the run timeout (§8.2-3)", () => {
  it("is counted from the start of each attempt", async () => {
    await begin({ rows_per_file: 5 });
    await rig.arm({
      target: "worker",
      match: { at: "checkpoint.saved", attempt: 0 },
      then: { stall: "PT3H" },
    });
    await rig.arm({ target: "worker", match: { at: "checkpoint.saved", nth: 2 }, then: { crash: true } });
    await rig.arm({
      target: "worker",
      match: { at: "checkpoint.saved", attempt: 1 },
      then: { stall: "PT3H59M" },
    });
    const id = await rig.createExportId({ end_time: "2026-02-26T00:00:00Z" });
    await rig.complete(id);
    expect(await rig.runsOf(id)).toMatchObject([
      { status: "COMPLETED", errors: { retry_0: expect.stringMatching(/^Infrastructure/) } },
    ]);
  });

  it("that never ends uses up the retries", async () => {
    await begin({ run_timeout: "PT10M", max_retries: 3 });
    await rig.arm({ target: "worker", match: { at: "run.started" }, then: { stall: "PT1H" }, times: 1000 });
    const id = await rig.createExportId({ end_time: "2026-02-26T00:00:00Z" });
    await rig.advance("PT2H");
    const timeouts = Object.fromEntries([0, 1, 2, 3].map((nth) => [`retry_${nth}`, "Run timeout"]));
    expect(await rig.runsOf(id)).toMatchObject([{ status: "FAILED", errors: timeouts }]);
    expect((await rig.exportOf(id)).status).toBe("FAILED");
  });
});

describe("the workflow timeout (§8.2-4)", () => {
  it("ends the export 72 hours after it began, for good, with its runs", async () => {
    await begin();
    await rig.arm({ preset: "workflow_timeout" });
    const id = await rig.createExportId();
    await rig.advance("P3D");
    expect((await rig.exportOf(id)).status).toBe("RUNNING");
    await rig.advance("PT1S");
    expect(await rig.exportOf(id)).toMatchObject({
      status: "TIMEDOUT",
      finished_at: "2026-03-04T00:00:01.000000Z",
    });
    expect((await rig.runsOf(id)).map(({ status }) => status).sort()).toEqual([
      "COMPLETED",
      "COMPLETED",
      "TIMEDOUT",
    ]);
    await rig.advance("P10D");
    expect((await rig.exportOf(id)).status).toBe("TIMEDOUT");
  });

  it("also ends runs that wait for capacity", async () => {
    await begin({ max_concurrent_runs_per_export: 1 });
    await rig.arm({ preset: "workflow_timeout" });
    const id = await rig.createExportId();
    await rig.advance("P4D");
    expect((await rig.runsOf(id)).map(({ status }) => status)).toEqual(["TIMEDOUT", "TIMEDOUT", "TIMEDOUT"]);
    const { waiting_for_capacity } = await rig.emulator.control<{ waiting_for_capacity: unknown[] }>(
      "GET",
      "/clock",
    );
    expect(waiting_for_capacity).toEqual([]);
  });

  it("does not count the time that an export waits for its workspace", async () => {
    await begin({ max_concurrent_exports_per_workspace: 1 });
    await rig.arm({ preset: "workflow_timeout", times: 2 });
    const first = (await rig.createExport({ end_time: "2026-02-26T00:00:00Z" })).body;
    const second = (await rig.createExport({ end_time: "2026-02-26T00:00:00Z" })).body;
    await rig.advance("P3DT2S");
    expect((await rig.exportOf(first.id)).status).toBe("TIMEDOUT");
    expect((await rig.exportOf(second.id)).status).toBe("RUNNING");
    await rig.advance("P2D");
    expect((await rig.exportOf(second.id)).status).toBe("RUNNING");
    await rig.advance("P2D");
    expect((await rig.exportOf(second.id)).status).toBe("TIMEDOUT");
  });

  it("can be set to 48 hours", async () => {
    await begin({ workflow_timeout: "PT48H" });
    await rig.arm({ preset: "workflow_timeout" });
    const id = await rig.createExportId();
    await rig.advance("P2DT1S");
    expect((await rig.exportOf(id)).status).toBe("TIMEDOUT");
  });
});
