import { GetObjectCommand } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { readParquet } from "../../contracts/targets/parquet.ts";
import { BEGIN, type ExportReply, type ExportRunReply, startExportRig } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startExportRig());

const schedule = async (interval_hours: unknown, start_time = BEGIN) =>
  rig.createExport({ interval_hours, start_time });
const spawnedBy = async (id: string) =>
  (await rig.call<ExportReply[]>("GET", "/api/v1/bulk-exports")).body
    .filter((one) => one.source_bulk_export_id === id)
    .reverse();
const spawnedRunsOf = async (id: string) =>
  (await rig.call<ExportRunReply[]>("GET", `/api/v1/bulk-exports/runs?source_bulk_export_id=${id}`)).body;
const shape = ({ start_time, end_time, created_at }: ExportReply) =>
  [start_time, end_time ?? "", created_at].map((time) => time.slice(5, 16)).join(" ");

describe("a scheduled export (§3.3)", () => {
  it("spawns contiguous windows ten minutes after each has ended (example of §3.3, six hours)", async () => {
    const { body } = await schedule(6);
    expect(body).toMatchObject({
      status: "CREATED",
      interval_hours: 6,
      end_time: null,
      source_bulk_export_id: null,
    });
    await rig.advance({ to: "2026-03-01T06:09:59.999Z" });
    expect(await spawnedBy(body.id)).toEqual([]);
    await rig.advance({ to: "2026-03-01T06:10:00Z" });
    expect(await spawnedBy(body.id)).toHaveLength(1);
    await rig.advance("P1D");
    expect((await spawnedBy(body.id)).map(shape)).toEqual([
      "03-01T00:00 03-01T06:00 03-01T06:10",
      "03-01T06:00 03-01T12:00 03-01T12:10",
      "03-01T12:00 03-01T18:00 03-01T18:10",
      "03-01T18:00 03-02T00:00 03-02T00:10",
      "03-02T00:00 03-02T06:00 03-02T06:10",
    ]);
    for (const one of await spawnedBy(body.id))
      expect(one).toMatchObject({
        status: "COMPLETED",
        interval_hours: null,
        source_bulk_export_id: body.id,
      });
    expect(await rig.statusOf(body.id)).toBe("RUNNING");
    expect((await spawnedRunsOf(body.id)).map(({ status }) => status)).toEqual(Array(5).fill("COMPLETED"));
  });

  it("exports rows that arrive within the ten minutes, and no later rows (§3.3-5)", async () => {
    const { body } = await schedule(1);
    const send = (nth: number) =>
      rig.call("POST", "/runs", {
        id: `aaaaaaaa-0000-4000-8000-00000000000${nth}`,
        name: "late",
        run_type: "chain",
        session_id: rig.prepared.projectId,
        start_time: "2026-03-01T00:30:00Z",
      });
    await rig.advance({ to: "2026-03-01T00:45:00Z" });
    await send(1);
    await rig.advance({ to: "2026-03-01T01:09:59Z" });
    await send(2);
    await rig.advance({ to: "2026-03-01T01:10:00Z" });
    await send(3);
    await rig.advance("PT1M");
    const [spawnedExports] = await spawnedBy(body.id);
    expect(
      (await spawnedRunsOf(body.id)).map((run) => [run.rows_exported, run.created_at.slice(11, 19)]),
    ).toEqual([[2, "01:10:00"]]);
    expect(await rig.verify(spawnedExports?.id as string)).toMatchObject({ ok: true, rows: 2 });
    const late = await rig.emulator.control<{ included: boolean; late: boolean }>(
      "GET",
      `/exports/${body.id}/explain?run=aaaaaaaa-0000-4000-8000-000000000003`,
    );
    expect(late).toMatchObject({ included: false, late: true, export_id: spawnedExports?.id });
  });

  it("catches up with past windows, oldest first (§3.3-6)", async () => {
    const { body } = await schedule(24, "2026-02-25T00:00:00Z");
    await rig.advance("PT5M");
    expect((await spawnedBy(body.id)).map(shape)).toEqual([
      "02-25T00:00 02-26T00:00 03-01T00:00",
      "02-26T00:00 02-27T00:00 03-01T00:00",
      "02-27T00:00 02-28T00:00 03-01T00:00",
    ]);
    const rows = (await spawnedRunsOf(body.id)).map(({ rows_exported }) => rows_exported);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(60);
    await rig.advance({ to: "2026-03-01T00:10:00Z" });
    expect((await spawnedBy(body.id)).map(shape).at(-1)).toBe("02-28T00:00 03-01T00:00 03-01T00:10");
    expect(await rig.verify(body.id)).toMatchObject({ ok: true, rows: 60 });
  });

  it("spawns nothing after it is cancelled; exports that it has spawned continue (§3.1-4)", async () => {
    const { body } = await schedule(1, "2026-02-28T23:00:00Z");
    await rig.arm({
      target: "worker",
      match: { at: "export.running" },
      then: { stall: "PT2H" },
    });
    await rig.advance("PT10M");
    const [spawnedExports] = await spawnedBy(body.id);
    expect(spawnedExports?.status).toBe("RUNNING");
    expect((await rig.cancel(body.id)).body.status).toBe("CANCELLED");
    await rig.advance("P2D");
    expect(await spawnedBy(body.id)).toHaveLength(1);
    expect(await rig.statusOf(spawnedExports?.id as string)).toBe("COMPLETED");
    expect(await rig.statusOf(body.id)).toBe("CANCELLED");
    expect((await rig.cancel(body.id)).status).toBe(409);
  });

  it("can be cancelled before its first window is over", async () => {
    const { body } = await schedule(1);
    await rig.cancel(body.id);
    await rig.advance("P1D");
    expect(await spawnedBy(body.id)).toEqual([]);
  });

  it("lets one spawned export be cancelled on its own", async () => {
    const { body } = await schedule(1);
    await rig.arm({
      target: "worker",
      match: { at: "export.running" },
      then: { stall: "PT2H" },
    });
    await rig.advance("PT70M");
    const [first] = await spawnedBy(body.id);
    await rig.cancel(first?.id as string);
    await rig.advance("PT1H");
    expect((await spawnedBy(body.id)).map(({ status }) => status)).toEqual(["CANCELLED", "COMPLETED"]);
  });
});

