import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExact, printExact } from "../../contracts/spec/exact-json.ts";
import { parseItemTexts } from "../../emulator/http/body.ts";
import { JsonText, valueWith } from "../../emulator/subjects/json-text.ts";

const NAMES = ["inputs", "outputs"];
const BOUNDS = { json_levels: 500, json_values: 1_000, json_names: 1_000 };

function parse(json: string): unknown {
  return parseItemTexts(Buffer.from(json), NAMES, BOUNDS);
}

const name = fc.constantFrom(...NAMES, "id", "post", "0", "__proto__", 'a"b\\');
const item = fc.oneof(
  fc.jsonValue(),
  fc.array(fc.tuple(name, fc.jsonValue())).map((members) => Object.fromEntries(members)),
);
const body = fc
  .array(fc.tuple(name, fc.oneof(fc.array(item), fc.jsonValue())))
  .map((members) => Object.fromEntries(members));

test("keeps fields of items as text, and parses all others", () => {
  const inputs = { messages: [{ content: 'ü "quoted"\n' }] };
  const read = parse(JSON.stringify({ post: [{ id: 1, inputs, extra: inputs }], outputs: inputs }));
  expect(read).toEqual({
    post: [{ id: 1, inputs: expect.any(JsonText), extra: inputs }],
    outputs: inputs,
  });
  expect((read as { post: [{ inputs: JsonText }] }).post[0].inputs.value).toEqual(inputs);
});

test("parses a member that printExact would write in other bytes, and one that is not an object", () => {
  const json = '{"post":[{"inputs":{"n":"\\u0041"},"outputs":5},{"inputs":null,"outputs":[{"a":1,"a":2}]}]}';
  expect(parse(json)).toEqual(JSON.parse(json));
});

test("parses a text for a word in it, not for one in another text of the body", () => {
  const post = [{ outputs: { a: 1 } }, { outputs: { usage: 2 } }, { outputs: { b: 3 }, name: "usage" }];
  const read = parse(JSON.stringify({ post })) as { readonly post: typeof post };
  const viewOf = (word: string) => read.post.map(({ outputs }) => valueWith(outputs, word));
  expect(viewOf("usage")).toEqual([undefined, { usage: 2 }, undefined]);
  expect(viewOf("cost")).toEqual([undefined, undefined, undefined]);
});

test.each(["input", "inputs2", "Inputs", "inputz", "tuptuo"])("a member called %s is parsed", (other) => {
  const value = { post: [{ [other]: { a: 1 }, id: "x" }] };
  expect(parse(JSON.stringify(value))).toEqual(value);
});

test("of two members of one name the last counts", () => {
  expect(JSON.stringify(parse('{"post":[{"inputs":{"a":1},"inputs":{"b":2}}]}'))).toBe(
    '{"post":[{"inputs":{"b":2}}]}',
  );
});

test.each([
  '{"post": [{"inputs":{}}]}',
  '{"post":[{"in\\u0070uts":0}]}',
  '{"post":[{"inputs":{}}]}\n',
  '[{"inputs":{}}]',
  '{"post":[{"inputs":{},}]}',
  '{"post":[{"inputs":{"a":1}]}',
  '{"post":[{"inputs":tru}]}',
  "{",
  "",
])("does not keep %s", (json) => expect(parse(json)).toBeUndefined());

test("keeps no text that is not UTF-8", () => {
  const bytes = Buffer.concat([Buffer.from('{"post":[{"id":"'), Buffer.of(0xff), Buffer.from('"}]}')]);
  expect(parseItemTexts(bytes, NAMES, BOUNDS)).toBeUndefined();
});

test("reads the same values as JSON.parse from any body", () => {
  const cases = fc.tuple(body, fc.nat(), fc.constantFrom(...'"\\{}[],:0-e /u\ta'), fc.boolean());
  fc.assert(
    fc.property(cases, ([value, place, put, isCut]) => {
      const whole = JSON.stringify(value);
      const at = place % whole.length;
      const json = isCut ? whole.slice(0, at) + put + whole.slice(at + 1) : whole;
      const read = parse(json);
      if (read !== undefined) expect(printExact(read)).toBe(printExact(parseExact(json)));
    }),
    { numRuns: 25 },
  );
});
