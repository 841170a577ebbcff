import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../emulator/runtime/index.ts";
import { duck } from "../support/duckdb.ts";
import { DESTINATION, startExportRig } from "../support/emulator.ts";

const ROLE = "arn:aws:iam::123456789012:role/exports";
const DESTINATIONS = "/api/v1/bulk-exports/destinations";
const { credentials, ...withoutKeys } = DESTINATION;
const withRole = { ...withoutKeys, config: { ...DESTINATION.config, aws_role_arn: ROLE } };

type ExportRig = Awaited<ReturnType<typeof startExportRig>>;

let rig: ExportRig;
const begin =
  (options: EmulatorOptions = {}, generate: Record<string, unknown> = {}) =>
  async () => {
    rig = await startExportRig(options, generate);
  };
const end = () => rig.close();

const detailOf = async (reply: Promise<{ status: number; body: object }>) => {
  const { status, body } = await reply;
  return [status, (body as { detail?: string }).detail];
};

describe("what is newer than the specification, in the profile spec", () => {
  beforeAll(begin());
  afterAll(end);

  it("is refused by name, with the profile that accepts it", async () => {
    const destination = `${DESTINATIONS}/${rig.prepared.destinationId}`;
    const bodies = [
      ["body.all_experiments", rig.createExport({ session_id: undefined, all_experiments: true })],
      ['body.export_fields[1]: "feedbacks"', rig.createExport({ export_fields: ["id", "feedbacks"] })],
      ["body.config.aws_role_arn", rig.call("POST", DESTINATIONS, withRole)],
      ["body.config.aws_role_arn", rig.call("PATCH", destination, { config: { aws_role_arn: ROLE } })],
    ] as const;
    for (const [name, reply] of bodies) {
      const [status, detail] = await detailOf(reply);
      expect([status, detail]).toEqual([
        422,
        expect.stringContaining(`${name}: newer than the specification`),
      ]);
      expect(detail).toMatch(/--profile observed .*not-emulated\.md/);
    }
  });

  it("is ignored when it is false or null, and replies do not have it", async () => {
    const { status, body } = await rig.createExport({ all_experiments: false });
    expect([status, "all_experiments" in body]).toEqual([200, false]);
    const config = { ...DESTINATION.config, aws_role_arn: null };
    const destination = await rig.call<{ config: object }>("POST", DESTINATIONS, { ...DESTINATION, config });
    expect([destination.status, "aws_role_arn" in destination.body.config]).toEqual([200, false]);
  });
});

describe("an export of all experiments", () => {
  beforeAll(begin({ profile: "observed" }));
  afterAll(end);

  const experiment = (id: string, name: string) =>
    rig.call("POST", "/sessions", { id, name, reference_dataset_id: "00000000-0000-4000-8000-00000000da7a" });
  const row = (id: string, session_id: string, start_time: string) => ({
    ...{ id, session_id, start_time, name: "trial", run_type: "chain" },
  });

  it("writes the rows of every experiment, and of no other project", async () => {
    const [one, two] = ["00000000-0000-4000-8000-0000000000e1", "00000000-0000-4000-8000-0000000000e2"];
    await experiment(one, "first");
    await experiment(two, "second");
    const post = [
      row("00000000-0000-4000-8000-0000000000a1", one, "2026-02-25T01:00:00Z"),
      row("00000000-0000-4000-8000-0000000000a2", two, "2026-02-26T01:00:00Z"),
    ];
    expect((await rig.call("POST", "/runs/batch", { post })).status).toBe(202);
    const both = await detailOf(rig.createExport({ all_experiments: true }));
    expect(both).toEqual([422, expect.stringContaining("body.all_experiments: must be omitted")]);
    expect((await rig.createExport({ session_id: undefined })).status).toBe(422);

    const { body } = await rig.createExport({ session_id: undefined, all_experiments: true });
    expect(body).toMatchObject({ session_id: null, all_experiments: true });
    await rig.emulator.clock.advance({ until: { export: body.id, status: "COMPLETED" } });
    const { body: runs } = await rig.call<{ session_id: string }[]>(
      "GET",
      `/api/v1/bulk-exports/${body.id}/runs`,
    );
    expect(runs.map(({ session_id }) => session_id)).toEqual([one, two, one, two, one, two]);
    expect(await rig.verify(body.id)).toEqual({ ok: true, rows: 2, files: 2, problems: [] });
    const why = (id: string) =>
      rig.emulator.control<{ why: string }>("GET", `/exports/${body.id}/explain?run=${id}`);
    expect(await why(post[1]?.id ?? "")).toMatchObject({ included: true, project: { matches: true } });
    const rows = await rig.call<{ runs: { id: string }[] }>("POST", "/runs/query", {
      session: [rig.prepared.projectId],
      limit: 1,
    });
    expect((await why(rows.body.runs[0]?.id ?? "")).why).toBe("The row belongs to another project.");
  });

  it("is complete at once where there is none, and bounded", async () => {
    const elsewhere = { "x-tenant-id": "00000000-0000-4000-8000-000000000002" };
    const { body: destination } = await rig.call<{ id: string }>(
      "POST",
      DESTINATIONS,
      DESTINATION,
      elsewhere,
    );
    const order = {
      bulk_export_destination_id: destination.id,
      all_experiments: true,
      start_time: "2026-02-25T00:00:00Z",
      end_time: "2026-02-28T00:00:00Z",
    };
    const { body } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports", order, elsewhere);
    await rig.advance("PT1S");
    expect(
      (await rig.call("GET", `/api/v1/bulk-exports/${body.id}`, undefined, elsewhere)).body,
    ).toMatchObject({
      status: "Completed",
    });
    const long = { session_id: undefined, all_experiments: true, start_time: "1950-01-01T00:00:00Z" };
    const [status, detail] = await detailOf(rig.createExport(long));
    expect([status, detail]).toEqual([
      422,
      expect.stringMatching(/days of 2 projects; .+limits\.export_days/),
    ]);
  });
});

