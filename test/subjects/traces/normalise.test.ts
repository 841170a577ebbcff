import fc from "fast-check";
import { describe, it } from "vitest";
import { COLUMN_NAMES } from "../../../contracts/facts/columns.ts";
import type { ParentRow } from "../../../emulator/subjects/traces/lineage.ts";
import { normalisePatch, normalisePost } from "../../../emulator/subjects/traces/normalise.ts";
import { type RowFields, rowUnder } from "../../../emulator/subjects/traces/row.ts";
import { anyPost, ID, NOW, PARENT_ID, PLAIN, ROOT_ID, SESSION_ID } from "./wire-runs.ts";

const NO_VALUES = Object.fromEntries(
  COLUMN_NAMES.filter((name) => name !== "tenant_id").map((name) => [name, null]),
);

function fieldsOf(post: unknown, parents: readonly ParentRow[] = []): RowFields {
  const parentOf = (id: string) => parents.find((parent) => parent.id === id);
  const result = normalisePost(post, "post[0]", { now: NOW, parentOf });
  if ("problems" in result) throw new Error(result.problems.join("\n"));
  return result.run.fields;
}

function problemsOf(post: unknown, where = "post[3]"): readonly string[] {
  const result = normalisePost(post, where, { now: NOW });
  return "problems" in result ? result.problems : [];
}

describe("a posted run", () => {
  it("becomes a row with every column; a column that was not sent is null", ({ expect }) => {
    expect(rowUnder(SESSION_ID, fieldsOf(PLAIN))).toEqual({
      ...NO_VALUES,
      id: ID,
      session_id: SESSION_ID,
      trace_id: ID,
      parent_run_ids: [],
      is_root: true,
      dotted_order: `20260115T090000000000Z${ID}`,
      name: "r",
      run_type: "chain",
      start_time: "2026-01-15T09:00:00.000000Z",
      status: "pending",
      tags: [],
    });
  });

  it("begins now without a start time", ({ expect }) => {
    expect(fieldsOf({ id: ID, name: "r", run_type: "llm" }).start_time).toBe(NOW);
  });

  it("names its project by id, else by name, else by the default name", ({ expect }) => {
    const projectOf = (fields: object) => {
      const result = normalisePost({ ...PLAIN, ...fields }, "", { now: NOW });
      return "run" in result ? result.run.project : result;
    };
    expect(projectOf({ session_name: "demo", session_id: SESSION_ID.toUpperCase() })).toEqual({
      sessionId: SESSION_ID,
    });
    expect(projectOf({ session_name: "demo", session_id: null })).toEqual({ sessionName: "demo" });
    expect(projectOf({})).toEqual({ sessionName: "default" });
  });

  it("reports the fields that it does not know, and no others", ({ expect }) => {
    const post = {
      ...PLAIN,
      child_runs: [],
      serialized: {},
      execution_order: 1,
      colour: "red",
      latency_ms: 3,
    };
    const result = normalisePost(post, "", { now: NOW });
    expect("run" in result && result.run.unknownFields).toEqual(["colour", "latency_ms"]);
  });

  it.for([
    [{}, "pending"],
    [{ end_time: 1768467600000 }, "success"],
    [{ end_time: 1768467600000, error: "" }, "success"],
    [{ error: "boom" }, "error"],
    [{ end_time: 1768467600000, error: "boom" }, "error"],
    [{ status: "success" }, "success"],
    [{ status: "success", error: "boom" }, "success"],
    [{ status: "error", end_time: 1768467600000 }, "error"],
    [{ status: "Completed", end_time: 1768467600000 }, "Completed"],
    [{ status: "ended_early" }, "ended_early"],
    [{ status: null }, "pending"],
  ] as const)("with %j has the status %s", ([fields, status], { expect }) => {
    expect(fieldsOf({ ...PLAIN, ...fields }).status).toBe(status);
  });

  it("keeps JSON and text as they are", ({ expect }) => {
    const inputs = JSON.parse('{"__proto__":{"a":1},"":[null,{"\\ud83d\\udc4d":"n"}]}') as unknown;
    const row = fieldsOf({
      ...PLAIN,
      name: "\u0000!",
      tags: ["", "👍"],
      error: "a\u0000",
      inputs,
      events: 0,
    });
    expect(JSON.stringify(row.inputs)).toBe(JSON.stringify(inputs));
    expect(row).toMatchObject({ name: "\u0000!", tags: ["", "👍"], error: "a\u0000", events: 0 });
  });

  it("is unchanged when it is normalised again", ({ expect }) => {
    fc.assert(
      fc.property(anyPost, (post) => {
        const row = rowUnder(SESSION_ID, fieldsOf(post));
        const again = normalisePost(row, "", { now: "2000-01-01T00:00:00.000000Z" });
        expect(again).toEqual({
          run: { fields: fieldsOf(post), project: { sessionId: SESSION_ID }, unknownFields: [] },
        });
      }),
    );
  });
});

