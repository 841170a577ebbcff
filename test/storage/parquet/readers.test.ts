import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { afterAll, describe, expect, test } from "vitest";
import { COLUMN_NAMES, COLUMNS, type ColumnKind, type ColumnName } from "../../../contracts/facts/columns.ts";
import type { ColumnType } from "../../../contracts/spec/bulk-exports/columns.ts";
import { printExact, withoutMarks } from "../../../contracts/spec/exact-json.ts";
import { canonicalValue } from "../../../emulator/oracle/canonical-value.ts";
import { readParquetFile } from "../../../emulator/oracle/parquet-file.ts";
import { epochMicroseconds } from "../../../emulator/storage/rows/instants.ts";
import type { Compression, FormatVersion } from "../../../emulator/subjects/bulk-exports/encoder.ts";
import { SCOPE, temporaryFolder } from "../rows/open-store.ts";
import { bytesOf, EXACT_INPUTS, HARD_ROWS, manyRows } from "./sample-export.ts";

const VERSIONS: readonly FormatVersion[] = ["v1", "v2_beta"];
const COMPRESSIONS: readonly Compression[] = ["none", "snappy", "gzip", "zstandard"];
const MATRIX = VERSIONS.flatMap((version) =>
  COMPRESSIONS.map((compression) => [version, compression] as const),
);

const ROWS = [...HARD_ROWS, ...manyRows(40)];
const ORDERED = ROWS.toSorted((a, b) => (a.start_time + a.id < b.start_time + b.id ? -1 : 1));

const instance = await DuckDBInstance.create(":memory:");
const connection = await instance.connect();
await connection.run("set timezone = 'UTC'");
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

/** Puts the bytes into a file and asks DuckDB about it as `$t`. */
async function duck(bytes: Uint8Array, sql: string): Promise<Record<string, unknown>[]> {
  const path = join(temporaryFolder(), "file.parquet");
  writeFileSync(path, bytes);
  const reader = await connection.runAndReadAll(sql.replaceAll("$t", `read_parquet('${path}')`));
  return reader.getRowObjectsJson() as Record<string, unknown>[];
}

function canonicalRow(row: (typeof ROWS)[number], formatVersion: FormatVersion): Record<string, unknown> {
  return Object.fromEntries(
    COLUMN_NAMES.map((name) => [
      name,
      name === "tenant_id" ? SCOPE.tenantId : canonicalValue(name, row[name], formatVersion),
    ]),
  );
}

/** What columns are read as, by what they hold: said a second time, so that the product's table is tested too. */
const TYPES: Readonly<Record<ColumnKind, Readonly<Record<FormatVersion, ColumnType>>>> = {
  text: { v1: "string", v2_beta: "string" },
  texts: { v1: "string", v2_beta: "strings" },
  json: { v1: "string", v2_beta: "json" },
  boolean: { v1: "boolean", v2_beta: "boolean" },
  time: { v1: "local_timestamp", v2_beta: "timestamp" },
  count: { v1: "int64", v2_beta: "int64" },
  cost: { v1: "double", v2_beta: "decimal" },
};

const typeOf = (name: ColumnName, formatVersion: FormatVersion) => TYPES[COLUMNS[name]][formatVersion];

const DUCK_TYPES = {
  string: "VARCHAR",
  json: "JSON",
  strings: "VARCHAR[]",
  boolean: "BOOLEAN",
  int64: "BIGINT",
  double: "DOUBLE",
  decimal: "DECIMAL(38,12)",
  timestamp: "TIMESTAMP WITH TIME ZONE",
  local_timestamp: "TIMESTAMP",
} as const;

