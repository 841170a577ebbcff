import { rowFilter, selectedRows } from "../storage/parquet/encode-file.ts";
import { cursorAt } from "../storage/rows/lines.ts";
import type { PartitionReader } from "../storage/rows/partition-reader.ts";
import { yieldToEventLoop } from "../storage/yield-to-event-loop.ts";
import { type IsAbandoned, refuseIfAbandoned } from "../subjects/abandoned.ts";
import type { BulkExport, ExportedFile, ExportRun } from "../subjects/bulk-exports/records.ts";
import {
  type ComparableRow,
  canIdentify,
  comparableFileRow,
  comparableStoredRow,
  type RowForm,
} from "./comparable-row.ts";
import { type ExpectedKeys, misplacement } from "./expected-keys.ts";
import { checkColumns, checkCompression, checkCount, checkSize } from "./file-form.ts";
import { DamagedFile, openFile, rowsOf } from "./file-rows.ts";
import type { Findings } from "./findings.ts";
import { createMatching, type FileRow, type Matching } from "./matching.ts";
import type { Absent } from "./stored-files.ts";
import { keepMissing, keepSurplus, type UnmatchedBudget, type UnmatchedRows } from "./unmatched-rows.ts";

/** The shared context of an export's run checks. */
export interface ExportCheck {
  readonly parent: BulkExport;
  readonly form: RowForm;
  readonly reader: PartitionReader;
  readonly expectedKeys: ExpectedKeys;
  readonly findings: Findings;
  readonly budget: UnmatchedBudget;
  readonly maxUnpairedBytes: number;
  readonly isAbandoned: IsAbandoned;
  fetch(file: ExportedFile): Promise<Fetched | Absent>;
}

/** The bytes of a file, with its actual key. */
export interface Fetched {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** Reads the files of a run and pairs their rows with the rows of the store. */
export async function checkRun(check: ExportCheck, run: ExportRun): Promise<UnmatchedRows> {
  const { parent, form, findings, budget, expectedKeys, reader, maxUnpairedBytes } = check;
  const folder = expectedKeys.folderOf(run);
  const unmatchedRows: UnmatchedRows = { run, folder, missing: [], surplus: [], expected: new Set() };
  const rowMatching = createMatching({
    form,
    findings,
    maxUnpairedBytes,
    onMissing: (row) => keepMissing(unmatchedRows, form, budget, findings, row),
    onSurplus: (row) => keepSurplus(unmatchedRows, form, budget, findings, row),
  });
  const selection = openSelection(expectedRows(reader, parent, run, form));
  for (const [at, record] of run.files.entries()) {
    const unread = await checkFile(check, record, expectedKeys.keyOf(run, at), rowMatching, selection);
    // The rows of an unreadable file are not reported as missing too: the file is the problem.
    await selection.take(unread, rowMatching.tolerate);
  }
  await selection.take(Number.POSITIVE_INFINITY, rowMatching.expect);
  rowMatching.end();
  unmatchedRows.expected = await expectedAmong(check, unmatchedRows);
  return unmatchedRows;
}

/** Resolves with the number of unreadable rows of the file. */
async function checkFile(
  check: ExportCheck,
  record: ExportedFile,
  expectedKey: string,
  rowMatching: Matching,
  selection: Selection,
): Promise<number> {
  const { findings } = check;
  const fetched = await check.fetch(record);
  if ("kind" in fetched) {
    findings.add(fetched.kind, record.key, fetched.detail);
    return record.rows;
  }
  const { key } = fetched;
  if (key !== expectedKey) findings.add(misplacement(key, expectedKey), key, `belongs at ${expectedKey}`);
  findings.files += 1;
  const rowsBefore = findings.rows;
  try {
    return await compareFile(check, record, fetched, rowMatching, selection);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    findings.add("damaged_file", key, error.message);
    return Math.max(0, record.rows - (findings.rows - rowsBefore));
  }
}

async function compareFile(
  { form, parent, findings, isAbandoned }: ExportCheck,
  record: ExportedFile,
  { key, bytes }: Fetched,
  rowMatching: Matching,
  selection: Selection,
): Promise<number> {
  const file = await openFile(bytes, { json: "bytes" });
  const comparable = checkColumns(form, key, file, findings);
  const isComparable = canIdentify(form, comparable);
  checkSize(record, key, bytes, findings);
  await checkCompression(parent.compression, key, bytes, findings);
  let rows = 0;
  for await (const batch of rowsOf(file)) {
    refuseIfAbandoned(isAbandoned);
    rows += batch.length;
    findings.rows += batch.length;
    if (!isComparable) continue;
    const fileRows = batch.map((row) => ({ key, row: comparableFileRow(form, row, comparable) }));
    let at = 0;
    await selection.take(batch.length, (storedRow) => {
      rowMatching.pair(storedRow, fileRows[at] as FileRow);
      at += 1;
    });
    for (const fileRow of fileRows.slice(at)) rowMatching.addFileRow(fileRow);
  }
  checkCount(record, key, file.rowCount, rows, findings);
  return isComparable ? 0 : rows;
}

/** The surplus rows that the store selects: they are in the files twice. */
async function expectedAmong(
  check: ExportCheck,
  { run, surplus }: UnmatchedRows,
): Promise<ReadonlySet<string>> {
  const expected = new Set<string>();
  if (surplus.length === 0) return expected;
  const identities = new Set(surplus.map(({ identity }) => identity));
  for await (const rows of expectedRows(check.reader, check.parent, run, check.form)) {
    for (const { identity } of rows) if (identities.has(identity)) expected.add(identity);
  }
  return expected;
}

const BATCH_ROWS = 500;
const BATCH_BYTES = 2 * 1024 * 1024;

/**
 * The rows that the files of a run have to contain, in batches: the selected rows as of the run's mark, or up to
 * the checkpoint of a run that has not completed.
 */
async function* expectedRows(
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
    const rows = selects ? await selectedRows(inside, selects) : inside;
    yield rows.map((row) => comparableStoredRow(form, row));
    if (batch.length === 0 || inside.length < batch.length) return;
    await yieldToEventLoop();
  }
}

/** The selected rows, on demand. */
interface Selection {
  /** Passes up to `count` rows to `use`. */
  take(count: number, use: (row: ComparableRow) => void): Promise<void>;
}

/** Reads rows from batches on demand. */
function openSelection(batches: AsyncGenerator<readonly ComparableRow[], undefined>): Selection {
  let batch: readonly ComparableRow[] = [];
  let at = 0;
  return {
    async take(count, use) {
      for (let remaining = count; remaining > 0; remaining -= 1) {
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
