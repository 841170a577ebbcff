import { suite } from "../engine/case.ts";
import { equal, sameItems, sorted } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { DAY, dateOf } from "../engine/instant.ts";
import { jsonOrText, type Members } from "../engine/json.ts";
import type { ParquetColumn } from "../engine/target.ts";
import { COLUMN_NAMES, COLUMNS, type ColumnKind, folderOf } from "../facts/columns.ts";
import {
  exportRows,
  FILES,
  filesOf,
  type Prepared,
  prepare,
  readAll,
  rowsOf,
  runExport,
  runsOf,
} from "./export-helpers.ts";

type Format = "v1" | "v2";

const TEXT = ["STRING", "UTF8"];

/** Parquet types of the columns of a kind: not shown, so what the emulator chose. */
const TYPES: Readonly<Record<ColumnKind, Readonly<Record<Format, readonly string[]>>>> = {
  text: { v1: TEXT, v2: TEXT },
  texts: { v1: TEXT, v2: TEXT },
  json: { v1: TEXT, v2: ["JSON", ...TEXT] },
  boolean: { v1: ["BOOLEAN"], v2: ["BOOLEAN"] },
  time: { v1: ["TIMESTAMP"], v2: ["TIMESTAMP_UTC"] },
  count: { v1: ["INT64"], v2: ["INT64"] },
  cost: { v1: ["DOUBLE"], v2: ["DECIMAL"] },
};

const kindOf = (name: string): ColumnKind | undefined =>
  (COLUMNS as Readonly<Record<string, ColumnKind>>)[name];

