import { rowFilter } from "../storage/parquet/row-filter.ts";
import { cursorAt, rowOf } from "../storage/rows/lines.ts";
import type { PartitionReader } from "../storage/rows/partition-reader.ts";
import type { BulkExport, ExportRun } from "../subjects/bulk-exports/records.ts";
import { type ComparableRow, comparableStoredRow, type RowForm } from "./comparable-row.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

const BATCH_ROWS = 500;
const BATCH_BYTES = 2 * 1024 * 1024;

/**
 * The rows that the files of a run have to contain, in batches: the selected rows as of the run's mark, or up to
 * the checkpoint of a run that has not completed.
 */
export async function* selectedRows(
  reader: PartitionReader,
  parent: BulkExport,
  run: ExportRun,
  form: RowForm,
): AsyncGenerator<readonly ComparableRow[], undefined> {
  const until = run.status === "COMPLETED" ? undefined : run.latest_cursor;
  if (run.asOf === null || until === null) return;
  const selects = rowFilter(parent.filter, run.tenant_id);
  const window = {
    region: run.region,
    tenantId: run.tenant_id,
    sessionId: run.session_id,
    day: run.start_time.slice(0, 10),
    asOf: run.asOf,
    start: run.start_time,
    end: run.end_time,
  };
  const source = reader.open(window, null);
  for (;;) {
    const batch = source.take(BATCH_ROWS, BATCH_BYTES, true);
    const inside = until ? batch.filter((row) => cursorAt(row) <= until) : batch;
    const rows = inside.map(({ line }) => rowOf(line));
    yield (selects ? rows.filter(selects) : rows).map((row) => comparableStoredRow(form, row));
    if (batch.length === 0 || inside.length < batch.length) return;
    await yieldToEventLoop();
  }
}

/** The selected rows, on demand. */
export interface Selection {
  /** Passes up to `count` rows to `use`. */
  take(count: number, use: (row: ComparableRow) => void): Promise<void>;
}

/** Reads rows from batches on demand. */
export function openSelection(batches: AsyncGenerator<readonly ComparableRow[], undefined>): Selection {
  let batch: readonly ComparableRow[] = [];
  let at = 0;
  return {
    async take(count, use) {
      for (let left = count; left > 0; left -= 1) {
        while (at === batch.length) {
          const next = await batches.next();
          if (next.done) return;
          batch = next.value;
          at = 0;
        }
        use(batch[at] as ComparableRow);
        at += 1;
      }
    },
  };
}
