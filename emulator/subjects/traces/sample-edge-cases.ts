import type { JsonObject } from "./json.ts";
import { millisOf, shiftTime } from "./wire-time.ts";

const MEGABYTE = 1_048_576;

/** The fields of one edge case, which override those of a plain run. */
type EdgeCase = (start: string, ordinal: number) => JsonObject;

/**
 * One run per edge case; `start` is the start of the run. A small, readable selection is in
 * fixtures/traces/torture.json.
 */
export const EDGE_CASES: readonly EdgeCase[] = [
  () => ({ inputs: {}, outputs: {}, extra: {}, events: [], tags: [], error: "", feedback_stats: {} }),
  // Generated once: a second row of this size would test nothing new.
  (_start, ordinal) => ({
    inputs: { document: "0123456789abcde\n".repeat((ordinal < EDGE_CASES.length ? MEGABYTE : 1_024) / 16) },
  }),
  () => ({ inputs: null, outputs: null, extra: null, events: null, tags: null, error: null, end_time: null }),
  () => ({ name: "pair \ud83d\udc4d", tags: ["\ud83d\udc4d"], inputs: { "\ud83d\udc4d": "\udbff\udfff" } }),
  () => ({ name: "👩‍👩‍👧‍👦 family", inputs: { flags: "🇨🇭🏴󠁧󠁢󠁷󠁬󠁳󠁿", skin: "👍🏿", keycap: "7️⃣" } }),
  () => ({ name: "שלום עולם", outputs: { text: "مرحبا \u202Eabc\u202C بالعالم", mixed: "א1b2ג" } }),
  () => ({ name: "𠮷野家で𩸽を", inputs: { text: "漢字かな交じり文、ＡＢＣ　全角" } }),
  () => ({
    inputs: { composed: "é", decomposed: "e\u0301", stacked: `z${"\u0335\u0337\u0323".repeat(20)}` },
  }),
  () => ({
    inputs: { text: "nul \u0000 bell \u0007 esc \u001b[31m del \u007f bom \uFEFF ls \u2028 ps \u2029" },
  }),
  () => ({
    name: "tab\tand\r\nline",
    error: "line one\nline two\r\n\"quoted\", 'single', back\\slash, `tick`",
  }),
  () => ({
    inputs: JSON.stringify({ a: JSON.stringify({ b: '"c"', d: "\\u0041" }) }),
    outputs: '{"not": closed',
  }),
  () => ({ inputs: nest(150, "array"), outputs: nest(150, "object") }),
  () => ({
    inputs: { n: [0, 1e308, 5e-324, 0.1, 9007199254740991, -9007199254740991, 1.7976931348623157e308] },
  }),
  () => ({
    extra: JSON.parse('{"__proto__":{"a":1},"constructor":"x","":0,"a.b":1,"$ref":"#/","名":2}') as unknown,
  }),
  () => ({ inputs: [null, [], {}, [[]], false], outputs: "just text", extra: 0, events: false }),
  (start) => ({ start_time: `${start.slice(0, -1)}999Z`, end_time: `${start.slice(0, -1)}999+00:00` }),
  (start) => ({
    start_time: `${(shiftTime(start, 330 * 60e6) ?? start).slice(0, -1)}+05:30`,
    end_time: start,
  }),
  (start) => ({ start_time: start.replace("T", " ").slice(0, -1), end_time: millisOf(start) + 1_000 }),
  (start) => ({ end_time: shiftTime(start, -3_600e6) ?? start, error: null }),
  () => ({ end_time: undefined, outputs: undefined, status: "pending" }),
  () => ({ end_time: "9999-12-31T23:59:59.999999Z", status: "success" }),
  () => ({ run_type: "llm", prompt_cost: "0.000000000001", completion_cost: "-1e-12", total_tokens: 0 }),
  () => ({
    run_type: "llm",
    total_cost: 123456.789012345,
    prompt_tokens: 9007199254740991,
    completion_tokens: 0,
  }),
  () => ({ run_type: "llm", total_cost: "9999999999999999999999999.999999999999", prompt_cost: 0 }),
  () => ({
    run_type: "llm",
    outputs: { usage_metadata: { input_tokens: "12", output_tokens: -1, total_cost: {} } },
  }),
  () => ({ tags: ["", " ", "a,b", 'say "hi"', "dup", "dup", "null", "NULL", "[]", "{}"] }),
  () => ({ tags: Array.from({ length: 200 }, (_, index) => `tag-${index}`) }),
  () => ({ name: "n".repeat(2_000), error: "e".repeat(20_000) }),
  () => ({
    name: "=1+1",
    tags: ["@SUM(A1)", "../../etc/passwd", "%00%2e%2e", "'; DROP TABLE runs; --", "<b>&amp;"],
  }),
  () => ({ name: "", trace_tier: "", reference_example_id: "FFFFFFFF-FFFF-4FFF-8FFF-FFFFFFFFFFFF" }),
  () => ({
    feedback_stats: { "": { n: 0, avg: null }, " spaced ": { n: 1, values: { "✓": 1 } }, deep: { a: [{}] } },
  }),
  (start) => ({
    events: [{ name: "new_token", time: "soon" }, { name: "new_token", time: start }, null, 7, "x"],
  }),
];

/** The post of one edge case; each is the root of its own trace. */
export function torturePost(ordinal: number, id: string, start: string): JsonObject {
  const edgeCase = EDGE_CASES[ordinal % EDGE_CASES.length]?.(start, ordinal) ?? {};
  const post = {
    id,
    name: `torture ${ordinal}`,
    run_type: "chain",
    start_time: start,
    end_time: shiftTime(start, 1_000) ?? start,
    inputs: { case: ordinal % EDGE_CASES.length },
    outputs: { ok: true },
    ...edgeCase,
  };
  // Undefined stands for a field that the client omits.
  return Object.fromEntries(Object.entries(post).filter(([, value]) => value !== undefined));
}

function nest(depth: number, kind: "array" | "object"): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < depth; level++) value = kind === "array" ? [value] : { in: value };
  return value;
}
