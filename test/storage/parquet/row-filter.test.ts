import { expect, test } from "vitest";
import { readParquetFile } from "../../../emulator/oracle/parquet-file.ts";
import { rowFilter } from "../../../emulator/storage/parquet/encode-file.ts";
import { idOf, sampleRow } from "../rows/sample-row.ts";
import { encodeHere, manyRows, storeRows } from "./sample-export.ts";

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

test("without a filter there is no row test, and an invalid filter throws", () => {
  expect(rowFilter(null, "")).toBeNull();
  expect(() => rowFilter("eq(name", "")).toThrow(/is invalid: at character 8/);
});
