import { afterEach, describe, expect, it } from "vitest";
import { createExport, DESTINATION, prepareExport, type Rig, startRig } from "../support/emulator.ts";

let rig: Rig;

afterEach(() => rig.close());

describe("features by version (§9.4)", () => {
  it("a refusal names the version that has the feature, and the statement that brings it", async () => {
    rig = await startRig({ versions: { service: "0.10.41" } });
    const schedule = { interval_hours: 6, start_time: "2026-03-01T00:00:00Z" };
    const { status, header, body } = await createExport(
      rig,
      await prepareExport(rig, { count: 5 }),
      schedule,
    );
    expect([status, header("x-emulator-requirement")]).toEqual([422, "2.5-8"]);
    expect(body).toMatchObject({ detail: expect.stringContaining("needs service version 0.10.42 or later") });
  });

  it("an old version still exports", async () => {
    rig = await startRig({ versions: { service: "0.10.0", application: "0.10.0" } });
    const prepared = await prepareExport(rig, { count: 5 });
    expect((await createExport(rig, prepared)).status).toBe(200);
    const { body } = await rig.call("GET", "/info");
    expect(body).toMatchObject({ version: "0.10.0", application_version: "0.10.0" });
  });

  it("changing a destination to temporary credentials needs the same version", async () => {
    rig = await startRig({ versions: { service: "0.10.33" } });
    const { destinationId } = await prepareExport(rig, { count: 5 });
    const path = `/api/v1/bulk-exports/destinations/${destinationId}`;
    const credentials = { ...DESTINATION.credentials, session_token: "token" };
    expect((await rig.call("PATCH", path, { credentials })).status).toBe(422);
  });
});
