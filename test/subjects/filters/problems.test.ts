import { describe, expect, test } from "vitest";
import { FILTER_BOUNDS } from "../../../contracts/spec/filter-language.ts";
import { parseFilter } from "../../../emulator/subjects/filters/parse.ts";
import { problemText } from "../../../emulator/subjects/filters/problem.ts";

function problemOf(text: string, refusesSome = false) {
  const read = parseFilter(text, refusesSome);
  if ("filter" in read) throw new Error(`${text} is a filter`);
  return read.problem;
}

test.each([
  ['eq(tags, "x")', "tags cannot be compared with eq", 'has(tags, "…")'],
  ['neq(tags, "x")', "tags cannot be compared with neq", 'not(has(tags, "…"))'],
  ['eq(inputs, "x")', "inputs cannot be compared with eq", "input_value"],
  ['like(id, "x")', "id cannot be compared with like", "It takes eq, neq, in."],
])("%s is refused where the service was seen to refuse it", (text, message, hint) => {
  const problem = problemOf(text, true);
  expect([problem.message, problem.hint]).toEqual([message, expect.stringContaining(hint)]);
});

/** The `»` marks the expected position of the problem. It is not a part of the filter. */
const PROBLEMS: readonly (readonly [marked: string, message: string, hint?: string])[] = [
  ["»", "the filter is empty", "Leave it out"],
  ["»  ", "the filter is empty", "Leave it out"],
  // What is written in another language.
  ['eq(name, »\\"x\\")', "unexpected \\", "The quotes are escaped once too often"],
  ["eq(name, »“x”)", "unexpected “", "straight quotes"],
  ['status »== "error"', "unexpected =", 'eq(name, "x")'],
  ['has(metadata, »{"k": "v"})', "unexpected {", "in single quotes"],
  ["»\"eq(name, 'x')\"", "is not a condition", "Leave out the quotes around the whole filter."],
  ["»name", '"name" is not a condition', 'eq(status, "error")'],
  ["eq(name, »😀)", "unexpected 😀"],
  // Brackets, commas, quotes and figures.
  ['eq(name, »"x)', "the text that begins here has no end", 'Close it with ".'],
  ["eq(name, »'x\\')", "the text that begins here has no end", "Close it with '."],
  ['and(eq(name, "x")»', "ends too early", "The bracket at character 4 is not closed: ) is missing."],
  ["eq(name,»", "ends too early", "missing"],
  ['in(name, ["x"»)', "stands where a comma or ] is expected"],
  ['eq(name, "x")»)', '")" comes after the end', "one bracket too many"],
  ['eq(name, "x") »eq(name, "y")', '"eq" comes after the end', "and(…, …)"],
  ['eq(name »"x")', 'the text "x" stands where a comma or ) is expected'],
  ["eq(name, »)", '")" stands where a value is expected'],
  ["gt(latency, »5s)", '"5s" is not a number', 'Put it in quotes: "5s".'],
  ["gt(start_time, »2026-01-31T12)", "is not a number, a date or a time", "Put it in quotes"],
  ["gt(latency, »1e999)", "out of range"],
  // Names.
  ['»equals(name, "x")', 'unknown function "equals"', "Did you mean eq?"],
  ['»AND(eq(name, "x"))', 'unknown function "AND"', "Did you mean and?"],
  ['»qqqqqqqqq(name, "x")', "unknown function", "Use one of and, or, not, eq,"],
  ['eq(»nmae, "x")', 'unknown field "nmae"', "Did you mean name?"],
  ['eq(»duration, "x")', 'unknown field "duration"', "Did you mean latency?"],
  ['eq(»metadata.thread_id, "x")', "unknown field", 'eq(metadata_key, "thread_id")'],
  ['eq(»inputs.messages.content, "x")', "unknown field", 'eq(input_key, "messages.content")'],
  [`eq(»${"x".repeat(60_000)}, 1)`, "unknown field", "Use one of id, tenant_id,"],
  ["eq(»execution_order, 1)", "execution_order cannot be filtered on", "eq(is_root, true)"],
  ["neq(error, »null)", "null is not a value: the filter language has no null", 'neq(status, "error")'],
  ['gt(total_tokens, »"5")', 'total_tokens takes a number, not the text "5"', "Leave out the quotes: 5."],
  // Arguments.
  ["»and()", "and takes one condition or more, not 0"],
  ['and(»"x")', "and takes conditions, not a value", 'eq(status, "error")'],
  ["or(»name, 5)", "or takes conditions, not a value"],
  ['»not(eq(name, "x"), eq(name, "y"))', "not takes one condition, not 2", "not(or(…, …))"],
  ['»search(name, "x")', "search takes 1 argument, not 2", "looks through inputs and outputs"],
  ["search(»5)", "search takes a text in quotes"],
  ['search(»"")', "every row contains the empty text"],
  ["»eq(name)", "eq takes 2 arguments, not 1", "eq(field, value)"],
  ['»in(name, "a", "b")', "in takes 2 arguments, not 3", "into a list"],
  ['eq(»5, "x")', "the first argument of eq is the name of a field"],
  ['eq(»eq(name, "x"), true)', "the first argument of eq is the name of a field"],
  // Comparators.
  ['»like(metadata, "x")', "metadata cannot be compared with like", "metadata_key"],
  [
    '»like(start_time, "2026%")',
    "start_time cannot be compared with like",
    "It takes eq, neq, gt, gte, lt, lte.",
  ],
  // Values.
  ["eq(end_time, »null)", "null is not a value: the filter language has no null", 'eq(status, "pending")'],
  ["neq(parent_run_id, »None)", "None is not a value", "eq(is_root, true)"],
  ["eq(metadata_value, »null)", "null is not a value", "neq(metadata_key"],
  ["eq(name, »null)", "null is not a value", "needs a value"],
  ["eq(status, »error)", '"error" is not a value', 'Put it in quotes: "error".'],
  ['eq(name, »eq(id, "x"))', "a condition stands where the value of name is expected"],
  ['eq(name, »["x"])', "eq takes one value", "in(name, […])"],
  ['in(name, »"x")', "in takes a list", 'in(name, ["a", "b"])'],
  ["in(name, »[])", "the list is empty"],
  ['in(name, ["x", »5])', "name takes a text in quotes, not 5", 'Put it in quotes: "5".'],
  ['in(name, ["x", »["y"]])', "in takes one value"],
  ['eq(id, »"x")', "id takes a uuid in quotes"],
  ['eq(start_time, »"yesterday")', "start_time takes a date or a time such as"],
  ["eq(start_time, »2025-02-30)", "start_time takes a date or a time such as"],
  ["eq(start_time, »5)", "start_time takes a date or a time such as"],
  ['gt(latency, »"500ms")', "latency takes a number of seconds", 'Seconds are the only unit: "0.5s".'],
  ['gt(latency, »"2m")', "latency takes a number of seconds", '"120s"'],
  ['gt(latency, »"5")', "latency takes a number of seconds", 'Write "5s", or the number without quotes.'],
  ['gt(latency, »"soon")', "latency takes a number of seconds"],
  ['eq(is_root, »"true")', "is_root takes true or false", "Leave out the quotes: true."],
  ["eq(is_root, »1)", "is_root takes true or false"],
  ['gt(feedback_score, »"0.5")', "feedback_score takes a number", "Leave out the quotes: 0.5."],
  ["gt(metadata_value, »true)", "puts texts or numbers in order", "Write eq or neq."],
  ["has(tags, »5)", "tags takes a text in quotes", 'Put it in quotes: "5".'],
  ['has(metadata, »"thread_id")', "is not valid JSON", 'exists(metadata, "key")'],
  ["has(metadata, »'[1]')", "is not a JSON object", 'exists(metadata, "key")'],
  ["has(metadata, »5)", "has takes a JSON object in quotes"],
  [`has(metadata, »'{"a":${"[".repeat(300)}${"]".repeat(300)}}')`, "must not be nested more than"],
  [
    'and(eq(metadata_key, "a"), eq(name, "x"), »eq(metadata_key, "b"))',
    "a second metadata_key in the same and",
    "Give each pair its own and",
  ],
];

