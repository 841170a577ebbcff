import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, it } from "vitest";
import { normalisePost } from "../../../emulator/subjects/traces/normalise.ts";
import { type RowFields, rowUnder } from "../../../emulator/subjects/traces/row.ts";
import {
  MAX_SAMPLE_COUNT,
  SAMPLE_SHAPES,
  type SampleOptions,
  sampleTraces,
} from "../../../emulator/subjects/traces/sample.ts";
import { EDGE_CASES } from "../../../emulator/subjects/traces/sample-edge-cases.ts";
import { parseTime } from "../../../emulator/subjects/traces/wire-time.ts";
import { NOW, SESSION_ID } from "./wire-runs.ts";

const ORDER: SampleOptions = {
  count: 200,
  from: "2026-01-01T00:00:00Z",
  to: "2026-01-03T00:00:00Z",
  seed: 1,
};

function postsOf(order: Partial<SampleOptions>): Iterable<Readonly<Record<string, unknown>>> {
  const result = sampleTraces({ ...ORDER, ...order });
  if ("problems" in result) throw new Error(result.problems.join("\n"));
  return result.posts;
}

/** What a store would be given: each post goes over the wire and through the ingest rules. */
function rowsOf(order: Partial<SampleOptions>): RowFields[] {
  return [...postsOf(order)].map((post, index) => {
    const wire = JSON.parse(JSON.stringify(post)) as unknown;
    const result = normalisePost(wire, `post[${index}]`, { now: NOW });
    if ("problems" in result) throw new Error(result.problems.join("\n"));
    if (result.run.unknownFields.length > 0) throw new Error(`unknown: ${result.run.unknownFields}`);
    return result.run.fields;
  });
}

function digest(order: Partial<SampleOptions>): string {
  const hash = createHash("sha256");
  for (const post of postsOf(order)) hash.update(JSON.stringify(post));
  return hash.digest("hex");
}

const anyOrder = fc
  .record({
    count: fc.integer({ min: 1, max: 120 }),
    seed: fc.integer(),
    shape: fc.constantFrom(...SAMPLE_SHAPES),
    from: fc.integer({ min: 0, max: 4e12 }),
    span: fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: 3e9 })),
  })
  .map(({ from, span, ...rest }) => ({
    ...rest,
    from: new Date(from).toISOString(),
    to: new Date(from + span).toISOString(),
  }));

describe("sample traces", () => {
  it("have the requested number, different ids, times in the window, and parents first", ({ expect }) => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        const rows = rowsOf(order);
        const byId = new Map(rows.map((row) => [row.id, row]));
        expect(rows).toHaveLength(order.count);
        expect(byId.size).toBe(order.count);
        const [from, to] = [order.from, order.to].map((time) => time.replace("Z", "000Z"));
        const isInWindow = ({ start_time }: (typeof rows)[number]) =>
          start_time >= String(from) && start_time < String(to);
        const isBelowParent = ({
          parent_run_id,
          trace_id,
          start_time,
          dotted_order,
        }: (typeof rows)[number]) => {
          if (parent_run_id === null) return true;
          const parent = byId.get(parent_run_id);
          return (
            parent?.trace_id === trace_id &&
            parent.start_time <= start_time &&
            dotted_order.startsWith(`${parent.dotted_order}.`)
          );
        };
        // An `expect` for each row would take most of the time.
        expect(rows.filter((row) => !isInWindow(row) || !isBelowParent(row))).toEqual([]);
      }),
      { numRuns: 4 },
    );
  });

  it("are the same bytes for the same seed and others for another", ({ expect }) => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        expect(digest(order)).toBe(digest(order));
        expect(digest({ ...order, seed: order.seed + 1 })).not.toBe(digest(order));
      }),
      { numRuns: 2 },
    );
  });

  it("have ids that depend on the seed only, not on their number", ({ expect }) => {
    const ids = (count: number) => [...postsOf({ count })].map((post) => post.id);
    expect(ids(50)).toEqual(ids(200).slice(0, 50));
  });

  it("begin evenly over the window", ({ expect }) => {
    for (const shape of SAMPLE_SHAPES) {
      const firstDay = [...postsOf({ shape, count: 2_000 })].filter(
        (post) => (parseTime(post.start_time) ?? NOW) < "2026-01-02",
      );
      expect(firstDay.length).toBeGreaterThan(930);
      expect(firstDay.length).toBeLessThan(1_070);
    }
  });

  it("name a project on request", ({ expect }) => {
    expect([...postsOf({ count: 3 })].map((post) => post.session_name)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([...postsOf({ count: 2, sessionName: "x" })].map((post) => post.session_name)).toEqual(["x", "x"]);
  });

  it("are generated on demand", ({ expect }) => {
    const posts = postsOf({ count: MAX_SAMPLE_COUNT })[Symbol.iterator]();
    expect(posts.next().done).toBe(false);
    expect(posts.next().done).toBe(false);
  });

  it("can be iterated twice", ({ expect }) => {
    const posts = postsOf({ count: 5 });
    expect([...posts]).toEqual([...posts]);
  });

  it.for([
    [{ count: 0 }, "count: must be a whole number from 1 to 1000000"],
    [{ count: 1_000_001 }, "count: must be a whole number from 1 to 1000000"],
    [{ count: 1.5 }, "count: must be a whole number from 1 to 1000000"],
    [{ seed: 0.5 }, "seed: must be a whole number"],
    [{ from: "noon" }, "from: must be an ISO 8601 time"],
    [{ to: "" }, "to: must be an ISO 8601 time"],
    [{ to: ORDER.from }, "to: must be later than from"],
    [{ to: "2200-01-01" }, "to: must be at most 36600 days later than from"],
    [{ shape: "round" }, "shape: must be one of mixed, flat, deep, wide, errors, torture, bench"],
  ] as const)("are refused for %j", ([wrong, problem], { expect }) => {
    expect(sampleTraces({ ...ORDER, ...wrong })).toEqual({ problems: [problem] });
  });
});