describe("a run's place in its trace", () => {
  const rootOrder = `20260115T085959000001Z${ROOT_ID}`;
  const root: ParentRow = { id: ROOT_ID, dotted_order: rootOrder };
  const parentOrder = `${rootOrder}.20260115T085959500000Z${PARENT_ID}`;
  const parent: ParentRow = { id: PARENT_ID, dotted_order: parentOrder };
  const ownSegment = `20260115T090000000000Z${ID}`;

  it("is read from dotted_order alone", ({ expect }) => {
    expect(fieldsOf({ ...PLAIN, dotted_order: `${parentOrder}.${ownSegment}` })).toMatchObject({
      trace_id: ROOT_ID,
      parent_run_id: PARENT_ID,
      parent_run_ids: [ROOT_ID, PARENT_ID],
      is_root: false,
      dotted_order: `${parentOrder}.${ownSegment}`,
    });
  });

  it("is derived from a stored parent", ({ expect }) => {
    expect(fieldsOf({ ...PLAIN, parent_run_id: PARENT_ID }, [root, parent])).toMatchObject({
      trace_id: ROOT_ID,
      parent_run_ids: [ROOT_ID, PARENT_ID],
      is_root: false,
      dotted_order: `${parentOrder}.${ownSegment}`,
    });
  });

  it("is that of a root while its parent is unknown, would call itself, or is too deep", ({ expect }) => {
    const own = { trace_id: ID, parent_run_ids: [], is_root: true, dotted_order: ownSegment };
    const row = { ...PLAIN, parent_run_id: PARENT_ID };
    const under = (dotted_order: string) => fieldsOf(row, [{ id: PARENT_ID, dotted_order }]);
    expect(fieldsOf(row)).toMatchObject({ ...own, parent_run_id: PARENT_ID });
    expect(fieldsOf({ ...row, trace_id: ROOT_ID, parent_run_ids: [PARENT_ID] })).toMatchObject(own);
    expect(under(`${ownSegment}.${parentOrder}`)).toMatchObject(own);
    expect(under(Array(1000).fill(rootOrder).join("."))).toMatchObject(own);
    expect(under(Array(999).fill(rootOrder).join("."))).toMatchObject({ is_root: false });
  });

  it("is written with ids in lower case", ({ expect }) => {
    const id = "abcdefab-cdef-4abc-8def-abcdefabcdef";
    const row = fieldsOf({
      ...PLAIN,
      id: id.toUpperCase(),
      dotted_order: `20260115t090000z${id.toUpperCase()}`,
    });
    expect(row).toMatchObject({ id, dotted_order: `20260115T090000Z${id}`, is_root: true });
  });

  it.for([
    [{ parent_run_id: ID }, "parent_run_id: must not be the run itself"],
    [{ trace_id: ROOT_ID }, "trace_id: must be the run's own id, because it has no parent"],
    [{ dotted_order: rootOrder }, "dotted_order: must end with the run's id"],
    [
      { dotted_order: `${rootOrder}.${ownSegment}`, parent_run_id: PARENT_ID },
      "parent_run_id: must be the last id but one of dotted_order",
    ],
    [
      { dotted_order: `${rootOrder}.${ownSegment}`, trace_id: PARENT_ID },
      "trace_id: must be the first id of dotted_order",
    ],
    [
      { parent_run_id: PARENT_ID, parent_run_ids: [PARENT_ID, ROOT_ID] },
      "parent_run_ids: must end with the parent's id",
    ],
  ] as const)("is refused when it contradicts itself: %j", ([fields, problem], { expect }) => {
    expect(problemsOf({ ...PLAIN, ...fields })).toEqual([`post[3].${problem}`]);
  });
});