describe.each(MATRIX)("a file of format %s with compression %s", (formatVersion, compression) => {
  test("is read by the project's own reader as the store has the rows", async () => {
    const file = await readParquetFile(await bytesOf(ROWS, { formatVersion, compression }));
    expect(file.columns).toStrictEqual(
      COLUMN_NAMES.map((name) => ({ name, type: typeOf(name, formatVersion) })),
    );
    expect(file.rowCount).toBe(ROWS.length);
    const rows = [];
    for await (const batch of file.batches()) rows.push(...batch);
    const expected = ORDERED.map((row) => canonicalRow(row, formatVersion));
    expect(rows).toStrictEqual(expected);
  });

  test("is read by DuckDB with its types and values", async () => {
    const bytes = await bytesOf(ROWS, { formatVersion, compression });
    const described = await duck(bytes, "describe select * from $t");
    expect(described.map((row) => [row.column_name, row.column_type])).toStrictEqual(
      COLUMN_NAMES.map((name) => [name, DUCK_TYPES[typeOf(name, formatVersion)]]),
    );
    const [all] = await duck(
      bytes,
      `select count(*)::int as rows, count(distinct id)::int as ids, sum(len(inputs::varchar))::bigint as size,
         count(outputs)::int as outputs, count(total_cost)::int as costs, count(feedback_stats)::int as stats from $t`,
    );
    const sizeOf = (text: string): number => [...text].length;
    expect(all).toStrictEqual({
      rows: ROWS.length,
      ids: ROWS.length,
      size: String(ROWS.reduce((sum, row) => sum + sizeOf(printExact(row.inputs)), 0)),
      outputs: ROWS.filter(({ outputs }) => outputs !== null).length,
      costs: ROWS.filter(({ total_cost }) => total_cost !== null).length,
      stats: 1,
    });
    const [exact] = await duck(
      bytes,
      "select inputs::varchar as inputs from $t where inputs::varchar like '%1234567890123456789%'",
    );
    expect(exact).toStrictEqual({ inputs: EXACT_INPUTS });
    const isV1 = formatVersion === "v1";
    const [hard] = await duck(
      bytes,
      `select total_tokens::varchar as total, prompt_tokens::varchar as prompt, total_cost::$cost as cost,
         prompt_cost::varchar as prompt_cost, first_token_time::timestamp::varchar as first,
         end_time::timestamp::varchar as ended, extra::varchar as extra, tags::varchar as tags, error
       from $t where name = '😀'`.replace("$cost", isV1 ? "double" : "varchar"),
    );
    expect(hard).toStrictEqual({
      total: "9007199254740994",
      prompt: "-9223372036854775808",
      cost: isV1 ? Number(HARD_ROWS[0]?.total_cost) : "123456789012345678901234.000000000001",
      prompt_cost: isV1 ? "-0.3" : "-0.300000000000",
      first: "1969-12-31 23:59:59.999999",
      ended: "2025-03-01 00:00:01.000001",
      extra: '"a text"',
      tags: isV1 ? '["a","b"]' : "[a, b]",
      error: "first line\nsecond \u0000 line",
    });
  });

  test("has no statistics that hide rows from DuckDB", async () => {
    const bytes = await bytesOf(ROWS, { formatVersion, compression });
    for (const row of ROWS.slice(0, 12)) {
      const where = [
        `id = '${row.id}'`,
        `start_time::timestamp = timestamp '${row.start_time.slice(0, 26)}'`,
        `name = '${row.name}'`,
        row.total_tokens === null ? "total_tokens is null" : `total_tokens = ${BigInt(row.total_tokens)}`,
        row.error === null ? "error is null" : "error > 'first line' and error < 'first linf'",
      ];
      const [match] = await duck(bytes, `select count(*)::int as n from $t where ${where.join(" and ")}`);
      expect(match).toStrictEqual({ n: 1 });
    }
    const costs = formatVersion === "v1" ? "-0.3" : "-0.3::decimal(38,12)";
    for (const condition of [
      `prompt_cost = ${costs}`,
      "prompt_cost < 0",
      "name > '\uffed' and name <= '😀'",
    ]) {
      const [match] = await duck(bytes, `select count(*)::int as n from $t where ${condition}`);
      expect(match).toStrictEqual({ n: condition.startsWith("name") ? 2 : 1 });
    }
  });

  test("is read by hyparquet", async () => {
    const bytes = await bytesOf(ROWS, { formatVersion, compression });
    const file = bytes.slice().buffer;
    expect(parquetMetadata(file).created_by).toBe("trace-platform-emulator");
    const rows = await parquetReadObjects({ file, compressors });
    expect(rows.map(({ id, name, inputs }) => [id, name, inputs])).toStrictEqual(
      ORDERED.map(({ id, name, inputs }) => [
        id,
        name,
        formatVersion === "v1" ? printExact(inputs) : withoutMarks(inputs),
      ]),
    );
    expect(
      rows.map(({ tags }) => (formatVersion === "v1" ? JSON.parse(tags as string) : tags)),
    ).toStrictEqual(
      ORDERED.map(({ tags }) => [
        ...tags.map((tag) => tag.replace(/^\ufeff/, formatVersion === "v1" ? "$&" : "")),
      ]),
    );
  });

  test("has the same bytes each time", async () => {
    const [first, second] = [
      await bytesOf(ROWS, { formatVersion, compression }),
      await bytesOf(ROWS, { formatVersion, compression }),
    ];
    expect(Buffer.from(first).equals(second)).toBe(true);
  });
});

