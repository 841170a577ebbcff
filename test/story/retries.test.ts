import { afterEach, describe, expect, it } from "vitest";
import { type ExportRig, startExportRig } from "../support/emulator.ts";

const ONE_DAY = { start_time: "2026-02-25T00:00:00Z", end_time: "2026-02-26T00:00:00Z" };

let rig: ExportRig;

async function begin(options: Record<string, unknown> = {}): Promise<void> {
  rig = await startExportRig({ ...options, limits: { rows_per_file: 5, ...(options.limits as object) } });
}

afterEach(() => rig.close());

describe("an export to a store that fails (§7.3)", () => {
  it("an outage of the store ends the run where the assumption says so; the table of the configuration shows it", async () => {
    const table = async () =>
      (await rig.emulator.control<{ store_errors: Record<string, object> }>("GET", "/config")).store_errors;
    await begin();
    expect(await table()).toMatchObject({
      SlowDown: {
        status: 503,
        class: "interruption",
        in_errors: "its own code",
        at_validation: "its own code",
      },
      NoSuchBucket: { class: "ends the run", in_errors: "Bucket is not valid" },
      ConnectionFailed: { status: null, class: "interruption", at_validation: "Invalid endpoint" },
      "any other 3xx or 4xx": { class: "ends the run", in_errors: "its own code" },
    });
    await rig.close();
    await begin({ assumptions: { "export.store_outage": "storage error" } });
    expect(await table()).toMatchObject({ SlowDown: { class: "ends the run" } });
    await rig.arm({ target: "s3", match: { op: "PutObject" }, then: { s3_error: "SlowDown" } });
    const id = await rig.createExportId(ONE_DAY);
    await rig.complete(id);
    const [run] = await rig.runsOf(id);
    expect(run?.errors).toEqual({
      retry_0: expect.stringMatching(/^Storage or destination error: SlowDown: /),
    });
  });

  it("new credentials are used from the next file on", async () => {
    await begin();
    await rig.emulator.control("POST", "/s3/credentials", {
      access_key_id: "second",
      secret_access_key: "second-secret",
    });
    const id = await rig.createExportId(ONE_DAY);
    await rig.advance("PT2S");
    const path = `/api/v1/bulk-exports/destinations/${rig.prepared.destinationId}`;
    const credentials = { access_key_id: "second", secret_access_key: "second-secret" };
    expect((await rig.call("PATCH", path, { credentials })).status).toBe(200);
    await rig.emulator.control("DELETE", "/s3/credentials/emulator");
    await rig.complete(id);
    expect(await rig.runsOf(id)).toMatchObject([{ status: "COMPLETED", errors: {} }]);
    expect(await rig.verify(id)).toMatchObject({ ok: true });
  });
});