describe("tokens and costs", () => {
  const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 13, input_cost: 0.1, output_cost: "0.2" };

  it.for([
    ["outputs.usage_metadata", { outputs: { usage_metadata: usage } }],
    ["outputs.llm_output.token_usage", { outputs: { llm_output: { token_usage: usage } } }],
    ["extra.metadata.usage_metadata", { extra: { metadata: { usage_metadata: usage } } }],
  ] as const)("come from %s", ([, fields], { expect }) => {
    expect(fieldsOf({ ...PLAIN, ...fields })).toMatchObject({
      prompt_tokens: 7,
      completion_tokens: 5,
      total_tokens: 13,
      prompt_cost: "0.1",
      completion_cost: "0.2",
      total_cost: "0.3",
    });
  });

  it("are read from explicit fields before usage reports", ({ expect }) => {
    const row = fieldsOf({ ...PLAIN, prompt_tokens: 1, total_cost: "9", outputs: { usage_metadata: usage } });
    expect(row).toMatchObject({ prompt_tokens: 1, completion_tokens: 5, total_tokens: 13, total_cost: "9" });
  });

  it("are read from the first report that has any, and never partly from another", ({ expect }) => {
    const row = fieldsOf({
      ...PLAIN,
      outputs: { usage_metadata: { output_tokens: 4, total_cost: "free" } },
      extra: { metadata: { usage_metadata: usage } },
    });
    expect(row).toMatchObject({
      prompt_tokens: null,
      completion_tokens: 4,
      total_tokens: null,
      total_cost: "0.3",
    });
  });

  it("add up when only prompt and completion are known", ({ expect }) => {
    const row = fieldsOf({
      ...PLAIN,
      prompt_tokens: 3,
      completion_tokens: 4,
      prompt_cost: 1e-12,
      completion_cost: 0.7,
    });
    expect(row).toMatchObject({ total_tokens: 7, total_cost: "0.700000000001" });
    const huge = { prompt_tokens: Number.MAX_SAFE_INTEGER, completion_tokens: 1 };
    expect(fieldsOf({ ...PLAIN, ...huge }).total_tokens).toBeNull();
  });

  it("are ignored in a report where they cannot be parsed", ({ expect }) => {
    const report = { input_tokens: -1, prompt_tokens: 6, output_tokens: 1.5, total_cost: [] };
    expect(fieldsOf({ ...PLAIN, outputs: { usage_metadata: report } })).toMatchObject({
      prompt_tokens: 6,
      completion_tokens: null,
      total_tokens: null,
      total_cost: null,
    });
  });

  it("a first token is the first readable new_token event unless the request has its time", ({ expect }) => {
    const events = [
      { name: "start", time: "2026-01-15T09:00:00" },
      { name: "new_token", time: "soon" },
      { name: "new_token", time: "2026-01-15T09:00:01.5" },
      { name: "new_token", time: "2026-01-15T09:00:02" },
    ];
    expect(fieldsOf({ ...PLAIN, events }).first_token_time).toBe("2026-01-15T09:00:01.500000Z");
    const input = fieldsOf({ ...PLAIN, events, first_token_time: 1768467600000 });
    expect(input.first_token_time).toBe("2026-01-15T09:00:00.000000Z");
  });
});