describe("interval_hours (§2.5-3)", () => {
  it.each([1, 168])("of %s is accepted", async (hours) => {
    const { status, body } = await schedule(hours);
    expect(status).toBe(200);
    await rig.advance(`PT${hours}H10M`);
    expect(await spawnedBy(body.id)).toHaveLength(1);
  });
});

describe("windows are hours of UTC", () => {
  it.each([
    ["the day a clock goes forward", "2026-03-29T00:00:00+01:00"],
    ["the day a clock goes back", "2026-10-25T00:00:00+02:00"],
  ])("on %s as on any other", async (_what, start_time) => {
    const { body } = await schedule(24, start_time);
    await rig.advance({ to: "2026-12-01T00:00:00Z" });
    const starts = (await spawnedBy(body.id)).map((one) => Date.parse(one.start_time));
    expect(starts.length).toBeGreaterThan(30);
    expect(starts[0]).toBe(Date.parse(start_time));
    for (const [nth, start] of starts.entries()) expect(start).toBe((starts[0] as number) + nth * 86_400_000);
  });
});

describe("a schedule whose destination is gone", () => {
  it("continues to spawn, and each export fails at its start (§7.3-5)", async () => {
    const { body } = await schedule(1);
    await rig.call("DELETE", `/api/v1/bulk-exports/destinations/${rig.prepared.destinationId}`);
    await rig.advance("PT2H10M");
    expect((await spawnedBy(body.id)).map(({ status }) => status)).toEqual(["FAILED", "FAILED"]);
    expect(await spawnedRunsOf(body.id)).toEqual([]);
    expect(await rig.statusOf(body.id)).toBe("RUNNING");
  });

  it("is named by the status and, with each export, by the journal, until it is cancelled", async () => {
    const { body } = await schedule(1);
    const other = await schedule(2);
    const eventsNamed = async () =>
      (await rig.emulator.control<{ schedules_without_destination: string[] }>("GET", "/status"))
        .schedules_without_destination;
    expect(await eventsNamed()).toEqual([]);
    await rig.call("DELETE", `/api/v1/bulk-exports/destinations/${rig.prepared.destinationId}`);
    expect((await eventsNamed()).sort()).toEqual([body.id, other.body.id].sort());
    await rig.cancel(other.body.id);
    await rig.advance("PT2H10M");
    const journal = await fetch(`${rig.emulator.url}/_emulator/v1/journal`).then((reply) => reply.text());
    const notes = journal.match(/"schedule\.destination_gone","ref":"[^"]*"/g);
    expect(notes).toEqual(Array(2).fill(`"schedule.destination_gone","ref":"${body.id}"`));
    expect(await eventsNamed()).toEqual([body.id]);
    await rig.cancel(body.id);
    expect(await eventsNamed()).toEqual([]);
  });
});

describe("the options of a schedule (§2.5)", () => {
  it("is in the files of every export that it spawns: rows, columns, types and codec", async () => {
    const [expected, left] = ["kept", "left"] as const;
    const { body } = await rig.createExport({
      interval_hours: 1,
      start_time: BEGIN,
      filter: `eq(name, "${expected}")`,
      export_fields: ["name", "tags", "end_time"],
      format_version: "v2_beta",
      compression: "zstandard",
    });
    const send = (name: string, start_time: string) =>
      rig.call("POST", "/runs", {
        name,
        run_type: "chain",
        session_id: rig.prepared.projectId,
        start_time,
        id: crypto.randomUUID(),
      });
    for (const hour of ["00", "01"])
      for (const name of [expected, left]) await send(name, `2026-03-01T${hour}:30:00Z`);
    await rig.advance("PT2H11M");
    const runs = await spawnedRunsOf(body.id);
    expect(runs.map(({ status, metadata }) => [status, metadata.files.length])).toEqual(
      Array(2).fill(["COMPLETED", 1]),
    );
    const client = objectStore(rig.emulator.s3Url);
    for (const { metadata } of runs) {
      const [path = ""] = metadata.files;
      const Key = path.slice(path.indexOf("/") + 1);
      const { Body } = await client.send(
        new GetObjectCommand({ Bucket: path.slice(0, path.indexOf("/")), Key }),
      );
      const file = await readParquet((await Body?.transformToByteArray()) as Uint8Array);
      expect(file.rows.map(({ name }) => name)).toEqual([expected]);
      expect(file.columns).toEqual([
        { name: "name", type: "STRING", repeated: false },
        { name: "tags", type: "STRING", repeated: true },
        { name: "end_time", type: "TIMESTAMP_UTC", repeated: false },
      ]);
      expect(file.codec).toBe("ZSTD");
    }
    client.destroy();
  });
});