const ROW: Members = {
  run_type: "llm",
  tags: ["blue", "grün"],
  extra: { metadata: { flavour: "plain" } },
  outputs: { answer: "Ja 😀", isSure: true },
  status: "success",
  ...{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};

/** Columns whose types are not those of a format. */
function mistyped(columns: readonly ParquetColumn[], format: Format): readonly string[] {
  return columns
    .filter(({ name, type }) => {
      const kind = kindOf(name);
      return kind === undefined || !TYPES[kind][format].includes(type);
    })
    .map(({ name, type }) => `${name}: ${type}`);
}

/** The first file of an export. */
async function firstFile(t: Contract, prepared: Prepared, more: Members) {
  const { id } = await runExport(t, prepared, more);
  return (await readAll(t, await filesOf(t, id)))[0];
}

async function columnsOf(t: Contract, more: Members = {}): Promise<readonly ParquetColumn[]> {
  const file = await firstFile(t, await prepare(t, { days: 1, more: () => ROW }), more);
  t.must("2.8-1", file !== undefined, "the export has a Parquet file");
  return file?.columns ?? [];
}

const padded = (t: Contract, part: number) =>
  String(part).padStart(t.chosen("export.partition_padding") === "padded" ? 2 : 1, "0");

export const FILE_CASES = suite({
  "2.8/layout": {
    title: "files are below the Hive path of the export",
    requirements: ["2.8-1", "2.8-2"],
    needs: FILES,
    async run(t) {
      const prefix = `layout/${t.draw.word()}`;
      const prepared = await prepare(t, { config: { prefix, include_bucket_in_prefix: false } });
      const { id } = await runExport(t, prepared);
      const keys = await filesOf(t, id);
      const { tenantId } = t.identity;
      const root = `${prefix}/${folderOf({ exportId: id, tenantId, sessionId: prepared.projectId })}`;
      const days = [0, 1].map((index) => dateOf(prepared.from + index * DAY));
      const folders = days.map(
        ({ year, month, day }) => new RegExp(`^year=${year}/month=0?${month}/day=0?${day}/[^/]+\\.parquet$`),
      );
      for (const key of keys) {
        const holds = key.startsWith(root) && folders.some((folder) => folder.test(key.slice(root.length)));
        t.fact("2.8-1", holds, "the key has the shape of §2.8", { expected: `${root}year=…`, actual: key });
      }
      for (const folder of folders)
        t.fact(
          "2.8-1",
          keys.some((key) => folder.test(key.slice(root.length))),
          `files at ${folder.source}`,
          {
            actual: keys,
          },
        );
      const strict = days.map(
        ({ year, month, day }) =>
          `${root}year=${year}/month=${padded(t, month)}/day=${padded(t, day)}/part-00000.parquet`,
      );
      t.choice("2.8-2", equal(keys, strict), "each day has numbered files; months and days have two digits");
      const magic = new TextDecoder().decode(
        (await t.objects.get(t.identity.bucket.name, keys[0] ?? "")).slice(0, 4),
      );
      t.fact("2.8-1", equal(magic, "PAR1"), "the file is a Parquet file");
    },
  },
  "2.8/empty-days": {
    title: "a day without rows has a run and no file",
    requirements: ["2.8-2"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      const { id } = await runExport(t, { ...prepared, from: prepared.from - DAY });
      const runs = await runsOf(t, id);
      t.choice("export.empty_partition", equal(runs.length, 2), "the empty day has a run");
      const days = new Set((await filesOf(t, id)).map((key) => key.slice(0, key.lastIndexOf("/"))));
      t.choice("export.empty_partition", days.size === 1, "the empty day has no file", { actual: [...days] });
    },
  },
  "2.7/columns": {
    title: "a file has all columns",
    requirements: ["2.7-1"],
    needs: FILES,
    async run(t) {
      const columns = await columnsOf(t);
      const names = columns.map(({ name }) => name);
      t.fact("2.7-1", sameItems(names, COLUMN_NAMES), "the file has the columns of §2.7 and no others");
    },
  },
  "2.7/values": {
    title: "rows contain the values that were sent",
    requirements: ["2.7-1"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1, perDay: 2, more: () => ROW });
      const rows = await exportRows(t, prepared, { format_version: "v2_beta" });
      t.fact(
        "2.7-1",
        sorted(rows.map((row) => row.id)) === sorted(prepared.rows.map((row) => row.id)),
        "each row is in the file once",
      );
      for (const row of rows) {
        const original = prepared.rows.find((sentRow) => sentRow.id === row.id) ?? {};
        const holds = (name: string, expected: unknown, actual: unknown) =>
          t.fact("2.7-1", equal(actual, expected), `column ${name}`);
        holds("name", original.name, row.name);
        holds("run_type", "llm", row.run_type);
        holds("trace_id", original.trace_id, row.trace_id);
        holds("session_id", prepared.projectId, row.session_id);
        holds("tenant_id", t.identity.tenantId, row.tenant_id);
        holds("is_root", true, row.is_root);
        holds("parent_run_id", null, row.parent_run_id ?? null);
        holds("status", "success", row.status);
        holds("tags", ["blue", "grün"], row.tags);
        holds("inputs", original.inputs, jsonOf(row.inputs));
        holds("outputs", ROW.outputs, jsonOf(row.outputs));
        holds("start_time", original.start_time, row.start_time);
        holds("total_tokens", "7", String(row.total_tokens));
        holds("dotted_order", original.dotted_order, row.dotted_order);
      }
    },
  },
  "2.7/smaller": {
    title: "files without inputs and outputs are smaller",
    requirements: ["2.7-3"],
    needs: [...FILES, "columns"],
    async run(t) {
      const text = () => ({ inputs: { noise: Array.from({ length: 200 }, () => t.draw.uuid()).join(" ") } });
      const prepared = await prepare(t, { days: 1, perDay: 20, more: text });
      const sizeOf = async (more: Members) => {
        const { id } = await runExport(t, prepared, more);
        const [key = ""] = await filesOf(t, id);
        return (await t.objects.get(t.identity.bucket.name, key)).length;
      };
      const whole = await sizeOf({});
      const export_fields = COLUMN_NAMES.filter((name) => name !== "inputs" && name !== "outputs");
      const lean = await sizeOf({ export_fields });
      t.fact("2.7-3", lean < whole, "the file without these columns is smaller", {
        expected: `< ${whole}`,
        actual: lean,
      });
    },
  },
  "2.5/v2-types": {
    title: "v2_beta has the enhanced column types and the Hive folders",
    requirements: ["2.5-6", "2.5-11", "2.7-1"],
    needs: FILES,
    async run(t) {
      const columns = await columnsOf(t, { format_version: "v2_beta" });
      const list = columns.find(({ name }) => name === "tags");
      t.fact("2.5-6", equal(list?.repeated, true), "v2_beta writes lists as lists");
      const zoneless = columns
        .filter(({ name, type }) => kindOf(name) === "time" && type === "TIMESTAMP")
        .map(({ name }) => name);
      t.fact("2.7-1", equal(zoneless, []), "v2_beta declares times as UTC");
      const wrong = mistyped(columns, "v2");
      t.choice(
        "export.v2_column_types",
        equal(wrong, []),
        "v2_beta has UTC times, decimals and JSON columns",
      );
      const keys = (await t.objects.list(t.identity.bucket.name)).filter((key) => key.endsWith(".parquet"));
      t.choice(
        "2.5-11",
        keys.every((key) => key.includes(`/${t.chosen("export.v2_beta_folder")}/year=`)),
        `the folder is ${t.chosen("export.v2_beta_folder")}`,
        { actual: keys[0] },
      );
    },
  },
  "2.5/v1-types": {
    title: "without format_version files have the v1 column types",
    requirements: ["2.5-9"],
    needs: FILES,
    async run(t) {
      const wrong = mistyped(await columnsOf(t), "v1");
      t.choice("2.5-9", equal(wrong, []), "the default format is v1 with its types");
    },
  },
  "2.5/compression": {
    title: "compression selects the codec of the pages",
    requirements: ["2.5-12"],
    needs: FILES,
    async run(t) {
      const prepared = await prepare(t, { days: 1 });
      for (const [compression, codec] of [
        [undefined, t.chosen("export.default_compression") === "zstandard" ? "ZSTD" : "SNAPPY"],
        ["none", "UNCOMPRESSED"],
        ["gzip", "GZIP"],
        ["zstandard", "ZSTD"],
      ] as const) {
        const file = await firstFile(t, prepared, { compression });
        t.choice("2.5-12", equal(file?.codec, codec), `compression ${compression ?? "left out"}: ${codec}`);
      }
    },
  },
  "2.6/progress": {
    title: "a run has its files, row count and cursor",
    requirements: ["2.6-2", "8.3-2"],
    needs: FILES,
    settings: { limits: { rows_per_file: 2 } },
    async run(t) {
      const { name } = t.identity.bucket;
      const { id } = await runExport(t, await prepare(t, { days: 1, perDay: 5 }));
      const [run] = await runsOf(t, id);
      const files = run?.metadata.files ?? [];
      const keys = await filesOf(t, id);
      t.fact("2.6-2", equal(files.length, keys.length), "the run names each file", {
        expected: keys,
        actual: files,
      });
      t.choice(
        "export.files_per_partition",
        equal(keys.length, 3),
        "five rows in files of two are three files",
      );
      const isNamed = files.every((file) => keys.some((key) => file === key || file === `${name}/${key}`));
      t.fact("2.6-2", isNamed, "the named files exist", { expected: keys, actual: files });
      t.choice(
        "export.file_paths",
        files.every((file) => file.startsWith(`${name}/`)),
        "the paths begin with the bucket",
      );
      t.fact("2.6-2", run?.metadata.rows_exported === 5 && run.rows_exported === 5, "the row count is five", {
        actual: run?.metadata.rows_exported,
      });
      t.fact("2.6-2", run?.metadata.latest_cursor !== null, "the run has the cursor of the last row");
      const rows = await rowsOf(t, id);
      t.fact(
        "8.3-2",
        new Set(rows.map((row) => row.id)).size === 5 && rows.length === 5,
        "no row is written twice",
      );
    },
  },
});

function jsonOf(value: unknown): unknown {
  return typeof value === "string" ? jsonOrText(value) : value;
}
