import { isMembers, jsonOf } from "../engine/json.ts";
import { rewriteReply } from "../engine/mutant.ts";
import type { ReadFile } from "../engine/target.ts";
import { type Variant, variantsOf } from "../engine/variant.ts";
import { RUNS } from "../mutants/routes.ts";
import { renameKeys, rewriteColumns } from "../mutants/storage.ts";

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
export const FILE_VARIANTS: readonly Variant[] = [
  ...variantsOf("2.8-2", {
    "file-names": {
      differs: "files are named data_<n>_0.parquet",
      objects: renameKeys(otherName),
      send: rewriteReply(RUNS, (reply) => ({ ...reply, text: otherName(reply.text) })),
    },
    "file-per-row": { differs: "each row has a file of its own", settings: { limits: { rows_per_file: 1 } } },
    "file-per-two-rows": {
      differs: "a file has at most two rows",
      settings: { limits: { rows_per_file: 2 } },
    },
  }),
  ...variantsOf("2.7-1", {
    "other-order": {
      differs: "members of JSON and ids of callers are in another order",
      file: (file) => ({
        ...file,
        rows: file.rows.map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, reordered(name, value)])),
        ),
      }),
    },
  }),
  ...variantsOf("2.5-9", {
    "column-order": { differs: "columns are in another order", file: reversed },
  }),
  ...variantsOf("2.5-6", {
    "v2-types": {
      differs: "v2_beta has doubles and JSON as text",
      file: retype({ DECIMAL: "DOUBLE", JSON: "STRING" }),
    },
  }),
  ...variantsOf("2.4-6", {
    "tmp-elsewhere": {
      differs: "the test file is under x/tmp/",
      objects: renameKeys((key) => key.replace(/^tmp\//, "x/tmp/")),
    },
  }),
];
