import fc from "fast-check";
import { describe, it } from "vitest";
import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import {
  normalisePatch,
  normalisePost,
  type TracePatch,
} from "../../../emulator/subjects/traces/normalise.ts";
import { applyPatch } from "../../../emulator/subjects/traces/patch.ts";
import { rowUnder } from "../../../emulator/subjects/traces/row.ts";
import { anyPatch, anyPost, ID, NOW, PARENT_ID, PLAIN, ROOT_ID, SESSION_ID } from "./wire-runs.ts";

function rowOf(post: unknown): TraceRow {
  const result = normalisePost(post, "", { now: NOW });
  if ("problems" in result) throw new Error(result.problems.join("\n"));
  return rowUnder(SESSION_ID, result.run.fields);
}

function patchOf(body: unknown): TracePatch {
  const result = normalisePatch(body, "", ID);
  if ("problems" in result) throw new Error(result.problems.join("\n"));
  return result.patch;
}

const patched = (post: unknown, ...bodies: unknown[]): TraceRow =>
  bodies.reduce<TraceRow>((row, body) => applyPatch(row, patchOf(body)), rowOf(post));

describe("a patched row", () => {
  it("has the new values, and those derived from them", ({ expect }) => {
    const usage_metadata = { input_tokens: 2, output_tokens: 3 };
    const row = patched(PLAIN, { end_time: "2026-01-15T09:00:01Z", outputs: { usage_metadata } });
    expect(row).toEqual({
      ...rowOf(PLAIN),
      end_time: "2026-01-15T09:00:01.000000Z",
      status: "success",
      outputs: { usage_metadata },
      prompt_tokens: 2,
      completion_tokens: 3,
      total_tokens: 5,
    });
  });

  it("keeps fields that a null does not clear, and clears those that it does", ({ expect }) => {
    const post = { ...PLAIN, tags: ["a"], extra: { metadata: {} }, outputs: { a: 1 }, error: "boom" };
    const row = patched(post, { tags: null, extra: null, name: null, outputs: null, error: null });
    expect(row).toMatchObject({
      tags: ["a"],
      extra: { metadata: {} },
      name: "r",
      outputs: null,
      error: null,
    });
    expect(patched(post, { tags: [], extra: {} })).toMatchObject({ tags: [], extra: {} });
  });

  it("replaces extra as a whole", ({ expect }) => {
    expect(patched({ ...PLAIN, extra: { a: 1, b: 2 } }, { extra: { b: 3 } }).extra).toEqual({ b: 3 });
  });

  it.for([
    [{}, { end_time: 1768467601000 }, "success"],
    [{ status: "pending" }, { end_time: 1768467601000 }, "success"],
    [{}, { error: "boom" }, "error"],
    [{ status: "success" }, { error: "boom" }, "error"],
    [{ status: "success" }, { error: "boom", status: "success" }, "success"],
    [{ status: "error" }, { end_time: 1768467601000 }, "error"],
    [{ error: "boom" }, { error: null, end_time: 1768467601000 }, "success"],
    [{ error: "boom" }, { outputs: {} }, "error"],
    [{ end_time: 1768467601000 }, { end_time: null }, "pending"],
    [{ end_time: 1768467601000 }, { status: "error" }, "error"],
    [{ end_time: 1768467601000 }, { status: "Running" }, "Running"],
  ] as const)("posted with %j and patched with %j has the status %s", ([post, patch, status], { expect }) => {
    expect(patched({ ...PLAIN, ...post }, patch).status).toBe(status);
  });

  it("follows a new report unless the request had an explicit figure", ({ expect }) => {
    const report = (total_tokens: number) => ({ outputs: { usage_metadata: { total_tokens } } });
    expect(patched({ ...PLAIN, ...report(5) }, report(9)).total_tokens).toBe(9);
    expect(patched({ ...PLAIN, ...report(5), total_tokens: 6 }, report(9)).total_tokens).toBe(6);
    expect(patched({ ...PLAIN, ...report(5), total_tokens: 6 }, { total_tokens: null }).total_tokens).toBe(5);
    expect(patched({ ...PLAIN, prompt_cost: 1, completion_cost: 1 }, { prompt_cost: 2 }).total_cost).toBe(
      "3",
    );
  });

  it("takes trace_id, parents and dotted_order of a new place together", ({ expect }) => {
    const order = `20260115T085959Z${ROOT_ID}.20260115T090000Z${ID}`;
    expect(patched({ ...PLAIN, parent_run_id: PARENT_ID }, { dotted_order: order })).toMatchObject({
      trace_id: ROOT_ID,
      parent_run_id: ROOT_ID,
      parent_run_ids: [ROOT_ID],
      is_root: false,
      dotted_order: order,
    });
    const parent = { id: ROOT_ID, dotted_order: order.split(".")[0] ?? "" };
    const child = applyPatch(rowOf(PLAIN), patchOf({ parent_run_id: ROOT_ID }), () => parent);
    expect(child).toMatchObject({
      is_root: false,
      dotted_order: `${parent.dotted_order}.${rowOf(PLAIN).dotted_order}`,
    });
    expect(patched({ ...PLAIN, dotted_order: order }, { parent_run_id: ROOT_ID, trace_id: ROOT_ID })).toEqual(
      rowOf({ ...PLAIN, dotted_order: order }),
    );
  });

  it("is the same after an empty patch", ({ expect }) => {
    fc.assert(
      fc.property(anyPost, (post) => {
        expect(patched(post, {})).toEqual(rowOf(post));
      }),
    );
  });

  it("is the same after the same patch once more", ({ expect }) => {
    fc.assert(
      fc.property(anyPost, anyPatch, (post, patch) => {
        expect(patched(post, patch, patch)).toEqual(patched(post, patch));
      }),
    );
  });

  it("is the row of a post that the client merged with the patch", ({ expect }) => {
    // Differences that are visible only together with the post are left out: a status that a later
    // error overrules, and a figure that was said outright and equals the reported one.
    const outright = new Set([
      "status",
      "total_tokens",
      "prompt_tokens",
      "completion_tokens",
      "total_cost",
      "prompt_cost",
      "completion_cost",
      "first_token_time",
    ]);
    const plain = anyPost.map((post) =>
      Object.fromEntries(Object.entries(post).filter(([name]) => !outright.has(name))),
    );
    fc.assert(
      fc.property(plain, anyPatch, (post, patch) => {
        // The place in the trace was written down when the run was posted and does not follow its start.
        const { dotted_order } = rowOf(post);
        expect(patched(post, patch)).toEqual({ ...rowOf({ ...post, ...patch }), dotted_order });
      }),
    );
  });

  it("can be read from a patch that was stored as text until its post arrived", ({ expect }) => {
    fc.assert(
      fc.property(anyPost, anyPatch, (post, patch) => {
        const copy = JSON.parse(JSON.stringify(patchOf(patch))) as TracePatch;
        expect(JSON.stringify(applyPatch(rowOf(post), copy))).toBe(JSON.stringify(patched(post, patch)));
      }),
    );
  });
});
