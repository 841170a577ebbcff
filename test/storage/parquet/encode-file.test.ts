import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COLUMN_NAMES, type ColumnName } from "../../../contracts/spec/bulk-exports/columns.ts";
import { readParquetFile } from "../../../emulator/oracle/parquet-file.ts";
import { rowFilter } from "../../../emulator/storage/parquet/encode-file.ts";
import type { FileRequest } from "../../../emulator/subjects/bulk-exports/encoder.ts";
import { idOf, openTraceStore, sampleRow, temporaryFolder } from "../rows/open-store.ts";
import { bytesOf, encodeHere, manyRows, storeRows } from "./sample-export.ts";

/** What a column of each file has, one file after the other, until the encoder says that nothing is left. */
async function valuesOfFiles(
  folder: string,
  request: FileRequest,
  column: ColumnName = "id",
): Promise<unknown[][]> {
  const files: unknown[][] = [];
  let cursor = request.cursor;
  for (let done = false; !done; ) {
    const file = await encodeHere(folder, { ...request, cursor });
    const values: unknown[] = [];
    if (file.bytes !== null) {
      const read = await readParquetFile(file.bytes);
      for await (const batch of read.batches()) values.push(...batch.map((row) => row[column]));
    }
    expect(values).toHaveLength(file.rows);
    files.push(values);
    ({ cursor, done } = file);
  }
  return files;
}

describe("the files of a partition", () => {
  test("have the given number of rows in order, and the last one is marked", async () => {
    const { folder, order: request } = storeRows(manyRows(25).reverse());
    const files = await valuesOfFiles(folder, { ...request, rowsPerFile: 10 });
    expect(files.map((ids) => ids.length)).toStrictEqual([10, 10, 5]);
    expect(files.flat()).toStrictEqual(manyRows(25).map(({ id }) => id));
    const exact = await valuesOfFiles(folder, { ...request, rowsPerFile: 5 });
    expect(exact.map((ids) => ids.length)).toStrictEqual([5, 5, 5, 5, 5]);
    expect(exact.flat()).toStrictEqual(files.flat());
  });

  test("are closed by bytes, and take a row that is larger than a file may be", async () => {
    const large = [3, 3000, 3, 3, 3].map((size, n) => sampleRow(n, { inputs: "x".repeat(size) }));
    const { folder, order: request } = storeRows(large);
    const files = await valuesOfFiles(folder, { ...request, bytesPerFile: 1400 });
    expect(files).toStrictEqual([[idOf(0)], [idOf(1)], [idOf(2), idOf(3)], [idOf(4)]]);
  });

  test.each([null, 'eq(run_type, "llm")'])(
    "continue across row groups of several megabytes (filter: %s)",
    async (filter) => {
      const all = Array.from({ length: 12 }, (_, n) =>
        sampleRow(n, { run_type: n % 5 === 0 ? "llm" : "tool", inputs: `${n} `.repeat(400_000) }),
      );
      const { folder, order } = storeRows(all);
      const request = { ...order, compression: "snappy", filter } as const;
      const rows = all.filter(({ run_type }) => filter === null || run_type === "llm");
      expect(await valuesOfFiles(folder, request)).toStrictEqual([rows.map(({ id }) => id)]);
      const [inputs = []] = await valuesOfFiles(folder, request, "inputs");
      const wrong = rows.filter((row, n) => JSON.stringify(inputs[n]) !== JSON.stringify(row.inputs));
      expect(wrong.map(({ id }) => id)).toStrictEqual([]);
    },
  );

  test("name the file and byte of a row that has another bit, unless a later version replaced it", async () => {
    const { folder, order } = storeRows([1, 2, 1, 3].map((n, at) => sampleRow(n, { name: `line ${at}` })));
    const [piece] = openTraceStore({ folder }).location(order).rowFiles;
    const path = join(folder, "pool", `${piece?.file}.ndjson`);
    const lines = readFileSync(path);
    const damageAt = (text: string): number => {
      const damaged = Buffer.from(lines);
      const at = damaged.indexOf(text);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(path, damaged);
      return damaged.lastIndexOf("\n", at) + 1;
    };
    damageAt("line 0");
    expect((await encodeHere(folder, order)).rows).toBe(3);
    const byte = damageAt("line 2");
    await expect(encodeHere(folder, order)).rejects.toThrow(`${path}, byte ${byte}, is damaged.`);
  });

  test("are empty when no row is left, or none existed", async () => {
    const { folder, order: request } = storeRows([sampleRow(1)]);
    const empty = { bytes: null, rows: 0, cursor: null, done: true };
    expect(await encodeHere(folder, { ...request, day: "2025-03-02" })).toStrictEqual(empty);
    expect(await encodeHere(folder, { ...request, asOf: 0 })).toStrictEqual(empty);
    expect(await encodeHere(temporaryFolder(), request)).toStrictEqual(empty);
    const { cursor } = await encodeHere(folder, request);
    expect(await encodeHere(folder, { ...request, cursor })).toStrictEqual({ ...empty, cursor });
  });
});

