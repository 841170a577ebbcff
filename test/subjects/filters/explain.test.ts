import { describe, expect, test } from "vitest";
import { explainFilter } from "../../../emulator/subjects/filters/explain.ts";
import { resultOf } from "../../support/steps.ts";
import { parsed, TENANT, traceRow } from "./rows.ts";

describe("an explanation names the innermost clause that keeps a row out", () => {
  test.each([
    ['and(eq(status, "success"), eq(run_type, "tool"))', 'eq(run_type, "tool")', 'its run_type is "llm"'],
    ['and(eq(name, "ChatOpenAI"), and(eq(is_root, false)))', "eq(is_root, false)", "its is_root is true"],
    [
      `eq(parent_run_id, "${traceRow().id}")`,
      `eq(parent_run_id, "${traceRow().id}")`,
      "it has no parent_run_id",
    ],
    ['has(tags, "x")', 'has(tags, "x")', 'its tags are "beta, prod"'],
    [
      "lt(latency, 1)",
      "lt(latency, 1)",
      "it lasted from 2026-01-31T12:00:00.000000Z to 2026-01-31T12:00:02.500000Z",
    ],
    [
      "gt(start_time, 2027-01-01)",
      'gt(start_time, "2027-01-01T00:00:00.000000Z")',
      'its start_time is "2026-01-31T12:00:00.000000Z"',
    ],
    ["gt(total_tokens, 3)", "gt(total_tokens, 3)", "its total_tokens is 3"],
    [`neq(tenant_id, "${TENANT}")`, `neq(tenant_id, "${TENANT}")`, `its tenant_id is "${TENANT}"`],
    [`has(parent_run_ids, "${TENANT}")`, `has(parent_run_ids, "${TENANT}")`, 'its parent_run_ids are ""'],
    ["search('x1')", 'search("x1")', "neither inputs nor outputs contain the text"],
    ['exists(metadata, "x")', 'exists(metadata, "x")', "its metadata has no such key"],
    [`has(metadata, '{"x":1}')`, 'has(metadata, "{\\"x\\":1}")', "its metadata does not contain the object"],
    ['like(inputs, "x%")', 'like(inputs, "x%")', "the text of its inputs does not fit the pattern"],
    ["not(eq(is_root, true))", "not(eq(is_root, true))", "eq(is_root, true) holds"],
    [
      'or(eq(name, "a"), eq(name, "b"))',
      'or(eq(name, "a"), eq(name, "b"))',
      "none of its 2 conditions holds",
    ],
    [
      'and(eq(metadata_key, "attempt"), eq(run_type, "llm"), eq(metadata_value, "3"))',
      'and(eq(metadata_key, "attempt"), eq(metadata_value, "3"))',
      'metadata has no entry with eq(metadata_key, "attempt") and eq(metadata_value, "3")',
    ],
    [
      'neq(metadata_key, "attempt")',
      'neq(metadata_key, "attempt")',
      'metadata has an entry with eq(metadata_key, "attempt")',
    ],
  ])("%s", (text, clause, because) => {
    expect(resultOf(explainFilter(parsed(text), traceRow(), TENANT))).toStrictEqual({
      passes: false,
      clause,
      because,
    });
  });

  test("is brief for a row that passes, and shortens long values", () => {
    expect(resultOf(explainFilter(parsed("eq(is_root, true)"), traceRow(), TENANT))).toStrictEqual({
      passes: true,
    });
    const long = resultOf(
      explainFilter(parsed('eq(name, "x")'), traceRow({ name: "y".repeat(100_000) }), TENANT),
    );
    expect(JSON.stringify(long).length).toBeLessThan(400);
  });
});
