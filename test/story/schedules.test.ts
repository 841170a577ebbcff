import { describe, expect, it } from "vitest";
import { BEGIN, type ExportReply, startExportRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startExportRig());

const schedule = async (interval_hours: number, start_time = BEGIN) =>
  rig.createExport({ interval_hours, start_time });
const spawnedBy = async (id: string) =>
  (await rig.call<ExportReply[]>("GET", "/api/v1/bulk-exports")).body
    .filter((one) => one.source_bulk_export_id === id)
    .reverse();

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