describe("a value that its column cannot hold", () => {
  test.each([
    ["v2_beta", { total_cost: "1e26" }, "total_cost is outside the range of DECIMAL(38,12)"],
    ["v2_beta", { prompt_cost: "a lot" }, "prompt_cost is not a decimal number"],
    ["v1", { completion_cost: "1e999" }, "completion_cost is not a finite number"],
    ["v1", { total_cost: "" }, "total_cost is not a finite number"],
    ["v1", { total_tokens: 1.5 }, "total_tokens is not an integer"],
    ["v2_beta", { prompt_tokens: 2 ** 63 }, "prompt_tokens is outside the range of 64 bits"],
    ["v1", { end_time: "yesterday" }, "end_time is not a time"],
  ] as const)("in %s is named with its row: %o", async (formatVersion, changes, message) => {
    const rows = [sampleRow(1), sampleRow(2, changes)];
    await expect(bytesOf(rows, { formatVersion })).rejects.toThrow(`row ${idOf(2)}: ${message}`);
    const columns = COLUMN_NAMES.filter((name) => !(name in changes));
    await expect(bytesOf(rows, { formatVersion, columns })).resolves.toBeInstanceOf(Uint8Array);
  });
});

test("the files of a filtered export hold the selected rows, in order, and as many each as they may", async () => {
  const { folder, order: request } = storeRows(manyRows(60));
  const filter = 'and(eq(run_type, "llm"), or(has(tags, "prod"), eq(is_root, true)), neq(status, "error"))';
  const expected = manyRows(60).filter(
    (row) => row.run_type === "llm" && (row.tags.includes("prod") || row.is_root) && row.status !== "error",
  );
  expect(expected.length).toBeGreaterThan(7);
  const sizes: number[] = [];
  const ids: unknown[] = [];
  let cursor = request.cursor;
  for (let done = false; !done; ) {
    const file = await encodeHere(folder, { ...request, filter, rowsPerFile: 7, cursor });
    ({ cursor, done } = file);
    sizes.push(file.rows);
    if (file.bytes === null) continue;
    for await (const batch of (await readParquetFile(file.bytes)).batches())
      ids.push(...batch.map(({ id }) => id));
  }
  expect(ids).toStrictEqual(expected.map(({ id }) => id));
  expect(sizes[0]).toBe(7);
});

test("a filter that selects nothing makes no file", async () => {
  const { folder, order: request } = storeRows([sampleRow(1), sampleRow(2)]);
  const file = await encodeHere(folder, { ...request, filter: `eq(id, "${idOf(3)}")` });
  expect(file).toMatchObject({ bytes: null, rows: 0, done: true });
});

test("others have their turn while a filter works", async () => {
  const { folder, order: request } = storeRows([sampleRow(1, { inputs: { text: "a".repeat(500_000) } })]);
  const clauses = Array.from({ length: 100 }, (_, nth) => `like(inputs, "%x${nth}%")`);
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  await encodeHere(folder, { ...request, filter: `or(${clauses.join()})` });
  clearImmediate(next);
  expect(turns).toBeGreaterThan(20);
});

test("without a filter there is no row test, and an invalid filter throws", () => {
  expect(rowFilter(null, "")).toBeNull();
  expect(() => rowFilter("eq(name", "")).toThrow(/is invalid: at character 8/);
});