describe("an invalid filter is refused with position and reason", () => {
  test.each(PROBLEMS.map(([marked, message, hint = ""]) => [marked, message, hint] as const))(
    "%s",
    (marked, message, hint) => {
      const problem = problemOf(marked.replace("»", ""));
      expect(problem.position).toBe(marked.startsWith("»  ") ? 0 : marked.indexOf("»"));
      expect(problem.message).toContain(message);
      expect(problem.hint ?? "").toContain(hint);
      expect(problem.message.length).toBeLessThan(200);
      expect((problem.hint ?? "").length).toBeLessThan(600);
    },
  );

  test("counting characters from one", () => {
    expect(problemText(problemOf("eq(name, 5)"))).toBe(
      "at character 10: name takes a text in quotes, not 5.",
    );
  });

  test("the same key twice in one and is one key, and other comparators may meet", () => {
    for (const second of [
      'eq(metadata_key, "a")',
      'neq(metadata_key, "b")',
      'like(metadata_key, "b%")',
      'eq(input_key, "b")',
    ])
      expect(parseFilter(`and(eq(metadata_key, "a"), ${second})`)).toHaveProperty("filter");
  });
});

describe("a filter is bounded", () => {
  const { characters, nesting, listItems, wildcards } = FILTER_BOUNDS;
  const one = 'eq(name,"x")';
  const nested = (levels: number) => "not(".repeat(levels) + one + ")".repeat(levels);

  test("in characters", () => {
    const fits = one.replace("x", "x".repeat(characters - one.length + 1));
    expect(parseFilter(fits)).toHaveProperty("filter");
    expect(problemOf(`${fits} `)).toMatchObject({
      position: characters,
      message: expect.stringContaining("65536"),
    });
  });

  test("in levels", () => {
    expect(parseFilter(nested(nesting - 1))).toHaveProperty("filter");
    expect(problemOf(nested(nesting)).message).toContain("nested at most 100 deep");
    expect(problemOf(`eq(name, ${"[".repeat(5_000)}`).message).toContain("nested at most");
  });

  test("in arguments and values of a list", () => {
    const filters = (count: number) => `or(${Array(count).fill(one).join()})`;
    expect(parseFilter(filters(FILTER_BOUNDS.arguments))).toHaveProperty("filter");
    expect(problemOf(filters(FILTER_BOUNDS.arguments + 1)).message).toContain("at most 1000 arguments");
    const list = (count: number) => `in(name, [${Array(count).fill("'x'").join()}])`;
    expect(parseFilter(list(listItems))).toHaveProperty("filter");
    expect(problemOf(list(listItems + 1)).message).toContain("at most 1000 values");
  });

  test("in groups of wildcards between two %", () => {
    const like = (pattern: string) => `like(name, ${JSON.stringify(pattern)})`;
    const groups = (count: number) => `%${"a__".repeat(count)}%`;
    expect(parseFilter(like(groups(wildcards)))).toHaveProperty("filter");
    expect(parseFilter(like(groups(wildcards).repeat(2)))).toHaveProperty("filter");
    expect(parseFilter(like("a\\_".repeat(2 * wildcards)))).toHaveProperty("filter");
    expect(problemOf(like(groups(wildcards + 1))).message).toContain("at most 100 separate groups of _");
  });
});
