import { expect, test } from "vitest";
import type { FormPart } from "../../../contracts/spec/traces/resources.ts";
import { JsonText } from "../../../emulator/subjects/json-text.ts";
import { batchOfParts } from "../../../emulator/subjects/traces/parts.ts";

const BOUNDS = { json_levels: 500, json_values: 1_000, json_names: 1_000 };
const FIRST = "0aaaaaaa-0000-4000-8000-000000000001";
const SECOND = "0aaaaaaa-0000-4000-8000-000000000002";

function part(name: string, json: string, isOfPlainText = true): FormPart {
  const bytes = Buffer.from(json);
  return { name, contentType: "application/json", length: bytes.length, bytes, isOfPlainText };
}

function read(...parts: readonly FormPart[]) {
  const { posts, patches, problems } = batchOfParts(parts, true, BOUNDS);
  return JSON.parse(JSON.stringify({ posts, patches, problems }));
}

test("fields find their items in any order of parts", () => {
  const parts = [
    part(`post.${FIRST}.inputs`, '{"q":1}'),
    part(`patch.${FIRST}`, '{"name":"patch"}'),
    part(`post.${SECOND}`, '{"name":"second"}'),
    part(`post.${FIRST.toUpperCase()}`, '{"name":"first"}'),
    part(`post.${SECOND.toUpperCase()}.outputs`, '{"a":2}'),
    part(`post.${FIRST}.error`, '"no"'),
    part(`patch.${FIRST}.outputs`, '{"a":1}'),
  ];
  const expected = {
    posts: [
      { where: `post.${FIRST}`, value: { id: FIRST, name: "first", inputs: { q: 1 }, error: "no" } },
      { where: `post.${SECOND}`, value: { id: SECOND, name: "second", outputs: { a: 2 } } },
    ],
    patches: [{ where: `patch.${FIRST}`, value: { id: FIRST, name: "patch", outputs: { a: 1 } } }],
    problems: [],
  };
  expect(read(...parts)).toEqual(expected);
});

test.for(["inputs.more", "inputsx", "x", ".inputs", ""])(
  "the member %j behind a known item is refused",
  (end) => {
    const { problems } = read(part(`post.${FIRST}`, "{}"), part(`post.${FIRST}.${end}`, "{}"));
    expect(problems).toEqual([expect.stringContaining("must ")]);
  },
);

test("the same member twice is refused", () => {
  const { problems } = read(
    part(`post.${FIRST}`, "{}"),
    part(`post.${FIRST}.inputs`, "{}"),
    part(`post.${FIRST}.inputs`, "{}"),
  );
  expect(problems).toEqual([`post.${FIRST}.inputs: stands twice in the body`]);
});

test.for([true, false])(
  "a line break is taken between values, not in a string (plain text: %s)",
  (isPlain) => {
    const between = read(part(`post.${FIRST}`, "{}"), part(`post.${FIRST}.inputs`, '{\r\n"a":\n1}', isPlain));
    expect(between.problems).toEqual([]);
    expect(between.posts[0].value.inputs).toEqual({ a: 1 });
    const within = read(part(`post.${FIRST}`, "{}"), part(`post.${FIRST}.inputs`, '{"a":"\n"}', isPlain));
    expect(within.problems).toEqual([expect.stringContaining("is not JSON in UTF-8")]);
  },
);

test("stored values stay text; another control character in the body changes nothing", () => {
  for (const isPlain of [true, false]) {
    const parts = [part(`post.${FIRST}`, "{}"), part(`post.${FIRST}.inputs`, '{"a":1}', isPlain)];
    const [post] = batchOfParts(parts, true, BOUNDS).posts;
    expect(post?.value).toMatchObject({ inputs: expect.any(JsonText) });
  }
  const { problems } = read(
    part(`post.${FIRST}`, "{}"),
    part(`post.${FIRST}.inputs`, '{"a":"\u0001"}', false),
  );
  expect(problems).toEqual([expect.stringContaining("is not JSON in UTF-8")]);
});

test.each([
  [{ "put.x": "{}" }, "put.x: must be"],
  [{ "post.7": "{}" }, "post.7: must be"],
  [{ [`post.${FIRST}`]: "{}", [`post.${FIRST}.inptus`]: "{}" }, "inputs, outputs"],
  [{ [`post.${FIRST}.inputs`]: "{}" }, `post.${FIRST}: is missing, but parts with its members are present`],
  [
    { [`post.${SECOND}`]: JSON.stringify({ id: FIRST }) },
    `post.${SECOND}.id: must be the id in the part's name`,
  ],
  [{ [`post.${FIRST}`]: "{" }, "is not JSON in UTF-8"],
  [{ [`feedback.${FIRST}`]: "{" }, "is not JSON in UTF-8"],
])("the parts %j are refused", (parts, problem) => {
  const { problems } = read(...Object.entries(parts).map(([name, json]) => part(name, json)));
  expect(problems[0]).toContain(problem);
});

test("feedback gets the id of its part, and attachments are only described", () => {
  const parts = [
    part(`feedback.${SECOND}`, `{"run_id":"${FIRST}","key":"mood"}`),
    { ...part(`attachment.${FIRST.toUpperCase()}.photo.png`, "\u0000binary"), contentType: "image/png" },
  ];
  const { feedback, attachments, problems } = batchOfParts(parts, true, BOUNDS);
  const value = { id: SECOND, run_id: FIRST, key: "mood" };
  expect(JSON.parse(JSON.stringify(feedback))).toEqual([{ where: `feedback.${SECOND}`, value }]);
  expect(attachments).toEqual([{ run_id: FIRST, name: "photo.png", content_type: "image/png", bytes: 7 }]);
  expect(problems).toEqual([]);
});

test("a part must have a length where the service requires it", () => {
  const parts = [{ ...part(`post.${FIRST}`, "{}"), length: undefined }];
  expect(batchOfParts(parts, true, BOUNDS).problems).toEqual([`post.${FIRST}: must say its length`]);
  expect(batchOfParts(parts, false, BOUNDS).problems).toEqual([]);
});
