import { describe, expect, test } from "vitest";
import { selects } from "./rows.ts";

const ROWS = {
  "no metadata": null,
  "k: v": { k: "v" },
  "k: other": { k: "other" },
  "k: other, l: v": { k: "other", l: "v" },
  "l: v": { l: "v" },
  "l: other": { l: "other" },
} as const;

/** Which of the rows a filter selects. */
function selected(filter: string): readonly string[] {
  return Object.entries(ROWS).flatMap(([name, metadata]) =>
    selects(filter, { extra: metadata === null ? null : { metadata } }) ? [name] : [],
  );
}

describe("a key and a value in the same and", () => {
  test.each([
    ["eq(metadata_key, 'k')", ["k: v", "k: other", "k: other, l: v"]],
    ["neq(metadata_key, 'k')", ["no metadata", "l: v", "l: other"]],
    ["eq(metadata_value, 'v')", ["k: v", "k: other, l: v", "l: v"]],
    ["neq(metadata_value, 'v')", ["no metadata", "k: other", "l: other"]],
    ["notlike(metadata_value, 'v%')", ["no metadata", "k: other", "l: other"]],
    ["and(eq(metadata_key, 'k'), eq(metadata_value, 'v'))", ["k: v"]],
    ["and(eq(metadata_value, 'v'), eq(metadata_key, 'k'))", ["k: v"]],
    ["and(eq(metadata_key, 'k'), neq(metadata_value, 'v'))", ["k: other", "k: other, l: v"]],
    ["and(like(metadata_key, 'k%'), notlike(metadata_value, 'v'))", ["k: other", "k: other, l: v"]],
    ["and(neq(metadata_key, 'k'), eq(metadata_value, 'v'))", ["l: v"]],
    ["and(neq(metadata_key, 'k'), neq(metadata_value, 'v'))", ["no metadata", "l: other"]],
    ["and(in(metadata_key, ['k', 'm']), eq(metadata_value, 'v'))", ["k: v"]],
    ["and(eq(metadata_key, 'k'), neq(metadata_key, 'l'))", ["k: v", "k: other"]],
    ["and(eq(metadata_key, 'k'), eq(run_type, 'llm'), eq(metadata_value, 'v'))", ["k: v"]],
  ])("%s", (filter, rows) => {
    expect(selected(filter)).toEqual(rows);
  });

  test("do not pair up across or, not, another and, or other entries", () => {
    const both = ["k: v", "k: other, l: v"];
    expect(selected("and(eq(metadata_key, 'k'), and(eq(metadata_value, 'v'), eq(run_type, 'llm')))")).toEqual(
      both,
    );
    expect(selected("and(eq(metadata_key, 'k'), not(neq(metadata_value, 'v')))")).toEqual(both);
    expect(selected("or(eq(metadata_key, 'k'), eq(metadata_value, 'v'))")).toEqual([
      ...both.slice(0, 1),
      "k: other",
      both[1],
      "l: v",
    ]);
    expect(
      selected(
        "and(and(eq(metadata_key, 'k'), eq(metadata_value, 'other')), and(eq(metadata_key, 'l'), eq(metadata_value, 'v')))",
      ),
    ).toEqual(["k: other, l: v"]);
    expect(
      selects("and(eq(input_key, 'k'), eq(output_value, 'v'))", { inputs: { k: "x" }, outputs: { l: "v" } }),
    ).toBe(true);
  });
});

describe("nested entries", () => {
  const inputs = {
    messages: [{ content: "one" }, { content: ["two", 3] }],
    empty: [],
    a: { "b.c": { d: null } },
  };

  test.each([
    ["eq(input_key, 'messages')", true],
    ["eq(input_key, 'messages.content')", true],
    ["eq(input_key, 'empty')", true],
    ["eq(input_key, 'a.b.c.d')", true],
    ["eq(input_key, 'a.b.c')", true],
    ["eq(input_key, 'a.b')", false],
    ["eq(input_key, 'content')", false],
    ["eq(input_key, 'messages.content.length')", false],
    ["eq(input_key, 'toString')", false],
    ["like(input_key, 'a.%.d')", true],
    ["neq(input_key, 'messages')", false],
    ["and(eq(input_key, 'messages.content'), eq(input_value, 'two'))", true],
    ["and(eq(input_key, 'messages.content'), eq(input_value, '3'))", true],
    ["and(eq(input_key, 'messages.content'), gt(input_value, 2))", true],
    ["and(eq(input_key, 'messages.content'), gt(input_value, 3))", false],
    ["and(eq(input_key, 'messages'), like(input_value, '%'))", false],
    ["and(eq(input_key, 'a.b.c.d'), like(input_value, '%'))", false],
  ])("%s: %s", (filter, verdict) => {
    expect(selects(filter, { inputs })).toBe(verdict);
  });

  test("a key of exists leads as deep", () => {
    expect(selects('exists(metadata, "user.plan")')).toBe(true);
    expect(selects('exists(metadata, "plan")')).toBe(false);
  });
});

describe("feedback", () => {
  test.each([
    ["eq(feedback_key, 'score')", true],
    ["eq(feedback_key, 'missing')", false],
    ["and(eq(feedback_key, 'score'), eq(feedback_score, 0.25))", true],
    ["and(eq(feedback_key, 'tone'), gte(feedback_score, 0))", false],
    ["and(eq(feedback_key, 'tone'), neq(feedback_score, 0))", true],
    ["gt(feedback_score, 0.2)", true],
    ["and(eq(feedback_key, 'tone'), eq(feedback_value, 'short'))", true],
    ["and(eq(feedback_key, 'score'), eq(feedback_value, 'short'))", false],
    ["and(eq(feedback_key, 'tone'), neq(feedback_value, 'short'))", false],
    ["and(eq(feedback_key, 'tone'), neq(feedback_value, 'rude'))", true],
    ["neq(feedback_value, 'short')", false],
  ])("%s: %s", (filter, verdict) => {
    expect(selects(filter)).toBe(verdict);
  });
});