interface OldReader {
  getCursor(): { next(): Promise<Record<string, unknown> | null> };
}

/** parquetjs-lite takes no footer of version 2, though it knows that version's pages. */
function asVersion1(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes);
  const footer = copy.length - 8 - copy.readUInt32LE(copy.length - 8);
  expect([...copy.subarray(footer, footer + 2)]).toStrictEqual([0x15, 0x04]);
  copy[footer + 1] = 0x02;
  return copy;
}

// It has no zstd and none of the dictionaries that v2_beta has.
describe.each(["none", "snappy", "gzip"] as const)(
  "a file of format v1 with compression %s",
  (compression) => {
    test("is read by parquetjs-lite, which gives times as microseconds", async () => {
      const { ParquetReader } = createRequire(import.meta.url)("parquetjs-lite") as {
        ParquetReader: { openBuffer(bytes: Buffer): Promise<OldReader> };
      };
      const reader = await ParquetReader.openBuffer(asVersion1(await bytesOf(ROWS, { compression })));
      const cursor = reader.getCursor();
      const rows = [];
      for (let row = await cursor.next(); row !== null; row = await cursor.next()) rows.push(row);
      const plain = (name: ColumnName, value: unknown): unknown => {
        if (value === null || value === undefined) return undefined;
        const type = typeOf(name, "v1");
        if (type === "double") return Number(value);
        if (type === "int64") return BigInt(value as number);
        if (type === "local_timestamp") return epochMicroseconds(value as string);
        return type === "string" && COLUMNS[name] !== "text" ? printExact(value) : value;
      };
      const expected = ORDERED.map((row) => {
        const values = canonicalRow(row, "v1");
        return COLUMN_NAMES.map((name) => plain(name, values[name]));
      });
      for (const [at, row] of rows.entries()) {
        expect(COLUMN_NAMES.map((name) => row[name] ?? undefined)).toStrictEqual(expected[at]);
      }
      expect(rows).toHaveLength(expected.length);
    });
  },
);

describe("a file", () => {
  test("has the requested columns in their order", async () => {
    const columns: ColumnName[] = ["total_cost", "inputs", "id", "tenant_id", "tags", "is_root"];
    for (const formatVersion of VERSIONS) {
      const file = await readParquetFile(await bytesOf(HARD_ROWS, { formatVersion, columns }));
      expect(file.columns.map(({ name }) => name)).toStrictEqual(columns);
      for await (const batch of file.batches()) {
        expect(batch.map((row) => row.tenant_id)).toStrictEqual(HARD_ROWS.map(() => SCOPE.tenantId));
      }
    }
  });

  test("keeps the types of columns that have nothing but nulls", async () => {
    const nothing = {
      error: null,
      tags: [],
      total_cost: null,
      end_time: null,
      outputs: null,
      total_tokens: null,
    };
    const rows = manyRows(40).map((row) => ({ ...row, ...nothing }));
    for (const formatVersion of VERSIONS) {
      const bytes = await bytesOf(rows, {
        formatVersion,
        columns: ["id", ...(Object.keys(nothing) as ColumnName[])],
      });
      const [match] = await duck(
        bytes,
        `select count(error)::int as error, count(total_cost)::int as cost, count(end_time)::int as ended,
           count(outputs)::int as outputs, count(tags)::int as tags, count(*)::int as rows from $t`,
      );
      expect(match).toStrictEqual({ error: 0, cost: 0, ended: 0, outputs: 0, tags: 40, rows: 40 });
      const described = await duck(bytes, "describe select * from $t");
      expect(described.map((row) => row.column_type)).not.toContain("NULL");
      expect(described.find((row) => row.column_name === "total_tokens")?.column_type).toBe("BIGINT");
    }
  });
});
