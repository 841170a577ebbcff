import { describe, expect, test } from "vitest";
import { parseExact } from "../../../contracts/spec/exact-json.ts";
import { compileFilter } from "../../../emulator/subjects/filters/compile.ts";
import { explainFilter } from "../../../emulator/subjects/filters/explain.ts";
import { resultOf, workOf } from "../../support/steps.ts";
import { parsed, selects, TENANT, traceRow } from "./rows.ts";

const SIZE = 100_000;
const CLAUSES = 20;
const text = "a".repeat(SIZE);

const clauses = (write: (nth: number) => string) => Array.from({ length: CLAUSES }, (_, nth) => write(nth));

describe("the work of a filter", () => {
  const row = traceRow({
    name: text,
    error: text,
    tags: [text],
    inputs: { text },
    extra: { metadata: { text, list: Array(SIZE).fill(0) } },
    feedback_stats: { text },
  });

  test.each([
    ["like of a JSON column", (nth: number) => `like(inputs, "%x${nth}%")`],
    ["like of a text", (nth: number) => `like(name, "%x${nth}%")`],
    ["like of tags", (nth: number) => `like(tags, "%x${nth}%")`],
    ["search", (nth: number) => `search("x${nth}")`],
    ["input_value", (nth: number) => `eq(input_value, "x${nth}")`],
    ["input_key", (nth: number) => `like(input_key, "x${nth}%")`],
    ["metadata_key", (nth: number) => `exists(metadata, "x${nth}")`],
    ["feedback", (nth: number) => `eq(feedback_key, "x${nth}")`],
    ["thread", (nth: number) => `eq(thread_id, "x${nth}")`],
    ["has", (nth: number) => `has(metadata, '{"list": [${nth + 1}]}')`],
  ])("has a step for each clause and column: %s", (_, clause) => {
    const steps = compileFilter(parsed(`or(${clauses(clause).join()})`), TENANT)(row);
    const sizes = Array.from(steps).filter((units) => units >= SIZE);
    expect(sizes.length).toBeGreaterThanOrEqual(CLAUSES);
  });

  test("has a step for each item that is searched for in the metadata", () => {
    const list = (item: unknown) => Array(1_000).fill(item);
    const has = (item: unknown) =>
      parsed(`has(metadata, ${JSON.stringify(JSON.stringify({ list: list(item) }))})`);
    const objects = traceRow({ extra: { metadata: { list: [...list({ a: 0 }), { a: 1 }] } } });
    expect(workOf(compileFilter(has({ a: 1 }), TENANT)(objects)).units).toBeGreaterThan(1_000_000);
    expect(workOf(compileFilter(has(1), TENANT)(row)).value).toBe(false);
    expect(Array.from(compileFilter(has(0), TENANT)(row)).length).toBeGreaterThan(1_000);
  });

  test("is done in steps by an explanation", () => {
    const filter = parsed(
      `and(${clauses((nth) => `notlike(inputs, "%z${nth}%")`).join()}, like(inputs, "%z%"))`,
    );
    const { value, units } = workOf(explainFilter(filter, row, TENANT));
    expect(value).toMatchObject({ passes: false, clause: 'like(inputs, "%z%")' });
    expect(units).toBeGreaterThan(2 * CLAUSES * SIZE);
  });
});

test("the text of a column is made once for all clauses, and for each row", () => {
  let textCount = 0;
  const inputs = {
    toJSON() {
      textCount += 1;
      return { text };
    },
  };
  const filter = `or(${clauses((nth) => `like(inputs, "%x${nth}%")`).join()})`;
  const test = compileFilter(parsed(filter), TENANT);
  const [first, second] = [traceRow({ inputs }), traceRow({ inputs })];
  textCount = 0;
  expect([resultOf(test(first)), resultOf(test(first)), resultOf(test(second))]).toEqual([
    false,
    false,
    false,
  ]);
  expect(textCount).toBe(2);
});

test("a number with many zeros takes no more time than another one", () => {
  const inputs = parseExact(`{"a": 1.${"0".repeat(1_000_000)}1}`);
  expect(selects("eq(input_value, 1)", { inputs })).toBe(false);
  expect(selects("eq(input_value, 1)", { inputs: parseExact('{"a": 1.000}') })).toBe(true);
});

describe("dotted keys", () => {
  const nested = (depth: number, name: string, inner: unknown): unknown =>
    depth === 0 ? inner : { [name]: nested(depth - 1, name, inner) };

  // Each of them would take minutes if keys were compared below long keys, or if all places of the dots were tried.
  test("take no more time below long keys", () => {
    const names = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, 1]));
    const metadata = nested(100, "k".repeat(50_000), names);
    expect(selects('like(metadata_key, "%x")', { extra: { metadata } })).toBe(false);
    expect(selects('in(metadata_key, ["x"])', { extra: { metadata } })).toBe(false);
  });

  test("take no more time with many dots", () => {
    const inputs = { a: Array.from({ length: 100_000 }, () => ({ a: {} })) };
    expect(selects(`eq(input_key, "${"a.".repeat(30_000)}b")`, { inputs })).toBe(false);
  });

  test("are found below long keys where the whole key is given", () => {
    const name = "k".repeat(2_000);
    const metadata = { [name]: { b: { "c.d": "e" } } };
    const extra = { metadata };
    expect(selects(`and(eq(metadata_key, "${name}.b.c.d"), eq(metadata_value, "e"))`, { extra })).toBe(true);
    expect(selects('like(metadata_key, "k%")', { extra })).toBe(true);
    expect(selects('like(metadata_key, "%.b")', { extra })).toBe(false);
  });
});