describe("the column feedbacks", () => {
  beforeAll(begin({ profile: "observed" }));
  afterAll(end);

  it.each(["v1", "v2_beta"])(
    "has the feedback of each row in %s, if it is requested",
    async (format_version) => {
      const run = { id: "00000000-0000-4000-8000-0000000000b1", name: "rated", run_type: "chain" };
      await rig.call("POST", "/runs", {
        ...run,
        session_id: rig.prepared.projectId,
        start_time: "2026-02-25T03:00:00Z",
      });
      const sentText = `{"id":"00000000-0000-4000-8000-0000000000f1","run_id":"${run.id}","key":"mood","value":10.0}`;
      await rig.call("POST", "/feedback", sentText);
      const { body } = await rig.createExport({ export_fields: ["id", "feedbacks"], format_version });
      await rig.complete(body.id);
      expect(await rig.verify(body.id)).toMatchObject({ ok: true, problems: [] });
      const { objects_folder } = await rig.emulator.control<{ objects_folder: string }>("GET", "/status");
      const files = join(objects_folder, `traces/traces/exports/export_id=${body.id}/**/*.parquet`);
      const rows = await duck<{ id: string; feedbacks: string }>(
        `select id, feedbacks from read_parquet('${files}')`,
      );
      const rated = rows.filter(({ feedbacks }) => feedbacks !== "[]");
      expect(rated.map(({ id }) => id)).toEqual([run.id]);
      expect(JSON.parse(rated[0]?.feedbacks ?? "")).toMatchObject([
        { ...JSON.parse(sentText), comment: null },
      ]);
      expect(rated[0]?.feedbacks).toContain('"value":10.0');

      const usual = await rig.createExport({ format_version });
      await rig.complete(usual.body.id);
      const all = join(objects_folder, `traces/traces/exports/export_id=${usual.body.id}/**/*.parquet`);
      const [first] = await duck<object>(`select * from read_parquet('${all}') limit 1`);
      expect(Object.keys(first ?? {})).not.toContain("feedbacks");
    },
  );
});

describe("a destination with a role", () => {
  beforeAll(begin({ profile: "observed" }));
  afterAll(end);

  it("opens the embedded store, and can be exchanged for credentials and back", async () => {
    const { status, body } = await rig.call<{ id: string }>("POST", DESTINATIONS, withRole);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        credentials_keys: [],
        config: expect.objectContaining({ aws_role_arn: ROLE }),
      }),
    ]);
    const path = `${DESTINATIONS}/${body.id}`;
    const exportTo = async () => {
      const { body: created } = await rig.createExport({ bulk_export_destination_id: body.id });
      await rig.complete(created.id);
      expect(await rig.verify(created.id)).toMatchObject({ ok: true, rows: 60 });
    };
    await exportTo();
    const switched = await rig.call("PATCH", path, { credentials });
    expect(switched.body).toMatchObject({
      config: { aws_role_arn: null },
      credentials_keys: ["access_key_id", "secret_access_key"],
    });
    await exportTo();
    const back = await rig.call("PATCH", path, { config: { aws_role_arn: ROLE, bucket_name: "other" } });
    expect(back.body).toMatchObject({
      config: { aws_role_arn: ROLE, bucket_name: "traces" },
      credentials_keys: [],
    });
  });

  it("is refused with credentials, another form, or another store", async () => {
    const elsewhere = { ...withRole.config, endpoint_url: "http://127.0.0.1:1" };
    const spelled = { ...withRole.config, aws_role_arn: "exports" };
    for (const [body, message] of [
      [{ ...withRole, credentials }, "excludes credentials"],
      [{ ...withRole, config: spelled }, 'written as "arn:aws:iam::123456789012:role/exports"'],
      [{ ...withRole, config: elsewhere }, "does not call STS"],
      [withoutKeys, "body.credentials: is required"],
    ] as const)
      expect((await detailOf(rig.call("POST", DESTINATIONS, body)))[1]).toContain(message);
    const path = `${DESTINATIONS}/${rig.prepared.destinationId}`;
    for (const body of [{}, { credentials, config: { aws_role_arn: ROLE } }])
      expect((await rig.call("PATCH", path, body)).status).toBe(422);
  });
});

describe("the limits of a hosted workspace", () => {
  const limits = { export_creations_per_hour: 3, active_schedules_per_workspace: 1 };
  const hourly = { interval_hours: 1, start_time: "2026-03-01T00:00:00Z" };

  it("counts spawned exports, and refuses one too many for an hour (429)", async () => {
    await begin({ profile: "observed", limits })();
    expect((await rig.createExport(hourly)).status).toBe(200);
    const [second, detail] = await detailOf(rig.createExport(hourly));
    expect([second, detail]).toEqual([429, expect.stringContaining("limits.active_schedules_per_workspace")]);
    await rig.advance("PT70M");
    for (const expected of [200, 200, 429]) expect((await rig.createExport()).status).toBe(expected);
    const [, refusal] = await detailOf(rig.createExport());
    expect(refusal).toMatch(/Wait until 2026-03-01T02:10:00.+limits\.export_creations_per_hour/);
    await rig.advance("PT59M59S");
    expect((await rig.createExport()).status).toBe(429);
    await end();
  });

  it.each([{ profile: "spec" }, { profile: "observed", deployment: "self-hosted" }] as const)(
    "does not hold for %s",
    async (options) => {
      await begin({ ...options, limits })();
      for (let count = 0; count < 4; count += 1) expect((await rig.createExport(hourly)).status).toBe(200);
      await end();
    },
  );
});
