import { expect, test } from "vitest";
import { readParquetPage } from "../../../emulator/oracle/parquet-page.ts";
import { bytesOf, HARD_ROWS, manyRows } from "./sample-export.ts";

const ROWS = [...HARD_ROWS.slice(0, 4), ...manyRows(40)];
const FORMAT = { formatVersion: "v2_beta", compression: "zstandard" } as const;
const ALL = { offset: 0, limit: 500 };

const pageOf = async (choice: object, maxRows = 1_000) =>
  readParquetPage(await bytesOf(ROWS, FORMAT), { ...ALL, ...choice }, maxRows);

test.each([
  ["asc", (a: number, b: number) => a - b],
  ["desc", (a: number, b: number) => b - a],
] as const)("numbers and costs are sorted by value (%s), null last", async (order, compare) => {
  for (const sort of ["total_tokens", "total_cost"] as const) {
    const { rows } = await pageOf({ sort, order });
    const values = ROWS.flatMap((row) => (row[sort] === null ? [] : [Number(row[sort])])).sort(compare);
    expect(rows.slice(0, values.length).map((row) => Number(row[sort]))).toEqual(values);
    expect(new Set(rows.slice(values.length).map((row) => row[sort]))).toEqual(new Set([null]));
  }
});

test("a search finds a text in any value, whatever the case, and pages the matches", async () => {
  const match = await pageOf({ text: "TAG 3", sort: "id", order: "desc", offset: 1, limit: 3 });
  const tagged = ROWS.filter(({ tags }) => tags?.includes("tag 3"));
  const ids = tagged
    .map(({ id }) => id)
    .sort()
    .reverse();
  expect(match).toMatchObject({ rows_total: ROWS.length, rows_matching: ids.length, rows_read: ROWS.length });
  expect(match.rows.map(({ id }) => id)).toEqual(ids.slice(1, 4));
  expect(await pageOf({ text: "no row has this" })).toMatchObject({ rows_matching: 0, rows: [] });
});

test("a search and a sort read a bounded number of rows, and say how many", async () => {
  const inOrder = (await pageOf({})).rows.map(({ id }) => id);
  const bounded = await pageOf({ sort: "id", order: "desc" }, 7);
  expect(bounded).toMatchObject({ rows_total: ROWS.length, rows_matching: 7, rows_read: 7 });
  expect(bounded.rows.map(({ id }) => id)).toEqual(inOrder.slice(0, 7).sort().reverse());
  expect(await pageOf({}, 7)).toMatchObject({ rows_matching: ROWS.length, rows_read: ROWS.length });
});
