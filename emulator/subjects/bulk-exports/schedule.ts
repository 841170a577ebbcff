import { formatInstant, parseInstant } from "../../kernel/instant.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import type { Event, Reader, Turn } from "../turn.ts";
import { startExport } from "./export.ts";
import { isFinal, moveExport } from "./lifecycle.ts";
import { addHours } from "./partitions.ts";
import { type BulkExport, EXPORTS, SPAWNED } from "./records.ts";

/** §3.3: schedules the export of the next window, ten minutes after the window ends. */
export function scheduleSpawn(turn: Turn, schedule: BulkExport, start: string): void {
  const end = addHours(start, schedule.interval_hours as number);
  if (end === undefined) return;
  const dueAt = (parseInstant(end) as number) + turn.ports.settings.timings.spawn_grace_ms;
  // Past windows are exported at once, oldest first (§3.3-6).
  const afterMs = Math.max(0, dueAt - turn.now);
  turn.schedule({ kind: "export.spawn", ref: schedule.id, afterMs, data: { start, end } });
}

/** `export.spawn`: the next window starts at the end of this one, whatever the current time is (§3.3-2). */
export function onSpawn(turn: Turn, { ref, data: { start, end } }: Event<"export.spawn">): void {
  const record = turn.get(EXPORTS, ref);
  if (!record || isFinal(record)) return;
  const schedule = record.status === "CREATED" ? moveExport(turn, record, "spawn") : record;
  const spawnedExport: BulkExport = {
    ...schedule,
    id: turn.nextId("bulk_export"),
    start_time: start,
    end_time: end,
    interval_hours: null,
    status: "CREATED",
    created_at: turn.now,
    updated_at: turn.now,
    finished_at: null,
    source_bulk_export_id: schedule.id,
  };
  turn.put(EXPORTS, spawnedExport);
  turn.put(SPAWNED, { id: spawnedExport.id, source: schedule.id });
  if (!turn.get(DESTINATIONS, spawnedExport.bulk_export_destination_id))
    noteMissingDestination(turn, spawnedExport);
  turn.note("export.spawned", spawnedExport.id, {
    source: schedule.id,
    start,
    end,
    at: formatInstant(turn.now),
  });
  startExport(turn, spawnedExport);
  scheduleSpawn(turn, schedule, end);
}

/** The schedule continues (assumption export.schedule_without_destination). The note in the journal names the reason. */
function noteMissingDestination(turn: Turn, spawnedExport: BulkExport): void {
  const { bulk_export_destination_id: destination, source_bulk_export_id: schedule } = spawnedExport;
  const message = `Destination ${destination} was deleted, so this export and all later ones of the schedule fail. Cancel the schedule.`;
  turn.note("schedule.destination_gone", schedule as string, {
    export: spawnedExport.id,
    destination,
    message,
  });
}

/** Active schedules whose destination was deleted: every export that they spawn fails (§7.3-5). */
export function schedulesWithoutDestination(reader: Reader): readonly string[] {
  const ids: string[] = [];
  for (const record of reader.list(EXPORTS)) {
    const { interval_hours, bulk_export_destination_id: destination } = record;
    if (interval_hours === null || isFinal(record) || reader.get(DESTINATIONS, destination)) continue;
    ids.push(record.id);
  }
  return ids;
}

/** The number of past windows, with which a new schedule would have to catch up. */
export function pastWindows(start: string, intervalHours: number, now: number): number {
  return Math.max(0, Math.floor((now - (parseInstant(start) as number)) / (intervalHours * 3_600_000)));
}
