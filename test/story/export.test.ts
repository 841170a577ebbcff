import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { duck } from "../support/duckdb.ts";
import { startExportRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("file", () => startExportRig());
let folder: string;

beforeAll(async () => {
  folder = (await rig.emulator.control<{ objects_folder: string }>("GET", "/status")).objects_folder;
});

const filesOf = async (id: string) => (await rig.runsOf(id)).flatMap((run) => run.metadata.files);
const globOf = (id: string) => join(folder, `traces/exports/export_id=${id}/**/*.parquet`);

describe("a one-off export (§2.5, §3.1, §4.3)", () => {
  it("is CREATED, then RUNNING after a second, then COMPLETED, and its files hold every row", async () => {
    const { status, body } = await rig.createExport({ format_version: "v2_beta" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "CREATED",
      session_id: rig.prepared.projectId,
      bulk_export_destination_id: rig.prepared.destinationId,
      start_time: "2026-02-25T00:00:00.000000Z",
      end_time: "2026-02-28T00:00:00.000000Z",
      filter: null,
      export_fields: null,
      interval_hours: null,
      finished_at: null,
      source_bulk_export_id: null,
    });
    await rig.advance("PT0.999S");
    expect(await rig.statusOf(body.id)).toBe("CREATED");
    await rig.advance("PT0.001S");
    expect(await rig.statusOf(body.id)).toBe("RUNNING");
    expect((await rig.complete(body.id)).reached).toBe(true);

    const runs = await rig.runsOf(body.id);
    expect(runs.map(({ start_time, end_time }) => [start_time.slice(0, 10), end_time.slice(0, 10)])).toEqual([
      ["2026-02-25", "2026-02-26"],
      ["2026-02-26", "2026-02-27"],
      ["2026-02-27", "2026-02-28"],
    ]);
    for (const run of runs)
      expect(run).toMatchObject({
        status: "COMPLETED",
        errors: {},
        metadata: { rows_exported: run.rows_exported },
      });
    expect(runs.reduce((sum, run) => sum + run.rows_exported, 0)).toBe(60);
    expect(await rig.verify(body.id)).toEqual({ ok: true, rows: 60, files: 3, problems: [] });
  });

  it("writes the path shape of §2.8, which DuckDB reads as Hive partitions", async () => {
    const { body } = await rig.createExport();
    await rig.complete(body.id);
    for (const file of await filesOf(body.id))
      expect(file).toMatch(
        new RegExp(
          `^traces/exports/export_id=${body.id}/tenant_id=00000000-0000-4000-8000-000000000001/session_id=${rig.prepared.projectId}/runs/year=2026/month=02/day=2[567]/part-00000\\.parquet$`,
        ),
      );
    const [counted] = await duck<{ rows: string; days: string }>(
      `select count(*) as rows, count(distinct day) as days from read_parquet('${globOf(body.id)}', hive_partitioning = true)`,
    );
    expect(counted).toEqual({ rows: "60", days: "3" });
  });
});

describe("cancelling (§4.7)", () => {
  it("accepts only the status Cancelled", async () => {
    const { body } = await rig.createExport();
    for (const wrong of [{ status: "CANCELLED" }, { status: "Running" }, {}, []])
      expect((await rig.cancel(body.id, wrong)).status).toBe(422);
  });
});
