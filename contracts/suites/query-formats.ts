import { suite } from "../engine/case.ts";
import { equal } from "../engine/check.ts";
import type { Contract } from "../engine/contract.ts";
import { HOUR, iso, MINUTE } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import { ingest, project, row } from "./export-helpers.ts";

interface Rows {
  readonly runs: readonly Members[];
}

interface Items {
  readonly items: readonly Members[];
  readonly next_cursor: string | null;
}

/** Two threads: one with two turns, of which the first has a child and the second failed; and a row without a thread. */
async function twoThreads(t: Contract): Promise<string> {
  const start = (await t.now()) - HOUR;
  const turn = (minutes: number, thread: string | null, more: Members = {}) =>
    row(t, start + minutes * MINUTE, { extra: { metadata: { thread_id: thread } }, ...more });
  const first = turn(1, "one");
  const child = turn(2, "one");
  const id = await project(t, [first]);
  await ingest(t, id, [
    {
      ...child,
      trace_id: first.id,
      parent_run_id: first.id,
      dotted_order: `${first.dotted_order}.${child.dotted_order}`,
      run_type: "llm",
      ...{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, total_cost: 0.75 },
    },
    turn(3, "two"),
    turn(4, "one", { error: "It broke.", total_tokens: 5 }),
    turn(5, null),
  ]);
  return id;
}

const idsOf = (rows: readonly Members[], name = "id") => rows.map((each) => each[name]);
const upper = (value: unknown) => String(value).toUpperCase();

/** A row of the first format, as the second one shows it. */
const inSecondFormat = (each: Members): Members => ({
  id: each.id,
  name: each.name,
  run_type: upper(each.run_type),
  status: upper(each.status),
  project_id: each.session_id,
  thread_id: each.thread_id,
  start_time: each.start_time,
  error: each.error,
  inputs: each.inputs,
  total_tokens: each.total_tokens,
  total_cost: each.total_cost === null ? null : Number(each.total_cost),
});

const SELECTS = [
  ...["ID", "NAME", "RUN_TYPE", "STATUS", "PROJECT_ID", "THREAD_ID", "START_TIME", "ERROR", "INPUTS"],
  ...["TOTAL_TOKENS", "TOTAL_COST"],
];

const firstFormat = async (t: Contract, body: Members) =>
  (await t.call<Rows>("POST", "/runs/query", { body })).body.runs;

const secondFormat = async (t: Contract, path: string, body?: Members) =>
  (await t.call<Items>(body ? "POST" : "GET", `/api/v2${path}`, body && { body })).body.items;

