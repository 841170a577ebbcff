import { counted } from "../../contracts/report/counted.ts";
import type { Verification } from "../../emulator/subjects/control-operation.ts";
import { type BulkExport, exportsOf } from "../export/resources.ts";
import type { RunningWorld } from "../running.ts";

/** A scheduled export, over three windows. */
export interface ScheduledExport {
  readonly id: string;
  readonly spawned: readonly BulkExport[];
  readonly verdict: Verification;
}

const INTERVAL_HOURS = 6;
const WINDOWS = 3;
/** The last window, its ten minutes of delay, and a minute for its files. */
const TIMEOUT = `PT${WINDOWS * INTERVAL_HOURS}H11M`;

/** Creates an export with a six-hour schedule from `start` on and moves the clock through three windows. */
export async function exportOnSchedule(
  world: RunningWorld,
  body: { readonly projectId: string; readonly destinationId: string; readonly start: string },
): Promise<ScheduledExport> {
  const { api, client } = world;
  const { id } = await api<{ readonly id: string }>("POST", "/api/v1/bulk-exports", {
    bulk_export_destination_id: body.destinationId,
    session_id: body.projectId,
    start_time: body.start,
    interval_hours: INTERVAL_HOURS,
    format_version: "v2_beta",
  });
  await client.clock.advance(TIMEOUT);
  const spawnedExports = (await exportsOf(world))
    .filter(({ source_bulk_export_id }) => source_bulk_export_id === id)
    .reverse();
  const verdict = await client.exports.verify(id);
  return { id, spawned: spawnedExports, verdict };
}

/** True when every window was spawned and all of its rows are exported. */
export function isWhole({ spawned, verdict }: ScheduledExport): boolean {
  return verdict.ok && verdict.rows > 0 && spawned.length === WINDOWS;
}

export function scheduleLines({ id, spawned, verdict }: ScheduledExport): string[] {
  const clock = (time: string | null) => time?.slice(11, 16);
  return [
    `6 Schedule      ${id}, every ${INTERVAL_HOURS} hours; traces of the next day were sent, and the clock was moved by ${TIMEOUT}:`,
    ...spawned.map(
      (each) =>
        `                ${clock(each.start_time)} to ${clock(each.end_time)}  spawned at ${clock(each.created_at)}  ${each.status}`,
    ),
    `7 Read back     ${verdict.ok ? "verified" : counted(verdict.problems.length, "problem")}, ${counted(verdict.rows, "row")} in ${counted(verdict.files, "file")}`,
  ];
}
