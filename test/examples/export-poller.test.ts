import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ExportEnded, waitForExport } from "../../fixtures/examples/export-poller.ts";
import { createExport, prepareExport, type Rig, startRig } from "../support/emulator.ts";

let rig: Rig;

afterEach(() => rig.close());

const api = () => ({
  url: rig.emulator.url,
  apiKey: "emulator-key",
  tenantId: "00000000-0000-4000-8000-000000000001",
});

describe.each(["spec", "observed"] as const)("the poller, in the profile %s", (profile) => {
  let polls: number;

  beforeEach(async () => {
    rig = await startRig({ profile, limits: { rows_per_file: 5 } });
    polls = 0;
  });

  const wait = (id: string, timeoutMs = 10 * 60_000) =>
    waitForExport(api(), id, {
      pollMs: 5_000,
      timeoutMs,
      async sleep(ms) {
        polls += 1;
        await rig.emulator.clock.advance(`PT${ms / 1000}S`);
      },
    });

  it("passes over CREATED and RUNNING, and knows the files when it is COMPLETED", async () => {
    const prepared = await prepareExport(rig);
    const { id } = (await createExport(rig, prepared)).body;
    const { files, rows } = await wait(id);
    expect(polls).toBeGreaterThan(0);
    expect(rows).toBe(60);
    expect(files.length).toBeGreaterThanOrEqual(12);
  });

  it("stops at FAILED and prints the reason", async () => {
    const prepared = await prepareExport(rig);
    await rig.emulator.faults.arm({ preset: "permission_denied" });
    const { id } = (await createExport(rig, prepared)).body;
    await expect(wait(id)).rejects.toThrow(/is F(AILED|ailed): .*denied/i);
  });

  it("stops at CANCELLED", async () => {
    const prepared = await prepareExport(rig);
    const { id } = (await createExport(rig, prepared)).body;
    await rig.call("PATCH", `/api/v1/bulk-exports/${id}`, { status: "Cancelled" });
    await expect(wait(id)).rejects.toThrow(ExportEnded);
    expect(polls).toBe(0);
  });

  it("stops at TIMEDOUT", async () => {
    const prepared = await prepareExport(rig);
    await rig.emulator.faults.arm({ preset: "workflow_timeout" });
    const { id } = (await createExport(rig, prepared)).body;
    await rig.emulator.clock.advance("P4D");
    await expect(wait(id)).rejects.toThrow(/is TIMEDOUT|is TimedOut/);
  });

  it("gives up on one that never ends", async () => {
    const prepared = await prepareExport(rig);
    await rig.emulator.faults.arm({
      target: "worker",
      match: { at: "run.started" },
      then: { stall: "PT3H" },
      times: 10,
    });
    const { id } = (await createExport(rig, prepared)).body;
    await expect(wait(id, 60_000)).rejects.toThrow("was not over after 60000 ms");
  });
});
