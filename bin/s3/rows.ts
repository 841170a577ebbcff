import { buffer } from "node:stream/consumers";
import { textOrJson } from "../../contracts/spec/exact-json.ts";
import { CONTROL_PATH } from "../../emulator/client/control-client.ts";
import { ErrorReply, valueOf } from "../../emulator/client/send.ts";
import type { ParquetFile } from "../../emulator/oracle/parquet-file.ts";
import { clientCommand } from "../client-command.ts";
import { type Command, UsageError, WORLD_FLAGS } from "../command.ts";
import { runningWorld } from "../running.ts";
import { transportTo } from "../snapshot/transport.ts";
import { aligned, writeBytes } from "../terminal.ts";
import { countOf, readColumn, textOf } from "../values.ts";

const DEFAULT_ROWS = 20;
const MAX_ROWS = 1_000_000;
const CELL_CHARS = 40;
/** Columns that identify a row. */
const USUAL = ["id", "name", "run_type", "status", "start_time", "end_time", "parent_run_id"];

type Row = Readonly<Record<string, unknown>>;

/** `s3 rows`: the rows of a Parquet file as a table. */
export const showRows = clientCommand({
  summary: "print the rows of a Parquet file as a table; with --json all columns",
  operands: ["<bucket/key>"],
  flags: {
    columns: { value: "<names>", help: `columns, separated by commas (default ${USUAL.join(",")})` },
    limit: { value: "<n>", help: `number of rows (default ${DEFAULT_ROWS}; all with --json)` },
  },
  prepare(invocation) {
    const location = readObjectLocation(invocation.operands[0] ?? "");
    const limit = countOf(invocation, "limit", { most: MAX_ROWS });
    const requestedColumns = textOf(invocation, "columns")?.split(",");
    const isTable = invocation.flags.json !== true;
    return async ({ url }) => {
      const { readParquetFile } = await import("../../emulator/oracle/parquet-file.ts");
      const bytes = await buffer(await openObject(url, location));
      const file = await readParquetFile(bytes).catch((error: Error) => {
        throw new UsageError(`${location.key}: the object is not a Parquet file (${error.message})`);
      });
      const columns = columnsOf(file, requestedColumns, isTable);
      const rows = await rowsOf(file, columns, limit ?? (isTable ? DEFAULT_ROWS : MAX_ROWS));
      return { row_count: file.rowCount, columns, rows };
    };
  },
  lines: ({ row_count, columns, rows }) => [
    ...aligned([columns, ...rows.map((row) => columns.map((name) => cellOf(row[name])))]),
    `${rows.length} of ${row_count} rows`,
  ],
});

function columnsOf(
  { columns }: ParquetFile,
  requestedColumns: readonly string[] | undefined,
  isTable: boolean,
): string[] {
  const columnNames = columns.map(({ name }) => name);
  if (requestedColumns !== undefined)
    return requestedColumns.map((name) => readColumn(name, "--columns", columnNames));
  const usual = isTable ? USUAL.filter((name) => columnNames.includes(name)) : columnNames;
  return usual.length > 0 ? usual : columnNames;
}

async function rowsOf(file: ParquetFile, columns: readonly string[], limit: number): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of file.batches()) {
    for (const row of batch.slice(0, limit - rows.length))
      rows.push(Object.fromEntries(columns.map((name) => [name, plain(row[name])])));
    if (rows.length >= limit) break;
  }
  return rows;
}

/** JSON has no integers beyond 2^53: they become text. */
function plain(value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function cellOf(value: unknown): string {
  const text = textOrJson(value ?? null);
  return text.length > CELL_CHARS ? `${text.slice(0, CELL_CHARS - 1)}…` : text;
}

/** The body of an object in chunks. Throws `ErrorReply`. */
export async function openObject(
  url: string,
  { bucket, key }: ObjectLocation,
): Promise<AsyncIterable<Uint8Array>> {
  const path = `${CONTROL_PATH}/s3/buckets/${encodeURIComponent(bucket)}/object?key=${encodeURIComponent(key)}`;
  const { status, ok, chunks } = await transportTo(url)("GET", path);
  if (ok) return chunks;
  throw new ErrorReply("GET", path, status, valueOf((await buffer(chunks)).toString(), null));
}

/** A bucket, and a key or the beginning of keys in it. */
interface ObjectLocation {
  readonly bucket: string;
  readonly key: string;
}

/** Reads `<bucket>/<key>`, also as `s3://<bucket>/<key>`. */
export function readLocation(text: string): ObjectLocation {
  const [bucket = "", ...key] = text.replace(/^s3:\/\//, "").split("/");
  return { bucket, key: key.join("/") };
}

/** The same, of one object. Throws `UsageError`. */
export function readObjectLocation(text: string): ObjectLocation {
  const location = readLocation(text);
  if (location.bucket !== "" && location.key !== "") return location;
  throw new UsageError(
    `"${text}" is not the name of an object; give <bucket>/<key>, as \`emulator s3 ls\` prints them`,
  );
}

/** `s3 cat`: writes an object to standard output as it is stored. */
export const catObject: Command = {
  summary: "write the bytes of an object to standard output",
  operands: ["<bucket/key>"],
  flags: WORLD_FLAGS,
  async run(invocation) {
    const location = readObjectLocation(invocation.operands[0] ?? "");
    const { url } = await runningWorld(invocation);
    for await (const chunk of await openObject(url, location)) await writeBytes(chunk);
    return 0;
  },
};
