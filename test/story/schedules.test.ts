import { describe, expect, it } from "vitest";
import { BEGIN, type ExportReply, type ExportRunReply, startExportRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startExportRig());

const schedule = async (interval_hours: number, start_time = BEGIN) =>
  rig.createExport({ interval_hours, start_time });
const spawnedBy = async (id: string) =>
  (await rig.call<ExportReply[]>("GET", "/api/v1/bulk-exports")).body
    .filter((one) => one.source_bulk_export_id === id)
    .reverse();
const spawnedRunsOf = async (id: string) =>
  (await rig.call<ExportRunReply[]>("GET", `/api/v1/bulk-exports/runs?source_bulk_export_id=${id}`)).body;

describe("a scheduled export (§3.3)", () => {
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

  it("can be cancelled before its first window is over", async () => {
    const { body } = await schedule(1);
    await rig.cancel(body.id);
    await rig.advance("P1D");
    expect(await spawnedBy(body.id)).toEqual([]);
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