/** The queries that newer clients send, on the same rows as the older ones; these cases run against emulators only. */
export const QUERY_FORMAT_CASES = suite({
  "X/query-formats": {
    title: "queries in the format of the newest clients find the same rows as those in the older format",
    requirements: ["X-1"],
    needs: ["writes", "ingest", "control"],
    async run(t) {
      const id = await twoThreads(t);
      const rows = await firstFormat(t, { session: [id] });
      const v2Rows = await secondFormat(t, "/runs/query", { project_ids: [id], selects: SELECTS });
      t.fact("X-1", equal(v2Rows, rows.map(inSecondFormat)), "the rows of the project, in the same order");
      const [row] = rows;
      const query = `project_id=${id}&${SELECTS.map((name) => `selects=${name}`).join("&")}`;
      const { body } = await t.call("GET", `/api/v2/runs/${row?.id}?${query}`);
      t.fact("X-1", equal(body, inSecondFormat(row ?? {})), "one row");
      const url = await t.call(
        "GET",
        `/api/v2/runs/${row?.id}/url?project_id=${id}&trace_id=${row?.trace_id}`,
      );
      t.fact("X-1", String(url.body.url).includes(String(row?.app_path)), "its address in the web app", {
        actual: url.body,
      });
      const sessions = await t.call<Members[]>("GET", `/api/v1/sessions?id=${id}`);
      const v2Sessions = await secondFormat(t, `/sessions?id=${id}`);
      const expected = sessions.body.map((each) => ({ ...each, type: "PROJECT" }));
      t.fact("X-1", equal(v2Sessions, expected), "the project");
    },
  },
  "X/query-traces": {
    title: "traces in the format of the newest clients consist of the rows that older queries find",
    requirements: ["X-1"],
    needs: ["writes", "ingest", "control"],
    async run(t) {
      const id = await twoThreads(t);
      const roots = await firstFormat(t, { session: [id], is_root: true });
      t.must("X-1", equal(roots.length, 4), "each trace has a root row");
      const traces = await secondFormat(t, "/traces/query", { project_id: id, selects: SELECTS });
      const expected = roots.map(inSecondFormat).map(({ total_tokens, total_cost, ...root_run }) => ({
        root_run,
        trace_aggregates: { total_tokens, total_cost },
      }));
      t.fact("X-1", equal(traces, expected), "each root row, with the totals of its trace");
      for (const { id: trace } of roots) {
        const rows = await firstFormat(t, { session: [id], trace, order: "asc" });
        const v2Rows = await secondFormat(t, `/traces/${trace}/runs?project_id=${id}`);
        t.fact("X-1", equal(idsOf(v2Rows), idsOf(rows)), "the rows of a trace, earliest first");
      }
    },
  },
  "X/query-threads": {
    title: "threads in the format of the newest clients consist of the root rows that older queries find",
    requirements: ["X-1"],
    needs: ["writes", "ingest", "control", "clock"],
    async run(t) {
      const id = await twoThreads(t);
      const threads = await secondFormat(t, "/threads/query", { project_id: id });
      t.fact("X-1", equal(idsOf(threads, "thread_id"), ["one", "two"]), "the threads, latest activity first");
      for (const thread of threads) {
        const filter = `eq(thread_id, "${thread.thread_id}")`;
        const roots = await firstFormat(t, { session: [id], is_root: true, filter, order: "asc" });
        const traces = await secondFormat(t, `/threads/${thread.thread_id}/traces?project_id=${id}`);
        t.fact("X-1", equal(idsOf(traces, "trace_id"), idsOf(roots)), "the turns, earliest first");
        const stats = await t.call("POST", "/runs/stats", { body: { session: [id], is_root: true, filter } });
        const { run_count, total_tokens, latency_p50 } = stats.body;
        const times = [roots[0], roots.at(-1)].map((root) => root?.start_time);
        t.fact(
          "X-1",
          equal(
            [
              thread.count,
              thread.total_tokens,
              thread.latency_p50,
              thread.min_start_time,
              thread.max_start_time,
            ],
            [run_count, total_tokens, latency_p50, ...times],
          ),
          "the figures of a thread",
        );
        const selects = "selects=TURNS&selects=TOTAL_TOKENS&selects=LATENCY_P50";
        const path = `/api/v2/threads/${thread.thread_id}/stats?session_id=${id}&${selects}`;
        const figures = { turns: run_count, total_tokens, latency_p50_seconds: latency_p50 };
        t.fact("X-1", equal((await t.call("GET", path)).body, figures), "the same figures on their own");
        // A server with limits answers one request for statistics in ten seconds.
        await t.advance("PT10S");
      }
      const select = ["THREAD_COUNT", "TRACE_COUNT", "TOTAL_TOKENS"];
      const all = await t.call("POST", "/api/v2/threads/stats", { body: { project_id: id, select } });
      t.fact(
        "X-1",
        equal(all.body, { thread_count: 2, trace_count: 3, total_tokens: 12 }),
        "the figures of all threads",
      );
      const since = { project_id: id, min_start_time: iso((await t.now()) - MINUTE) };
      t.fact(
        "X-1",
        equal(await secondFormat(t, "/threads/query", since), []),
        "no threads outside the times",
      );
    },
  },
});
