import fc from "fast-check";
import { expect, test } from "vitest";
import { compileFilter } from "../../../emulator/subjects/filters/compile.ts";
import { explainFilter, printFilter } from "../../../emulator/subjects/filters/explain.ts";
import { likeTest } from "../../../emulator/subjects/filters/like.ts";
import { parseFilter } from "../../../emulator/subjects/filters/parse.ts";
import { anyText } from "../../support/any-text.ts";
import { resultOf } from "../../support/steps.ts";
import { filters, rows } from "./arbitraries.ts";
import { fitsPattern, holds } from "./reference-evaluator.ts";
import { OTHER_ID, parsed, traceRow } from "./rows.ts";

test("a compiled filter and its explanation agree with a naive evaluator on every row", () => {
  let passed = 0;
  let judged = 0;
  fc.assert(
    fc.property(filters, fc.array(rows, { minLength: 4, maxLength: 4 }), (filter, some) => {
      const test = compileFilter(filter, OTHER_ID);
      for (const row of some) {
        const expected = holds(filter, row, OTHER_ID);
        judged++;
        if (expected) passed++;
        expect(resultOf(test(row)), `${printFilter(filter)} on ${JSON.stringify(row)}`).toBe(expected);
        expect(resultOf(explainFilter(filter, row, OTHER_ID)).passes).toBe(expected);
      }
    }),
    { numRuns: 75 },
  );
  // Filters that select everything or nothing would not test anything.
  expect(passed / judged).toBeGreaterThan(0.15);
  expect(passed / judged).toBeLessThan(0.85);
});

test("a printed filter parses as the same filter", () => {
  fc.assert(
    fc.property(filters, (filter) => {
      const read = parseFilter(printFilter(filter));
      if ("problem" in read) fc.pre(!read.problem.message.startsWith("a second "));
      expect(read).toStrictEqual({ filter });
    }),
    { numRuns: 50 },
  );
});

test("like agrees with a matcher that tries every alignment", () => {
  const letters = fc.constantFrom("a", "b", "😀", "%", "_", "\\");
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 7 }), fc.array(letters, { maxLength: 8 }), (pattern, text) => {
      expect(likeTest(pattern.join(""))(text.join(""))).toBe(fitsPattern(pattern, text));
    }),
    { numRuns: 125 },
  );
});

test("the parser never throws, and its problems are within the text", () => {
  const pieces = fc.constantFrom(
    ..."()[],.\"'\\ \n%_-+:={}“".split(""),
    ...[
      "and",
      "or",
      "not",
      "eq",
      "like",
      "in",
      "has",
      "search",
      "name",
      "tags",
      "latency",
      "metadata",
      "metadata_key",
    ],
    ...[
      "null",
      "true",
      "2026-01-31",
      "2026-13-99T99:99",
      "1e999",
      "-",
      "5s",
      '"5s"',
      '"a"',
      "'{}'",
      "\ud83d",
      "\u0000",
    ],
  );
  const rough = fc.array(pieces, { maxLength: 20 }).map((all) => all.join(""));
  const nearly = fc
    .tuple(filters.map(printFilter), fc.nat(), fc.nat(4), pieces)
    .map(([text, at, count, piece]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(place + count);
    });
  fc.assert(
    fc.property(fc.oneof(rough, nearly, anyText), (text) => {
      const read = parseFilter(text);
      if ("filter" in read) {
        resultOf(compileFilter(read.filter, OTHER_ID)(traceRow()));
        expect(parsed(printFilter(read.filter))).toStrictEqual(read.filter);
      } else {
        expect(read.problem.position).toBeGreaterThanOrEqual(0);
        expect(read.problem.position).toBeLessThanOrEqual(text.length);
        expect(read.problem.message).not.toBe("");
      }
    }),
    { numRuns: 125 },
  );
});
