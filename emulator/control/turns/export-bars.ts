import { projectNameOf } from "../../subjects/bulk-exports/overview.ts";
import { type BulkExport, EXPORT_RUNS, EXPORTS, SPAWNED } from "../../subjects/bulk-exports/records.ts";
import type { Reader } from "../../subjects/turn.ts";
import { type Bar, barsIn, mergedBars } from "./bars.ts";
import { type BarLane, type BarPart, barLane, type ExportBar, type ExportBars } from "./lanes.ts";
import type { TurnIndex } from "./turn-index.ts";

/** A bar shows at most so many of its runs: there is no room for more. */
const MAX_RUNS_OF_BAR = 10;
/** More bars have no room for their parts. */
const MAX_BARS_WITH_PARTS = 24;
/** A year of daily exports stays separate: merged ones would leave gaps on a wide axis. */
const MAX_PARTS = 400;

/** The bars of the exports of a world, with their runs; a schedule is a bar with its exports. */
export function exportBarsOf(reader: Reader, failed: TurnIndex["moves"]["failed"]): ExportBars {
  return (from, to, stepMs, isUnchanged): BarLane<ExportBar> => {
    const total = reader.count(EXPORTS);
    if (isUnchanged) return { total };
    const own = [...reader.list(EXPORTS)].filter((record) => !isSpawned(reader, record)).map(barOf);
    const { bars } = barLane(own, from, to, stepMs);
    const records = bars.map((bar) => (bar.count === undefined ? reader.get(EXPORTS, bar.id) : undefined));
    const bands = records.filter((record) => record && isSchedule(record)).length;
    const mostParts = Math.max(2, Math.floor(MAX_PARTS / Math.max(1, bands)));
    const visibleParts = (record: BulkExport, parts: readonly BarPart[]) => {
      if (bars.length > MAX_BARS_WITH_PARTS) return [];
      if (!isSchedule(record)) return parts.slice(0, MAX_RUNS_OF_BAR);
      return mergedBars(barsIn(parts, from, to), stepMs, mostParts);
    };
    const withParts = (bar: Bar, record: BulkExport | undefined) => {
      if (!record) return bar;
      const parts = isSchedule(record) ? spawnedBy(reader, record) : runsOf(reader, record, failed);
      return {
        ...bar,
        project: projectNameOf(reader, record),
        interval_hours: record.interval_hours,
        parts: visibleParts(record, parts),
        parts_total: parts.length,
      };
    };
    return { total, bars: bars.map((bar, index) => withParts(bar, records[index])) };
  };
}

function isSchedule({ interval_hours }: BulkExport): boolean {
  return interval_hours !== null;
}

function isSpawned(reader: Reader, { source_bulk_export_id: source }: BulkExport): boolean {
  return source !== null && reader.get(EXPORTS, source) !== undefined;
}

function runsOf(
  reader: Reader,
  { id }: BulkExport,
  failed: TurnIndex["moves"]["failed"],
): readonly BarPart[] {
  return [...reader.list(EXPORT_RUNS, id)].map((run) => ({
    ...barOf(run),
    label: `run of ${run.start_time.slice(0, 10)}`,
    failed: (failed.byId.get(run.id) ?? []).slice(-MAX_RUNS_OF_BAR).map(({ at }) => at),
  }));
}

function spawnedBy(reader: Reader, { id }: BulkExport): readonly BarPart[] {
  return [...reader.list(SPAWNED, id)].flatMap(({ id: exportId }) => {
    const record = reader.get(EXPORTS, exportId);
    return record ? [barOf(record)] : [];
  });
}

function barOf({
  id,
  status,
  created_at,
  finished_at,
}: Pick<BulkExport, "id" | "status" | "created_at" | "finished_at">): Bar {
  return { id, status, from: created_at, to: finished_at };
}
