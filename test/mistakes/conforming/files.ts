import { isMembers, jsonOf } from "../../../contracts/engine/json.ts";
import type { ReadFile } from "../../../contracts/engine/target.ts";
import { renameKeys, rewriteColumns } from "../files.ts";
import { RUNS } from "../routes.ts";
import { conforming, type Row } from "../row.ts";
import { rewriteText } from "../wire.ts";

const retype = (types: Readonly<Record<string, string>>) =>
  rewriteColumns((all) => all.map((column) => ({ ...column, type: types[column.type] ?? column.type })));

const reversed = (file: ReadFile): ReadFile => ({
  ...file,
  columns: [...file.columns].reverse(),
  rows: file.rows.map((row) => Object.fromEntries(Object.entries(row).reverse())),
});

/** JSON and ids of callers in another order. */
function reordered(name: string, value: unknown): unknown {
  if (name === "parent_run_ids") return Array.isArray(value) ? value.toReversed() : value;
  const json = name === "outputs" && typeof value === "string" ? jsonOf(value) : value;
  return isMembers(json) ? Object.fromEntries(Object.entries(json).reverse()) : value;
}

const otherName = (text: string) => text.replace(/part-(\d+)\.parquet/g, "data_$1_0.parquet");

/** §2.5 and §2.8: what of the files is not shown. */
export const FILE_SERVERS: readonly Row[] = conforming({
  "2.8-2: files are named data_<n>_0.parquet": {
    ...renameKeys(otherName),
    send: rewriteText(RUNS, otherName),
  },
  "2.8-2: each row has a file of its own": { settings: { limits: { rows_per_file: 1 } } },
  "2.8-2: a file has at most two rows": { settings: { limits: { rows_per_file: 2 } } },
  "2.7-1: members of JSON and ids of callers are in another order": {
    file: (file) => ({
      ...file,
      rows: file.rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, reordered(name, value)])),
      ),
    }),
  },
  "2.5-9: columns are in another order": { file: reversed },
  "2.5-6: v2_beta has doubles and JSON as text": retype({ DECIMAL: "DOUBLE", JSON: "STRING" }),
  "2.4-6: the test file is under x/tmp/": renameKeys((key) => key.replace(/^tmp\//, "x/tmp/")),
});