describe("a post that is wrong", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

  it.for([
    [7, "post[3]: must be a JSON object"],
    [[], "post[3]: must be a JSON object"],
    [{ ...PLAIN, id: undefined }, "post[3].id: is required"],
    [{ ...PLAIN, id: "x" }, "post[3].id: must be a uuid"],
    [{ ...PLAIN, name: null }, "post[3].name: is required"],
    [{ ...PLAIN, name: 7 }, "post[3].name: must be a string"],
    [{ ...PLAIN, run_type: 7 }, "post[3].run_type: must be a string"],
    [{ ...PLAIN, start_time: "noon" }, "post[3].start_time: must be an ISO 8601 time or a number since 1970"],
    [
      { ...PLAIN, start_time: "2016-12-31T23:59:60Z" },
      "post[3].start_time: must not be a leap second, because seconds are counted from 00 to 59; use :59, or :00 of the next minute",
    ],
    [{ ...PLAIN, end_time: true }, "post[3].end_time: must be an ISO 8601 time or a number since 1970"],
    [{ ...PLAIN, session_id: "demo" }, "post[3].session_id: must be a uuid"],
    [{ ...PLAIN, session_name: 5 }, "post[3].session_name: must be a string"],
    [{ ...PLAIN, status: 1 }, "post[3].status: must be a string"],
    [{ ...PLAIN, error: {} }, "post[3].error: must be a string"],
    [{ ...PLAIN, tags: "a" }, "post[3].tags: must be a list of strings"],
    [{ ...PLAIN, tags: ["a", 1] }, "post[3].tags: must be a list of strings"],
    [{ ...PLAIN, parent_run_ids: [ID, "x"] }, "post[3].parent_run_ids: must be a list of at most 1000 uuids"],
    ...[ID, 7, [`20260115T090000000000Z${ID}`], { a: 1 }].map(
      (dotted_order) =>
        [
          { ...PLAIN, dotted_order },
          "post[3].dotted_order: must be at most 1000 segments <YYYYMMDDTHHMMSSffffffZ><uuid> joined by dots",
        ] as const,
    ),
    [
      { ...PLAIN, total_tokens: 1.5 },
      "post[3].total_tokens: must be a whole number from 0 to 9007199254740991",
    ],
    [
      { ...PLAIN, prompt_cost: "free" },
      "post[3].prompt_cost: must be a decimal number of at most 25 digits before the point",
    ],
    [{ ...PLAIN, inputs: nested(201) }, "post[3].inputs: must not be nested more than 200 levels deep"],
    [
      { ...PLAIN, extra: { n: [Number.POSITIVE_INFINITY] } },
      "post[3].extra: holds a number that is out of range",
    ],
  ] as const)("reports the position and the reason (%#)", ([post, problem], { expect }) => {
    expect(problemsOf(post)).toEqual([problem]);
  });

  it("names every problem at once", ({ expect }) => {
    expect(problemsOf({ id: 1, start_time: "x", tags: [1] }, "")).toEqual([
      "id: must be a uuid",
      "start_time: must be an ISO 8601 time or a number since 1970",
      "tags: must be a list of strings",
      "name: is required",
      "run_type: is required",
    ]);
  });

  it("may be nested two hundred levels deep, and no level less", ({ expect }) => {
    expect(problemsOf({ ...PLAIN, inputs: nested(200) })).toEqual([]);
  });

  it("refuses a dotted_order of more than a thousand segments", ({ expect }) => {
    const segment = `20260115T090000Z${ID}`;
    const order = (length: number) => Array.from({ length }, () => segment).join(".");
    expect(problemsOf({ ...PLAIN, dotted_order: order(1_001) })[0]).toMatch(/at most 1000 segments/);
    expect(problemsOf({ ...PLAIN, dotted_order: order(1_000) })[0]).not.toMatch(/at most 1000 segments/);
  });
});

describe("a patch", () => {
  it("has only the fields of the request, in the row's form", ({ expect }) => {
    expect(normalisePatch({ outputs: { a: 1 }, end_time: 1795132801000, colour: 1 }, "", ID)).toEqual({
      id: ID,
      patch: { outputs: { a: 1 }, end_time: "2026-11-20T00:00:01.000000Z" },
      unknownFields: ["colour"],
    });
  });

  it("keeps nulls that clear a field and drops those that mean nothing", ({ expect }) => {
    const body = {
      id: ID,
      name: null,
      run_type: null,
      trace_id: null,
      parent_run_id: null,
      dotted_order: null,
      session_id: null,
      tags: null,
      extra: null,
      error: null,
      outputs: null,
      end_time: null,
    };
    expect(normalisePatch(body, "patch[0]")).toMatchObject({
      patch: { error: null, outputs: null, end_time: null },
    });
    const result = normalisePatch(body, "patch[0]");
    expect("patch" in result && Object.keys(result.patch).sort()).toEqual(["end_time", "error", "outputs"]);
  });

  it.for([
    [{}, undefined, "patch[1].id: is required"],
    [{ id: "x" }, undefined, "patch[1].id: must be a uuid"],
    [{ id: PARENT_ID }, ID, "patch[1].id: must be the id in the path"],
    [{}, "x", "patch[1].id: must be a uuid"],
    [{ end_time: "x" }, ID, "patch[1].end_time: must be an ISO 8601 time or a number since 1970"],
    [{ dotted_order: `20260115T090000Z${ROOT_ID}` }, ID, "patch[1].dotted_order: must end with the run's id"],
    [null, ID, "patch[1]: must be a JSON object"],
  ] as const)("is refused when wrong (%#)", ([body, id, problem], { expect }) => {
    expect(normalisePatch(body, "patch[1]", id)).toEqual({ problems: [problem] });
  });
});
