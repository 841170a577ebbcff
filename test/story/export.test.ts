import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { COLUMN_NAMES } from "../../contracts/spec/bulk-exports/columns.ts";
import { duck } from "../support/duckdb.ts";
import { createExport, DESTINATION, startExportRig } from "../support/emulator.ts";
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

  it("writes the column types of v2_beta and of v1 (§2.7)", async () => {
    const typesOf = async (format_version: string) => {
      const { body } = await rig.createExport({ format_version });
      await rig.complete(body.id);
      const rows = await duck<{ column_name: string; column_type: string }>(
        `describe select * exclude (export_id, year, month, day) from read_parquet('${globOf(body.id)}')`,
      );
      return Object.fromEntries(rows.map(({ column_name, column_type }) => [column_name, column_type]));
    };
    const v2 = await typesOf("v2_beta");
    expect(Object.keys(v2)).toEqual(COLUMN_NAMES);
    expect(v2).toMatchObject({
      id: "VARCHAR",
      start_time: "TIMESTAMP WITH TIME ZONE",
      tags: "VARCHAR[]",
      total_cost: "DECIMAL(38,12)",
      inputs: "JSON",
      is_root: "BOOLEAN",
      total_tokens: "BIGINT",
    });
    expect(await typesOf("v1")).toMatchObject({
      start_time: "TIMESTAMP",
      tags: "VARCHAR",
      total_cost: "DOUBLE",
      inputs: "VARCHAR",
    });
  });

  it("writes the export_fields in the requested order, with every codec", async () => {
    const export_fields = ["start_time", "id", "tenant_id", "is_root", "name"];
    for (const [compression, codec] of [
      ["none", "UNCOMPRESSED"],
      ["snappy", "SNAPPY"],
      ["gzip", "GZIP"],
      ["zstandard", "ZSTD"],
    ]) {
      const { body } = await rig.createExport({ export_fields, compression });
      expect(body).toMatchObject({ export_fields, compression });
      await rig.complete(body.id);
      const metadata = await duck<{ compression: string; path_in_schema: string }>(
        `select distinct compression, path_in_schema, column_id from parquet_metadata('${globOf(body.id)}') order by column_id`,
      );
      expect(metadata.map(({ path_in_schema }) => path_in_schema)).toEqual(export_fields);
      expect(new Set(metadata.map((row) => row.compression))).toEqual(new Set([codec]));
      expect(await rig.verify(body.id)).toMatchObject({ ok: true, rows: 60 });
    }
  });

  it("includes its start, excludes its end, and writes no files for days without rows", async () => {
    const at = async (start_time: string, end_time: string) => {
      const { body } = await rig.createExport({ start_time, end_time });
      await rig.complete(body.id);
      return (await rig.runsOf(body.id)).map((run) => [run.rows_exported, run.metadata.files.length]);
    };
    expect(await at("2026-02-20T12:00:00Z", "2026-02-22T06:00:00Z")).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    const id = "aaaaaaaa-0000-4000-8000-000000000001";
    const post = {
      id,
      name: "edge",
      run_type: "chain",
      session_id: rig.prepared.projectId,
      start_time: "2026-01-10T10:00:00Z",
    };
    expect((await rig.call("POST", "/runs", post)).status).toBe(202);
    expect(await at("2026-01-10T10:00:00Z", "2026-01-10T10:00:01Z")).toEqual([[1, 1]]);
    expect(await at("2026-01-10T09:00:00Z", "2026-01-10T10:00:00Z")).toEqual([[0, 0]]);
  });

  it("puts the bucket's name into the prefix only on request", async () => {
    const config = { ...DESTINATION.config, include_bucket_in_prefix: true };
    const { body: destination } = await rig.call<{ id: string }>(
      "POST",
      "/api/v1/bulk-exports/destinations",
      { ...DESTINATION, config },
    );
    const { body } = await createExport(rig, { ...rig.prepared, destinationId: destination.id });
    await rig.complete(body.id);
    for (const file of await filesOf(body.id))
      expect(file.startsWith(`traces/traces/exports/export_id=${body.id}/`)).toBe(true);
    expect((await rig.verify(body.id)).ok).toBe(true);
  });

  it("does not export rows that arrive after its runs began (§3.3-5)", async () => {
    const { body } = await rig.createExport({
      start_time: "2025-12-01T00:00:00Z",
      end_time: "2025-12-02T00:00:00Z",
    });
    const row = (id: string) => ({
      id,
      name: "late",
      run_type: "chain",
      session_id: rig.prepared.projectId,
      start_time: "2025-12-01T05:00:00Z",
    });
    await rig.call("POST", "/runs", row("bbbbbbbb-0000-4000-8000-000000000001"));
    await rig.advance("PT1S");
    await rig.call("POST", "/runs", row("bbbbbbbb-0000-4000-8000-000000000002"));
    await rig.complete(body.id);
    expect(await rig.verify(body.id)).toEqual({ ok: true, rows: 1, files: 1, problems: [] });
  });
});

describe("cancelling (§4.7)", () => {
  it("ends an export for good", async () => {
    const { body } = await rig.createExport();
    expect((await rig.cancel(body.id)).body).toMatchObject({ id: body.id, status: "CANCELLED" });
    await rig.advance("PT1H");
    expect(await rig.statusOf(body.id)).toBe("CANCELLED");
    expect(await rig.runsOf(body.id)).toEqual([]);
    expect((await rig.cancel(body.id)).status).toBe(409);
  });

  it("of a RUNNING export cancels its unfinished runs", async () => {
    const { body } = await rig.createExport();
    await rig.advance("PT1S");
    expect(await rig.statusOf(body.id)).toBe("RUNNING");
    await rig.cancel(body.id);
    expect((await rig.runsOf(body.id)).map(({ status }) => status)).toEqual([
      "CANCELLED",
      "CANCELLED",
      "CANCELLED",
    ]);
  });

  it("PATCH accepts only the status Cancelled, and answers 409 after the end", async () => {
    const { body } = await rig.createExport();
    for (const wrong of [{ status: "CANCELLED" }, { status: "Running" }, {}, []])
      expect((await rig.cancel(body.id, wrong)).status).toBe(422);
    await rig.complete(body.id);
    expect(await rig.statusOf(body.id)).toBe("COMPLETED");
    expect((await rig.cancel(body.id)).status).toBe(409);
  });
});
