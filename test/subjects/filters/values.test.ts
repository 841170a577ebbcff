import { describe, expect, test } from "vitest";
import { likeTest } from "../../../emulator/subjects/filters/like.ts";
import { OTHER_ID, selects } from "./rows.ts";

describe("like", () => {
  test.each([
    ["abc", "abc", true],
    ["abc", "abcd", false],
    ["a%", "abc", true],
    ["%c", "abc", true],
    ["%b%", "abc", true],
    ["a%c", "ac", true],
    ["ab%bc", "abc", false],
    ["%ab%ab", "ab", false],
    ["a_c", "abc", true],
    ["a_c", "a😀c", true],
    ["%_😀", "x😀", true],
    ["%_😀", "😀", false],
    ["_", "", false],
    ["", "", true],
    ["%", "line\nfeed", true],
    ["a_b", "a\nb", true],
    ["50\\%", "50%", true],
    ["50\\%", "500", false],
    ["a\\_c", "abc", false],
    ["a\\\\c", "a\\c", true],
    ["end\\", "end\\", true],
    ["(.*)+[x]$", "(.*)+[x]$", true],
    ["ABC", "abc", false],
  ])("%s on %s: %s", (pattern, text, verdict) => {
    expect(likeTest(pattern)(text)).toBe(verdict);
  });

  test("takes linear time for any pattern", () => {
    const text = "a".repeat(50_000);
    expect(likeTest(`${"%a".repeat(2_000)}%b`)(text)).toBe(false);
    expect(likeTest(`${"%_a".repeat(2_000)}%b`)(text)).toBe(false);
  });

  // With the product of both lengths, each of them would take minutes.
  test.each([
    ["a long literal", `%${"a".repeat(30_000)}x${"a".repeat(30_000)}%`],
    ["many wildcards before a literal", `%${"_".repeat(60_000)}x%`],
    ["a wildcard between long literals", `%${"a".repeat(30_000)}_${"a".repeat(30_000)}%`],
    ["a wildcard behind each character", `%${"a_".repeat(30_000)}b%`],
  ])("takes linear time for %s", (_, pattern) => {
    expect(likeTest(pattern)(`${"a".repeat(50_000)}cc`.repeat(100))).toBe(false);
  });
});

describe("a value that is not there", () => {
  test.each([
    [`eq(parent_run_id, "${OTHER_ID}")`, false],
    [`neq(parent_run_id, "${OTHER_ID}")`, true],
    ["lt(first_token_time, 2030-01-01)", false],
    ["not(lt(first_token_time, 2030-01-01))", true],
    ["neq(first_token_time, 2030-01-01)", true],
  ])("%s: %s", (filter, verdict) => {
    expect(selects(filter)).toBe(verdict);
  });

  test("takes no time and fits no pattern", () => {
    for (const op of ["eq", "gt", "gte", "lt", "lte"])
      expect(selects(`${op}(latency, 2.5)`, { end_time: null })).toBe(false);
    expect(selects("neq(latency, 2.5)", { end_time: null })).toBe(true);
    expect(selects("like(outputs, '%')", { outputs: null })).toBe(false);
    expect(selects("notlike(outputs, '%')", { outputs: null })).toBe(true);
  });
});

describe("times and durations", () => {
  test.each([
    ["gte(start_time, 2026-01-31)", true],
    ["lt(start_time, 2026-01-31)", false],
    ["eq(start_time, '2026-01-31T12:00:00Z')", true],
    ["gt(start_time, '2026-01-31T12:00:00Z')", false],
    ["gte(start_time, '2026-01-31T13:00:00+01:00')", true],
    ["lte(end_time, '2026-01-31T12:00:02.499999Z')", false],
    ["eq(latency, 2.5)", true],
    ["gte(latency, '2.5s')", true],
    ["gt(latency, 2.499999)", true],
    ["lt(latency, 2.500001)", true],
  ])("%s: %s", (filter, verdict) => {
    expect(selects(filter)).toBe(verdict);
  });
});

describe("values of entries", () => {
  test.each([
    ["and(eq(metadata_key, 'attempt'), eq(metadata_value, '2'))", true],
    ["and(eq(metadata_key, 'attempt'), eq(metadata_value, 2))", true],
    ["and(eq(metadata_key, 'attempt'), gt(metadata_value, '1'))", false],
    ["and(eq(metadata_key, 'cached'), eq(metadata_value, true))", true],
    ["and(eq(metadata_key, 'cached'), eq(metadata_value, 'true'))", true],
    ["and(eq(metadata_key, 'thread_id'), gt(metadata_value, 't'))", true],
    ["and(eq(metadata_key, 'thread_id'), in(metadata_value, [5, 't-1']))", true],
    ["has(metadata, '{\"attempt\": 2}')", true],
    ['has(metadata, \'{"attempt": "2"}\')', false],
    ["has(metadata, '{\"user\": {}}')", true],
    ['has(metadata, \'{"user": {"plan": "pro", "age": 1}}\')', false],
  ])("%s: %s", (filter, verdict) => {
    expect(selects(filter)).toBe(verdict);
  });
});

describe("search", () => {
  test.each([
    ["search('PARCEL')", true],
    ["search('on its way')", true],
    ["search('temperature')", true],
    ["search('0.5')", true],
    ["search('{')", false],
    ["search('ChatOpenAI')", false],
  ])("%s: %s", (filter, verdict) => {
    expect(selects(filter)).toBe(verdict);
  });

  test("finds what JSON would have escaped", () => {
    const inputs = { text: 'a "quoted"\nline' };
    expect(selects("search('\"quoted\"')", { inputs })).toBe(true);
    expect(selects('search("\\"\\nline")', { inputs })).toBe(true);
    expect(selects("search('nline')", { inputs })).toBe(false);
  });
});
