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
    });
    await rig.advance("PT0.999S");
    expect(await rig.statusOf(body.id)).toBe("CREATED");
    await rig.advance("PT0.001S");
    expect(await rig.statusOf(body.id)).toBe("RUNNING");
    expect((await rig.complete(body.id)).reached).toBe(true);
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

  it("with a filter has exactly the selected rows, and a note only where it selected none", async () => {
    const exportRows = async (filter: string) => {
      const { body } = await rig.createExport({ filter });
      await rig.complete(body.id);
      const notes = (
        await rig.emulator.control<{ notes?: { kind: string; ref: string }[] }[]>("GET", "/journal")
      )
        .flatMap(({ notes = [] }) => notes)
        .filter(({ kind, ref }) => kind === "filter.selected_nothing" && ref === body.id);
      const rows = (await rig.runsOf(body.id)).reduce((sum, { rows_exported }) => sum + rows_exported, 0);
      expect(await rig.verify(body.id)).toMatchObject({ ok: true, rows });
      return { rows, notes };
    };
    const some = await exportRows('or(eq(run_type, "llm"), gt(latency, "1s"))');
    expect([some.rows > 0, some.notes]).toEqual([true, []]);
    const filter = 'eq(name, "no such name")';
    const detail = { filter, days_with_rows: 3 };
    expect(await exportRows(filter)).toMatchObject({ rows: 0, notes: [{ detail }] });
  });

  it("that waits for a slot is listed with the clock, in the order of creation", async () => {
    const limits = { max_concurrent_exports_per_workspace: 1, max_concurrent_runs_per_export: 1 };
    const busy = await startExportRig({ limits });
    await busy.arm({ target: "worker", match: { at: "run.started" }, then: { stall: "PT1H" }, times: 9 });
    const [first, ...others] = [
      await busy.createExportId(),
      await busy.createExportId(),
      await busy.createExportId(),
    ];
    await busy.advance("PT2S");
    const { waiting_for_capacity } = await busy.emulator.control<{
      waiting_for_capacity: { ref: string; pool: string }[];
    }>("GET", "/clock");
    const waiting = (name: string) => waiting_for_capacity.filter(({ pool }) => pool.startsWith(name));
    expect(waiting("exports:").map(({ ref }) => ref)).toEqual(others);
    expect(waiting("runs:")[0]).toMatchObject({ pool: `runs:${first}` });
    await busy.close();
  });
});
