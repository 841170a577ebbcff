import { formatInstant, parseInstant } from "../../kernel/instant.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import type { Event, Reader, Turn } from "../turn.ts";
import { startExport } from "./export.ts";
import { isFinal, moveExport } from "./lifecycle.ts";
import { addHours } from "./partitions.ts";
import { type BulkExport, EXPORTS, SPAWNED } from "./records.ts";

/** §3.3: makes the export of a schedule's next window due, ten minutes after the window ends. */
export function scheduleSpawn(turn: Turn, schedule: BulkExport, start: string): void {
  const end = addHours(start, schedule.interval_hours as number);
  if (end === undefined) return;
  const dueAt = (parseInstant(end) as number) + turn.ports.settings.timings.spawn_grace_ms;
  // Windows that are over already are caught up with at once, oldest first (§3.3-6).
  const afterMs = Math.max(0, dueAt - turn.now);
  turn.schedule({ kind: "export.spawn", ref: schedule.id, afterMs, data: { start, end } });
}

/** `export.spawn`: the next window follows from this one, never from the time of day (§3.3-2). */
export function onSpawn(turn: Turn, { ref, data: { start, end } }: Event<"export.spawn">): void {
  const found = turn.get(EXPORTS, ref);
  if (!found || isFinal(found)) return;
  const schedule = found.status === "CREATED" ? moveExport(turn, found, "spawn") : found;
  const spawned: BulkExport = {
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
  turn.put(EXPORTS, spawned);
  turn.put(SPAWNED, { id: spawned.id, source: schedule.id });
  if (!turn.get(DESTINATIONS, spawned.bulk_export_destination_id)) noteDestinationGone(turn, spawned);
  turn.note("export.spawned", spawned.id, { source: schedule.id, start, end, at: formatInstant(turn.now) });
  startExport(turn, spawned);
  scheduleSpawn(turn, schedule, end);
}

/** The schedule goes on (assumption export.schedule_without_destination): whoever forgot it can see it here. */
function noteDestinationGone(turn: Turn, spawned: BulkExport): void {
  const { bulk_export_destination_id: destination, source_bulk_export_id: schedule } = spawned;
  const message = `Its destination ${destination} is gone: this export fails, and so will all that follow; cancel the schedule.`;
  turn.note("schedule.destination_gone", schedule as string, { export: spawned.id, destination, message });
}

/** Schedules in force whose destination is gone: whatever they spawn fails (§7.3-5). */
export function schedulesWithoutDestination(reader: Reader): readonly string[] {
  const ids: string[] = [];
  for (const record of reader.all(EXPORTS)) {
    const { interval_hours, bulk_export_destination_id: destination } = record;
    if (interval_hours === null || isFinal(record) || reader.get(DESTINATIONS, destination)) continue;
    ids.push(record.id);
  }
  return ids;
}

/** How many windows of a schedule are over at an instant: what it would have to catch up with. */
export function pastWindows(start: string, intervalHours: number, now: number): number {
  return Math.max(0, Math.floor((now - (parseInstant(start) as number)) / (intervalHours * 3_600_000)));
}
