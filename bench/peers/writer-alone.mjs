// The Parquet writer alone: rows in memory, ten thousand a file, no reads and no storage.
import { parquetWriteBuffer } from "hyparquet-writer";
import { postOf, uuidOf } from "../rows.mjs";

const ROWS = Number(process.argv[2] ?? 200_000);
const ROWS_PER_FILE = 10_000;
// Rows in memory; they are written repeatedly until the total is reached.
const HELD = Math.min(ROWS, 50_000);

const SESSION = uuidOf(9, 1);
const rows = Array.from({ length: HELD }, (_, number) => postOf(number, SESSION));

const text = (name, value) => ({ name, type: "STRING", value });
const json = (name) => ({ name, type: "JSON", value: (row) => row[name] ?? null });
const COLUMNS = [
  ...["id", "trace_id", "dotted_order", "session_id", "name", "run_type", "total_cost"].map((name) =>
    text(name, (row) => row[name] ?? null),
  ),
  ...["start_time", "end_time"].map((name) => ({
    name,
    type: "TIMESTAMP",
    value: (row) => new Date(row[name]),
  })),
  ...["inputs", "outputs", "extra", "tags"].map(json),
  ...["prompt_tokens", "completion_tokens"].map((name) => ({
    name,
    type: "INT32",
    value: (row) => row[name],
  })),
];

let bytes = 0;
const cpu = process.cpuUsage();
const began = performance.now();
for (let from = 0; from < ROWS; from += ROWS_PER_FILE) {
  const at = from % HELD;
  const file = rows.slice(at, at + ROWS_PER_FILE);
  const columnData = COLUMNS.map(({ name, type, value }) => ({ name, type, data: file.map(value) }));
  bytes += parquetWriteBuffer({ columnData }).byteLength;
}
const wallMs = performance.now() - began;
const { user, system } = process.cpuUsage(cpu);
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ items: ROWS, wallMs, cpuMs: (user + system) / 1000, peakMb, fileBytes: bytes }));
setInterval(() => {}, 1000);
