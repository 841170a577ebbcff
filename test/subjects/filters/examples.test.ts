import { describe, expect, test } from "vitest";
import { COLUMN_NAMES, type TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import {
  FILTER_FIELDS,
  FILTER_KINDS,
  type FilterField,
  type FilterKind,
  REFUSED_FIELDS,
  UNFILTERABLE_FIELDS,
} from "../../../contracts/spec/filter-language.ts";
import { parseFilter } from "../../../emulator/subjects/filters/parse.ts";
import { ID, OTHER_ID, parsed, selects, TENANT } from "./rows.ts";

type Changes = Partial<TraceRow>;

const NEXT_MESSAGES = { messages: [{ content: "one" }, { content: "what is messages.content?" }] };

/** A filter as it is documented, a row that it selects and one that it does not, both as changes. */
const DOCUMENTED: readonly (readonly [string, Changes, Changes])[] = [
  ['and(eq(run_type, "llm"), gt(latency, "2s"))', {}, { end_time: "2026-01-31T12:00:02.000000Z" }],
  [
    'or(eq(status, "error"), and(eq(feedback_key, "score"), lt(feedback_score, 0.5)))',
    {},
    { feedback_stats: { score: { avg: 0.5 }, other: { avg: 0.1 } } },
  ],
  ["and(or(has(tags, 'experimental'), has(tags, 'beta')), gt(latency, 2))", {}, { tags: ["bet", "a"] }],
  [
    'and(eq(run_type, "llm"), eq(name, "ChatOpenAI"), eq(input_key, "messages.content"), like(input_value, "%messages.content%"))',
    { inputs: NEXT_MESSAGES },
    { inputs: { ...NEXT_MESSAGES, messages: [{ content: "one" }], other: "%messages.content%" } },
  ],
  ["and(neq(metadata_key,'thread_id'))", { extra: {} }, {}],
  ['neq(status, "error")', {}, { status: "error" }],
  ['gt(start_time, "2023-07-15T12:34:56Z")', {}, { start_time: "2023-07-15T12:34:56.000000Z" }],
  ['search("parcel")', {}, { inputs: "nothing", outputs: null }],
  ['gt(latency, "1.5s")', {}, { end_time: "2026-01-31T12:00:01.500000Z" }],
  ['gt(latency, "5s")', { end_time: "2026-01-31T12:00:05.000001Z" }, { end_time: null }],
  ['has(metadata,\'{"thread_id":"t-1"}\')', {}, { extra: { metadata: { thread_id: "t-2" } } }],
  ['exists(metadata,"thread_id")', {}, { extra: { metadata: { threads: 1 } } }],
  [
    'and(in(metadata_key, ["session_id","thread_id"]), eq(metadata_value, "t-1"))',
    {},
    { extra: { metadata: { thread_id: "t", other: "t-1" } } },
  ],
  ["eq(is_root, true)", {}, { is_root: false }],
  [
    'and(eq(feedback_key, "star_rating"), gt(feedback_score, 4))',
    { feedback_stats: { star_rating: { avg: 4.5 } } },
    {},
  ],
  ['notlike(inputs, "%password%")', {}, { inputs: { text: "the password" } }],
  ['not(eq(run_type, "tool"))', {}, { run_type: "tool" }],
];

describe("the documented examples", () => {
  test.each(DOCUMENTED)("%s", (text, row, left) => {
    expect(selects(text, row)).toBe(true);
    expect(selects(text, left)).toBe(false);
  });
});

const WRITTEN: readonly (readonly [string, unknown])[] = [
  ["eq(name, 'it\\'s')", "it's"],
  ['eq(name, "say \\"hi\\"")', 'say "hi"'],
  ['eq(name, "tab\\t, \\u00e9, \\/ and \\q")', "tab\t, é, / and \\q"],
  ["eq(name, 'tab\\t, \\\\ and \"')", 'tab\\t, \\ and "'],
  ['eq(name, "it\'s")', "it's"],
  ["eq(name, '')", ""],
  ["eq('name', 'x')", "x"],
  [' \n eq (\tname ,\r\n"x" ) ', "x"],
  ["eq(metadata_value, -1)", -1],
  ["eq(metadata_value, +.5)", 0.5],
  ["eq(metadata_value, 1.)", 1],
  ["eq(metadata_value, 2e3)", 2000],
  ["eq(metadata_value, -0)", 0],
  ["eq(metadata_value, 2026-01-31)", "2026-01-31"],
  ...["true", "True", "TRUE"].map((word) => [`eq(is_root, ${word})`, true] as const),
  ...["false", "False", "FALSE"].map((word) => [`eq(is_root, ${word})`, false] as const),
  ['gt(latency, "1.5s")', 1.5],
  ["gt(latency, 2)", 2],
  [`eq(id, "${ID.toUpperCase()}")`, ID],
  ["in(name, ['a', \"b\"])", ["a", "b"]],
  ['has(metadata, \'{"a": {"b": [1]}}\')', { a: { b: [1] } }],
];

describe("values are written", () => {
  test.each(WRITTEN)("%s", (text, value) => {
    expect(parsed(text)).toHaveProperty("value", value);
  });

  test.each([
    ["2026-01-31", "2026-01-31T00:00:00.000000Z"],
    ['"2026-01-31"', "2026-01-31T00:00:00.000000Z"],
    ["2026-01-31T12:00:00", "2026-01-31T12:00:00.000000Z"],
    ["2026-01-31T12:00:00z", "2026-01-31T12:00:00.000000Z"],
    ["'2026-01-31T12:00:00Z'", "2026-01-31T12:00:00.000000Z"],
    ['"2026-01-31T13:00:00.000001+01:00"', "2026-01-31T12:00:00.000001Z"],
  ])("the time %s", (text, value) => {
    expect(parsed(`gte(start_time, ${text})`)).toStrictEqual({ op: "gte", field: "start_time", value });
  });
});

test("a single condition in an and or an or is equivalent to itself", () => {
  const alone = { op: "eq", field: "name", value: "x" };
  expect(parsed('and(or(and(eq(name, "x"))))')).toStrictEqual(alone);
  expect(parsed('not(and(eq(name, "x")))')).toStrictEqual({ op: "not", filter: alone });
});

const VALUES = {
  identifier: `"${OTHER_ID}"`,
  time: "2026-01-31",
  duration: "1",
  boolean: "true",
  metadata: "'{}'",
  score: "1",
  figure: "1",
  identifiers: `"${OTHER_ID}"`,
} as const;

test("every field accepts only the comparators of its kind", () => {
  for (const [field, { kind }] of Object.entries(FILTER_FIELDS)) {
    const { comparators }: { comparators: readonly string[] } = FILTER_KINDS[kind];
    const value = kind in VALUES ? VALUES[kind as keyof typeof VALUES] : '"x"';
    for (const op of ["eq", "neq", "gt", "gte", "lt", "lte", "in", "like", "notlike", "has", "exists"]) {
      const operand = op === "in" ? `[${value}]` : op.endsWith("like") ? '"%"' : value;
      const read = parseFilter(`${op}(${field}, ${operand})`);
      expect("filter" in read, `${op}(${field}, ${operand})`).toBe(comparators.includes(op));
    }
  }
});

test("eq takes every column of an export, and like every column with a text form (§2.5)", () => {
  for (const name of COLUMN_NAMES) {
    const { kind } = FILTER_FIELDS[name];
    const value = kind in VALUES ? VALUES[kind as keyof typeof VALUES] : '"x"';
    expect(parseFilter(`eq(${name}, ${value})`), name).toHaveProperty("filter");
    const hasText = !["time", "boolean", "figure"].includes(kind);
    expect("filter" in parseFilter(`like(${name}, "%")`), name).toBe(hasText);
  }
});

test("the comparators that the service was seen to refuse are refused like it", () => {
  for (const [field, { kind }] of Object.entries(FILTER_FIELDS)) {
    const { refused = [] }: FilterKind = FILTER_KINDS[kind];
    for (const op of refused) {
      const value = op.endsWith("like") || !(kind in VALUES) ? '"x"' : VALUES[kind as keyof typeof VALUES];
      expect(parseFilter(`not(${op}(${field}, ${value}))`, true)).toMatchObject({
        problem: { message: expect.stringMatching(/cannot be (compared with|filtered on)/) },
      });
    }
  }
});

test("no field is both filterable and not; what can be refused is a column", () => {
  expect(Object.keys(UNFILTERABLE_FIELDS).filter((name) => name in FILTER_FIELDS)).toEqual([]);
  expect(Object.keys(REFUSED_FIELDS).filter((name) => !(name in FILTER_FIELDS))).toEqual([]);
});

test("every column of an export can be named, unless the profile refuses it as the service does", () => {
  expect(COLUMN_NAMES.filter((name) => !(name in FILTER_FIELDS))).toEqual([]);
  for (const [name, hint] of Object.entries(REFUSED_FIELDS)) {
    const { kind } = FILTER_FIELDS[name as FilterField];
    const value = kind in VALUES ? VALUES[kind as keyof typeof VALUES] : '"x"';
    const text = `not(${FILTER_KINDS[kind].comparators[0]}(${name}, ${value}))`;
    expect(parseFilter(text)).toHaveProperty("filter");
    expect(parseFilter(text, true)).toMatchObject({
      problem: { message: `${name} cannot be filtered on`, hint },
    });
  }
});

test.each([
  ['eq(error, "boom")', { error: "boom" }, { error: null }],
  ['neq(error, "boom")', { error: null }, { error: "boom" }],
  ["gt(total_tokens, 5)", { total_tokens: 6 }, { total_tokens: 5 }],
  ["eq(prompt_tokens, 0)", { prompt_tokens: 0 }, { prompt_tokens: null }],
  ["lte(total_cost, 0.1)", { total_cost: "0.1" }, { total_cost: "0.100000000001" }],
  ["in(completion_cost, [1, 2.5])", { completion_cost: "2.50" }, { completion_cost: null }],
  [`has(parent_run_ids, "${OTHER_ID}")`, { parent_run_ids: [ID, OTHER_ID] }, { parent_run_ids: [ID] }],
  ['eq(tags, "a")', { tags: ["a", "b"] }, { tags: ["ab"] }],
  ['neq(tags, "a")', { tags: ["b"] }, { tags: ["b", "a"] }],
  ['like(tags, "a%")', { tags: ["b", "ab"] }, { tags: ["ba"] }],
  ['notlike(tags, "a%")', { tags: [] }, { tags: ["b", "ab"] }],
  [`eq(parent_run_ids, "${OTHER_ID}")`, { parent_run_ids: [ID, OTHER_ID] }, { parent_run_ids: [ID] }],
  [`like(id, "${ID.slice(0, 8)}%")`, { id: ID }, { id: OTHER_ID.replace(/^.{8}/, "ffffffff") }],
  [`eq(inputs, '{"a":1}')`, { inputs: { a: 1 } }, { inputs: { a: 1, b: 2 } }],
  [`neq(outputs, '{"a":1}')`, { outputs: null }, { outputs: { a: 1 } }],
  [`like(extra, '%"plan":"pro"%')`, {}, { extra: null }],
  ["like(events, '%token%')", { events: [{ name: "token" }] }, { events: [] }],
  ["like(feedback_stats, '%tone%')", {}, { feedback_stats: null }],
] as const)("%s", (text, passing, failing) => {
  expect([selects(text, passing), selects(text, failing)]).toEqual([true, false]);
});

test("tenant_id is the workspace of the row", () => {
  expect([selects(`eq(tenant_id, "${TENANT}")`), selects(`eq(tenant_id, "${ID}")`)]).toEqual([true, false]);
});
