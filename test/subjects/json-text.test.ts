import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExact, printExact } from "../../contracts/spec/exact-json.ts";
import { JsonText, jsonWithTexts, keptText, valueWith } from "../../emulator/subjects/json-text.ts";

const textOf = (json: string) => keptText(Buffer.from(json));

describe("keptText", () => {
  test.each([
    '{"a":["é\\n\\"",{"b":-1.5,"__proto__":null}],"c":{}}',
    "[]",
    '[0,10,1e+21,true,false,""]',
    "[9007199254740993,1.0,-0,1e5,1E+2,0.10]",
    '{"b":1,"1":2}',
  ])("does not change %s", (json) => {
    expect(printExact(parseExact(json))).toBe(json);
    expect(textOf(json)?.bytes.toString()).toBe(json);
  });

  test.each([
    '{"a": 1}',
    "[01]",
    "[1.]",
    "[1e400]",
    `[${"9".repeat(309)}]`,
    "[NaN]",
    "[-Infinity]",
    "[1,]",
    "[1",
    "[1]]",
    "[1]\n",
    '{"a":1,"a":2}',
    '["\\u0041"]',
    '["\\/"]',
    '["\u0001"]',
    '["a]',
    '"text"',
    "1",
    "null",
    "",
  ])("does not keep %s", (json) => expect(textOf(json)).toBeUndefined());

  test("does not keep text that is not UTF-8 or deeply nested", () => {
    expect(keptText(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toBeUndefined();
    expect(textOf("[".repeat(151) + "]".repeat(151))).toBeUndefined();
    expect(textOf("[".repeat(150) + "]".repeat(150))).toBeDefined();
  });

  test("keeps the JSON text of objects and lists, and of other texts only what printExact would write", () => {
    const cut = fc.tuple(fc.jsonValue(), fc.nat(), fc.constantFrom(...'"\\{}[],:019-e.uu /\t\u0000a'));
    fc.assert(
      fc.property(cut, ([value, place, put]) => {
        const json = JSON.stringify(value);
        const isKept = textOf(json) !== undefined;
        if (isKept) expect(typeof value).toBe("object");
        const at = place % json.length;
        const other = json.slice(0, at) + put + json.slice(at + 1);
        if (textOf(other)) expect(printExact(parseExact(other))).toBe(other);
      }),
      { numRuns: 100 },
    );
  });
});

describe("valueWith", () => {
  const text = textOf('{"metadata":{"usage":{"total":3}}}');

  test("parses a text only for members that it may have", () => {
    expect(valueWith(text, "usage")).toEqual({ metadata: { usage: { total: 3 } } });
    expect(valueWith(text, "data")).toBeDefined();
    expect(valueWith(text, "total_tokens")).toBeUndefined();
    expect(valueWith(null, "usage")).toBeNull();
  });

  test("a text is JSON as its value would be", () => {
    expect(text).toBeInstanceOf(JsonText);
    expect(JSON.stringify({ text })).toBe('{"text":{"metadata":{"usage":{"total":3}}}}');
  });
});

describe("jsonWithTexts", () => {
  const textsIn = (value: unknown): unknown => {
    if (!Array.isArray(value)) return value;
    return textOf(JSON.stringify(value)) ?? value.map(textsIn);
  };

  test("writes texts in their places", () => {
    const stringUnit = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
    const value = fc.array(fc.jsonValue({ stringUnit }), { minLength: 1 });
    fc.assert(
      fc.property(value, (items) => {
        const json = JSON.stringify({ items });
        expect(jsonWithTexts({ items: items.map(textsIn) }).toString()).toBe(json);
        expect(jsonWithTexts({ items })).toBe(json);
      }),
      { numRuns: 8 },
    );
  });

  test("a string that looks like the place of a text is written as it is", () => {
    const value = ["\0 a text", textOf("[1]"), { "\0 a text": "\0 a text" }];
    expect(jsonWithTexts(value).toString()).toBe(JSON.stringify(value));
  });
});
