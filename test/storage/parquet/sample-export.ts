import { COLUMN_NAMES, type TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { parseExact } from "../../../contracts/spec/exact-json.ts";
import { encodeFile } from "../../../emulator/storage/parquet/encode-file.ts";
import { createPartitionReader } from "../../../emulator/storage/rows/partition-reader.ts";
import type { EncodedFile, FileRequest } from "../../../emulator/subjects/bulk-exports/encoder.ts";
import {
  idOf,
  instant,
  openTraceStore,
  SCOPE,
  sampleRow,
  type TestRows,
  temporaryFolder,
  wholeDay,
} from "../rows/open-store.ts";

/** Rows with everything that has gone wrong in some Parquet library: see the names. */
/** Digits and an order that JSON.parse would change. */
export const EXACT_INPUTS =
  '{"b":[9007199254740993,123456789012345678901234567890,10.0,-0.0,1e2],"10":0.10,"2":null}';

export const HARD_ROWS: readonly TraceRow[] = [
  sampleRow(0, {
    name: "😀",
    parent_run_ids: [idOf(90), idOf(91)],
    reference_example_id: idOf(92),
    end_time: "2025-03-01T00:00:01.000001Z",
    first_token_time: "1969-12-31T23:59:59.999999Z",
    status: "success",
    total_tokens: 2 ** 53 + 2,
    prompt_tokens: -(2 ** 63),
    completion_tokens: 0,
    total_cost: "123456789012345678901234.000000000001",
    prompt_cost: "-0.3",
    completion_cost: "1e-7",
    error: "first line\nsecond \u0000 line",
    inputs: { emoji: "😀", "9007199254740993": [1, null, true, 1.5e300], empty: {} },
    outputs: [],
    extra: "a text",
    events: [{ name: "start" }],
    feedback_stats: { score: { n: 1, avg: 0.5 } },
  }),
  sampleRow(1, {
    name: "\uffee",
    tags: [],
    trace_tier: null,
    is_root: false,
    start_time: instant(1),
    end_time: "9999-12-31T23:59:59.999999Z",
    total_tokens: null,
    prompt_tokens: null,
    completion_tokens: null,
    total_cost: null,
    prompt_cost: "0",
    completion_cost: null,
    extra: null,
    events: null,
  }),
  sampleRow(2, {
    name: "",
    tags: ["", "日本語", '"quoted"', "\ufeffmark"],
    inputs: false,
    outputs: 0,
    extra: "",
  }),
  sampleRow(3, { inputs: parseExact(EXACT_INPUTS), prompt_cost: "0.1000000000005" }),
  sampleRow(4, { inputs: { text: "0123456789abcdef😀".repeat(60_000) } }),
];

/** More rows, so that dictionaries, several pages and several row groups come into being. */
export function manyRows(count: number): TraceRow[] {
  return Array.from({ length: count }, (_, n) =>
    sampleRow(n + 1000, {
      run_type: n % 2 === 0 ? "llm" : "tool",
      status: n % 3 === 0 ? "error" : "success",
      is_root: n % 5 === 0,
      tags: n % 4 === 0 ? [] : ["prod", `tag ${n % 7}`],
      total_tokens: n % 6 === 0 ? null : n,
      total_cost: n % 9 === 0 ? null : `${n}.0${n}`,
      outputs: n % 2 === 0 ? null : { answer: `number ${n} ${"x".repeat(n % 50)}` },
    }),
  );
}

/** An order for all rows of a day. */
export function requestOf(store: TestRows): FileRequest {
  return {
    ...wholeDay(store.mark()),
    cursor: null,
    columns: COLUMN_NAMES,
    formatVersion: "v1",
    compression: "none",
    rowsPerFile: 10_000,
    bytesPerFile: 64 * 1024 * 1024,
    filter: null,
  };
}

/** A store with these rows, and an order for all of them. */
export function storeRows(rows: readonly TraceRow[]): { folder: string; order: FileRequest } {
  const folder = temporaryFolder();
  const store = openTraceStore({ folder });
  store.write(SCOPE, rows);
  const request = requestOf(store);
  store.close();
  return { folder, order: request };
}

/** Encodes on this thread. */
export async function encodeHere(folder: string, request: FileRequest): Promise<EncodedFile> {
  const reader = createPartitionReader(openTraceStore({ folder }).location);
  try {
    return await encodeFile(reader, request, () => {});
  } finally {
    reader.close();
  }
}

export async function bytesOf(
  rows: readonly TraceRow[],
  changes: Partial<FileRequest> = {},
): Promise<Uint8Array> {
  const { folder, order: request } = storeRows(rows);
  const { bytes } = await encodeHere(folder, { ...request, ...changes });
  if (bytes === null) throw new Error("no file");
  return bytes;
}