describe("the shapes", () => {
  it("mixed has something of everything", ({ expect }) => {
    const rows = rowsOf({ count: 3_000 });
    const some = (matching: (row: RowFields) => boolean) => rows.some(matching);
    expect(new Set(rows.map((row) => row.run_type)).size).toBe(7);
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(["success", "error", "pending"]));
    expect(some((row) => row.is_root)).toBe(true);
    expect(some((row) => row.parent_run_ids.length === 2)).toBe(true);
    expect(some((row) => row.tags.includes("beta 🚀"))).toBe(true);
    expect(some((row) => row.feedback_stats !== null)).toBe(true);
    expect(some((row) => row.first_token_time !== null)).toBe(true);
    expect(some((row) => /[\u0600-\u06ff]/.test(JSON.stringify(row.inputs)))).toBe(true);
    expect(some((row) => /[\u4e00-\u9fff]/.test(JSON.stringify(row.inputs)))).toBe(true);
    for (const row of rows.filter((row) => row.run_type === "llm" && row.status === "success")) {
      expect(row.total_tokens).toBe((row.prompt_tokens ?? 0) + (row.completion_tokens ?? 0));
      expect(Number(row.total_cost)).toBeGreaterThan(0);
    }
  });

  it("mixed sends some traces later than they began", ({ expect }) => {
    const roots = rowsOf({ count: 3_000 }).filter((row) => row.is_root);
    const isLate = roots.map((row, index) => row.start_time < (roots[index - 1]?.start_time ?? ""));
    expect(isLate.filter(Boolean).length).toBeGreaterThan(0);
    expect(isLate.filter(Boolean).length).toBeLessThan(roots.length / 10);
  });

  it("flat has roots only, deep has long lines, wide has many children", ({ expect }) => {
    expect(rowsOf({ shape: "flat" }).every((row) => row.is_root)).toBe(true);
    expect(Math.max(...rowsOf({ shape: "deep" }).map((row) => row.parent_run_ids.length))).toBeGreaterThan(6);
    const roots = rowsOf({ shape: "wide" }).filter((row) => row.is_root);
    expect(roots.length).toBeLessThan(11);
  });

  it("errors fails about every second run", ({ expect }) => {
    const failed = rowsOf({ shape: "errors", count: 1_000 }).filter((row) => row.status === "error");
    expect(failed.length).toBeGreaterThan(300);
    expect(failed.length).toBeLessThan(700);
  });

  it("torture has every awkward value, one of them a megabyte long", ({ expect }) => {
    const rows = rowsOf({ shape: "torture", count: EDGE_CASES.length * 3 });
    const sizes = rows.map((row) => JSON.stringify(row.inputs).length);
    expect(sizes.filter((size) => size > 1_000_000)).toHaveLength(1);
    expect(rows.some((row) => row.name.includes("\ud83d\udc4d"))).toBe(true);
    expect(rows.some((row) => row.end_time !== null && row.end_time < row.start_time)).toBe(true);
    expect(rows.some((row) => row.end_time === null)).toBe(true);
    expect(rows.some((row) => row.completion_cost === "-0.000000000001")).toBe(true);
    expect(rows.some((row) => row.tags.length === 200)).toBe(true);
  });

  it("bench has rows of about 2.7 KB", ({ expect }) => {
    const rows = rowsOf({ shape: "bench", count: 500 });
    const bytes = rows.reduce((sum, row) => sum + JSON.stringify(rowUnder(SESSION_ID, row)).length, 0);
    expect(bytes / rows.length).toBeGreaterThan(2_600);
    expect(bytes / rows.length).toBeLessThan(2_850);
  });
});
