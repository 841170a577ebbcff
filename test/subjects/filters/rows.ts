import type { TraceRow } from "../../../contracts/spec/bulk-exports/columns.ts";
import { compileFilter } from "../../../emulator/subjects/filters/compile.ts";
import type { Filter } from "../../../emulator/subjects/filters/filter.ts";
import { parseFilter } from "../../../emulator/subjects/filters/parse.ts";
import { buildRow } from "../../../emulator/subjects/traces/row.ts";
import { resultOf } from "../../support/steps.ts";

export const ID = "0a91a355-8a88-422c-9546-72c183b95b5c";
export const OTHER_ID = "af346d69-58a0-4fa3-bf11-5598bd7c0f65";

export const TENANT = "00000000-0000-4000-8000-0000000000aa";

export function traceRow(changes: Partial<TraceRow> = {}): TraceRow {
  return {
    ...buildRow(ID, {}, "2026-01-31T12:00:00.000000Z", () => undefined),
    session_id: OTHER_ID,
    name: "ChatOpenAI",
    run_type: "llm",
    start_time: "2026-01-31T12:00:00.000000Z",
    end_time: "2026-01-31T12:00:02.500000Z",
    status: "success",
    dotted_order: `20260131T120000000000Z${ID}`,
    trace_tier: "shortlived",
    tags: ["beta", "prod"],
    total_tokens: 3,
    prompt_tokens: 2,
    completion_tokens: 1,
    total_cost: "0.1",
    inputs: { messages: [{ role: "user", content: "Where is my parcel?" }], temperature: 0.5 },
    outputs: { text: "On its way.", usage: { tokens: 3 } },
    extra: { metadata: { thread_id: "t-1", user: { plan: "pro" }, attempt: 2, cached: true } },
    events: [],
    feedback_stats: { score: { n: 2, avg: 0.25 }, tone: { n: 2, avg: null, values: { kind: 1, short: 1 } } },
    ...changes,
  };
}

export function parsed(text: string): Filter {
  const read = parseFilter(text);
  if ("problem" in read) throw new Error(`${text}: ${JSON.stringify(read.problem)}`);
  return read.filter;
}

export function selects(text: string, changes: Partial<TraceRow> = {}): boolean {
  return resultOf(compileFilter(parsed(text), TENANT)(traceRow(changes)));
}
