import { afterEach, describe, expect, it } from "vitest";
import {
  createExport,
  DESTINATION,
  type PreparedExport,
  prepareExport,
  type Rig,
  startRig,
} from "../support/emulator.ts";

let rig: Rig;

afterEach(() => rig.close());

const temporary = { ...DESTINATION.credentials, session_token: "token" };

/** What is tried, and how it is answered where the emulated version has it. */
const FEATURES = {
  session_token: async () =>
    rig.call("POST", "/api/v1/bulk-exports/destinations", { ...DESTINATION, credentials: temporary }),
  scheduled_exports: async (prepared: PreparedExport) =>
    createExport(rig, prepared, { interval_hours: 6, start_time: "2026-03-01T00:00:00Z" }),
  export_fields: async (prepared: PreparedExport) =>
    createExport(rig, prepared, { export_fields: ["id", "name"] }),
};

/** The statements that bring the features. */
const REQUIREMENTS = { session_token: "2.4-3", scheduled_exports: "2.5-8", export_fields: "2.5-5" };

async function attempt(feature: keyof typeof FEATURES, versions: Record<string, string>) {
  rig = await startRig({ versions });
  const prepared = await prepareExport(rig, { count: 5 });
  await rig.emulator.control("PATCH", "/s3/credentials/emulator", {
    session_token: feature === "session_token" ? "token" : null,
  });
  const { status, header, body } = await FEATURES[feature](prepared);
  const requirement = header("x-emulator-requirement");
  return { status, requirement, detail: (body as { detail?: string }).detail };
}

describe("features by version (§9.4)", () => {
  it.each([
    ["session_token", { service: "0.10.33" }, "service version 0.10.34"],
    ["session_token", { application: "0.10.90" }, "application version 0.10.91"],
    ["scheduled_exports", { service: "0.10.41" }, "service version 0.10.42"],
    ["scheduled_exports", { service: "0.9.99" }, "service version 0.10.42"],
    ["scheduled_exports", { application: "0.10.108" }, "application version 0.10.109"],
    ["export_fields", { service: "0.12.10" }, "service version 0.12.11"],
    ["export_fields", { application: "0.12.41" }, "application version 0.12.42"],
  ] as const)("%s is refused by %j, naming the version that has it", async (feature, versions, name) => {
    expect(await attempt(feature, versions)).toEqual({
      status: 422,
      requirement: REQUIREMENTS[feature],
      detail: expect.stringContaining(`needs ${name} or later`),
    });
  });

  it.each([
    ["session_token", { service: "0.10.34", application: "0.10.91" }],
    ["scheduled_exports", { service: "0.10.42", application: "0.10.109" }],
    ["scheduled_exports", { service: "1.0.0", application: "0.11.0" }],
    ["export_fields", { service: "0.12.11", application: "0.12.42" }],
  ] as const)("%s is taken by %j", async (feature, versions) => {
    expect(await attempt(feature, versions)).toMatchObject({ status: 200 });
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
    expect((await rig.call("PATCH", path, { credentials: temporary })).status).toBe(422);
  });
});
