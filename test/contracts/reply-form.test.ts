import { expect, it, onTestFinished } from "vitest";
import { readForm } from "../../contracts/engine/oracle/reply-form.ts";
import { createAddressTarget, runContracts } from "../../contracts/index.ts";
import { integer, listOf, object, text } from "../../contracts/spec/fields.ts";
import { halfRightServer, type Mistakes, THREAD } from "./partially-conforming/server.ts";

const ITEM = object({ run_id: text(), created_at: text(), count: integer() });
const LIST = listOf(ITEM);

it.each([
  [LIST, { runs: [{ run_id: "a" }], next: null }, [{ run_id: "a" }], "{runs: […]}"],
  [LIST, { data: { items: [] } }, [], "{data: {items: […]}}"],
  [ITEM, { data: { run_id: "a" } }, { run_id: "a" }, "{data: {…}}"],
  [LIST, [{ runId: "a", count: 1 }], [{ run_id: "a", count: 1 }], "runId for run_id"],
  [ITEM, { result: { "created-at": "x" } }, { created_at: "x" }, "{result: {…}}, created-at for created_at"],
])("%# looks through an envelope and other spellings", (schema, body, expected, form) => {
  expect(readForm(schema, body)).toEqual({ body: expected, form });
});

it.each([
  [LIST, [{ run_id: "a" }]],
  [LIST, { runs: [], errors: [] }],
  [LIST, "text"],
  [ITEM, { run_id: "a", data: { created_at: "x" } }],
  [ITEM, { id: "a" }],
  [ITEM, { data: { other: 1 } }],
])("%# leaves other replies alone", (schema, body) => {
  expect(readForm(schema, body)).toBeUndefined();
});

async function failuresOf(mistakes: Mistakes) {
  const server = await halfRightServer(mistakes);
  onTestFinished(server.close);
  const target = await createAddressTarget({
    url: server.url,
    threadId: THREAD,
    allowWrites: false,
    waitMs: 0,
  });
  onTestFinished(target.close);
  const { results } = await runContracts(target, { select: ["4.1"] });
  return results.flatMap(({ findings }) => findings).filter(({ verdict }) => verdict === "FAIL");
}

it("an envelope is reported once, and does not hide another mistake", async () => {
  expect((await failuresOf({ runsInObject: true })).map(({ text }) => text)).toEqual([
    "Response body must be array; the reply has {runs: […]}",
  ]);
  const both = (await failuresOf({ runsInObject: true, limitIgnored: true })).map(({ text }) => text);
  expect(both).toContain("the default limit is 10");
  expect(both.filter((each) => each.startsWith("Response body must be array"))).toHaveLength(1);
});
