import { describe, expect, it } from "vitest";
import { parseExact, printExact } from "../../contracts/spec/exact-json.ts";
import { differences } from "../../scenarios/matching.ts";
import { ABSENT, valueAt } from "../../scenarios/paths.ts";
import { filled, verbatim } from "../../scenarios/variables.ts";

const RUNS = [
  { id: "00000000-0000-4000-8000-000000000001", status: "COMPLETED", errors: { retry_0: "once" }, rows: 3 },
  { id: "00000000-0000-4000-8000-000000000002", status: "FAILED", errors: {}, rows: 4 },
];

describe("an expectation", () => {
  it("decides a pattern that would make a backtracking engine try 2^5000 ways", () => {
    const text = `${"a".repeat(5_000)}b`;
    expect(differences({ $regex: "^(a+)+$" }, text)).toHaveLength(1);
    expect(differences({ $regex: "^(a|aa)+b$" }, text)).toEqual([]);
  });

  it.each([
    ["a member by name", { status: "FAILED" }, RUNS[1]],
    ["a path", { "1.status": "FAILED", "0.errors.retry_0": "once", "[-1].rows": 4, length: 2 }, RUNS],
    ["a star", { "*.status": ["COMPLETED", "FAILED"] }, RUNS],
    ["$uuid", { "*.id": { $every: "$uuid" } }, RUNS],
    ["$time", "$time", "2026-03-01T00:00:00.000000Z"],
    ["$absent", { gone: "$absent" }, { here: 1 }],
    ["$any", { here: "$any" }, { here: null }],
    ["$regex", { $regex: "^on.e$" }, "on😀e"],
    ["$within of numbers", { $within: [1, 3] }, 3],
    ["$within of times", { $within: { of: "2026-03-01T00:00:00Z", by: "PT1S" } }, "2026-02-28T23:59:59Z"],
    [
      "$within of a span of time",
      { $within: ["2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z"] },
      "2026-03-01T00:00:00.000000Z",
    ],
    ["$length", { $length: { $within: [1, 2] } }, RUNS],
    ["$contains", { $contains: { status: "FAILED" } }, RUNS],
    ["$unordered", { "*.status": { $unordered: ["FAILED", "COMPLETED"] } }, RUNS],
    ["$unique", { $unique: "id" }, RUNS],
    ["$oneOf", { $oneOf: [1, "$text"] }, "two"],
    ["$not", { $not: "$uuid" }, "two"],
    ["null", { end: null }, { end: null }],
  ])("%s", (_, expected, actual) => {
    expect(differences(expected, actual)).toEqual([]);
    expect(differences({ $not: expected }, actual)).toHaveLength(1);
  });

  it.each([
    ["another value", { "0.status": "FAILED" }, RUNS, ['0.status: expected "FAILED", found "COMPLETED"']],
    ["a member that is not there", { gone: 1 }, {}, ["gone: expected 1, found nothing"]],
    ["another length", [1], [1, 2], [".length: expected 1, found 2"]],
    [
      "what is missing and what is too much",
      { $unordered: [1, 2] },
      [2, 3],
      ["the list: 1 is missing", "the list: 3 is unexpected"],
    ],
    [
      "what is there twice",
      { $unique: "." },
      [1, 2, 1],
      ['the value: expected a list without repetitions, found "1"'],
    ],
    [
      "a time outside of its span",
      { $within: ["2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z"] },
      "2026-03-01T00:00:00.000001Z",
      [expect.stringContaining('found "2026-03-01T00:00:00.000001Z"')],
    ],
    [
      "a number in a span of time",
      { $within: ["2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z"] },
      3,
      [expect.stringMatching(/found 3$/)],
    ],
    ["a text for a number", 1, "1", ['the value: expected 1, found "1"']],
    ["a matcher that is none", { $near: 1 }, 1, ["the value: $near is not a matcher"]],
    ["a list of nothing", { $every: 1 }, "x", ['the value: expected a list, found "x"']],
  ])("reports %s", (_, expected, actual, events) => {
    expect(differences(expected, actual)).toEqual(events);
  });
});

describe("variables", () => {
  it("keep their type alone, and are text among text", () => {
    const variables = { n: 3, export: { id: "x" }, list: ["a", "b"], round: 1 };
    expect(filled({ alone: "${n}", within: "n=${n}", deep: ["${export.id}"], "${n}": 1 }, variables)).toEqual(
      {
        alone: 3,
        within: "n=3",
        deep: ["x"],
        3: 1,
      },
    );
    expect(filled("${list.${round}} $${n}", variables)).toBe("b ${n}");
    const exact = { n: parseExact("10.0"), document: parseExact('{"2":1.0}') };
    expect(printExact(filled(["${n}", "n=${n}", "${document}!", { "${n}": 1 }], exact))).toBe(
      '[10.0,"n=10.0","{\\"2\\":1.0}!",{"10.0":1}]',
    );
  });

  it("are not replaced in literal text", () => {
    for (const text of ["${n}", "a ${n} b", "$${n}", "$$${n}", "${", "${}", "$", "${a.${b}}"]) {
      expect(filled(verbatim(text), { n: 3 }), text).toBe(text);
      expect(filled(verbatim({ [text]: [text, 1, null] }), { n: 3 })).toEqual({ [text]: [text, 1, null] });
    }
  });

  it("that nothing has set are named", () => {
    expect(() => filled("${gone}", { n: 1 })).toThrow("${gone} is not set; set are n");
  });

  it("are not read from what they hold", () => {
    expect(filled("<${a}>", { a: "${b}", b: "never" })).toBe("<${b}>");
  });
});

it("distinguishes a missing path from null", () => {
  expect(valueAt({ a: null }, "a")).toBe(null);
  expect(valueAt({ a: null }, "a.b")).toBe(ABSENT);
  expect(valueAt([[1], [2]], "*.*")).toEqual([1, 2]);
  expect(valueAt({}, "constructor")).toBe(ABSENT);
});
