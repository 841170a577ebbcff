import { beforeEach, describe, expect, test } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";
import { uuid } from "./multipart.ts";

type Row = Readonly<Record<string, unknown>>;

interface Page {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
}

const rig = useRig("test", () => startRig());
let project: string;

/** The clock of a rig stands at 2026-03-01T00:00:00Z. */
const NOON = Date.UTC(2026, 1, 28, 12);

/** A root row of a thread that started so many minutes after noon and took a minute. */
function turn(number: number, minutes: number, thread: string | null, more: Row = {}) {
  const start = NOON + minutes * 60_000;
  return {
    id: uuid(number),
    name: `turn ${number}`,
    run_type: "chain",
    session_name: "chat",
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + 60_000).toISOString(),
    inputs: { question: number },
    outputs: { answer: number },
    extra: { metadata: { thread_id: thread } },
    ...more,
  };
}

async function post(rows: readonly object[]): Promise<void> {
  expect((await rig.call("POST", "/runs/batch", { post: rows })).status).toBe(202);
  project = (await rig.call<Row[]>("GET", "/sessions?name=chat")).body[0]?.id as string;
}

async function page(path: string, body?: Row): Promise<Page> {
  const reply = await rig.call<Page>(body ? "POST" : "GET", `/api/v2${path}`, body);
  expect([reply.status, (reply.body as unknown as { detail?: string }).detail]).toEqual([200, undefined]);
  return reply.body;
}

/** Follows the cursors, with a page size of 1. */
async function follow(path: string, body?: Row): Promise<Row[]> {
  const items: Row[] = [];
  for (let cursor: string | null = null; ; ) {
    const request: Row = { page_size: 1, ...(cursor !== null && { cursor }) };
    const query = new URLSearchParams(Object.entries(request).map(([name, value]) => [name, String(value)]));
    const next: Page = await (body ? page(path, { ...body, ...request }) : page(`${path}&${query}`));
    items.push(...next.items);
    cursor = next.next_cursor;
    if (cursor === null) return items;
  }
}

const refusal = async (method: string, path: string, body?: Row) => {
  const reply = await rig.call<{ detail: string }>(method, `/api/v2${path}`, body);
  return [reply.status, reply.body.detail] as const;
};

describe("threads", () => {
  beforeEach(() =>
    post([
      turn(1, 1, "a"),
      turn(2, 2, "b/c", { tags: ["blue"], total_tokens: 5, total_cost: 0.5 }),
      turn(3, 3, "a", { error: "It broke.", total_tokens: 7, total_cost: 0.25 }),
      turn(4, 4, null),
      turn(5, -1_441, "old"),
    ]),
  );

  test("consist of the root rows of the last 24 hours, latest activity first", async () => {
    const { items, next_cursor } = await page("/threads/query", { project_id: project });
    expect(next_cursor).toBeNull();
    expect(items).toEqual([
      {
        thread_id: "a",
        count: 2,
        num_errored_turns: 1,
        start_time: "2026-02-28T12:03:00.000000Z",
        min_start_time: "2026-02-28T12:01:00.000000Z",
        max_start_time: "2026-02-28T12:03:00.000000Z",
        trace_id: uuid(3),
        first_trace_id: uuid(1),
        last_trace_id: uuid(3),
        first_inputs: '{"question":1}',
        last_outputs: '{"answer":3}',
        last_error: "It broke.",
        latency_p50: 60,
        latency_p99: 60,
        total_tokens: 7,
        total_cost: 0.25,
      },
      expect.objectContaining({ thread_id: "b/c", count: 1, num_errored_turns: 0, total_cost: 0.5 }),
    ]);
    expect(items[1]).not.toHaveProperty("last_error");
  });

  test("are listed page by page, each once", async () => {
    await post([turn(6, 3, "c"), turn(7, 3, "ü")]);
    const results = await follow("/threads/query", { project_id: project });
    expect(results.map(({ thread_id }) => thread_id)).toEqual(["ü", "c", "a", "b/c"]);
  });

  test("count the root rows that a filter selects", async () => {
    const { items } = await page("/threads/query", { project_id: project, filter: 'eq(status, "error")' });
    expect(items.map(({ thread_id, count }) => [thread_id, count])).toEqual([["a", 1]]);
  });

  test.each([
    ["trace_filter", 'eq(status, "error")', [["a", 2]]],
    ["tree_filter", 'has(tags, "blue")', [["b/c", 1]]],
    ["trace_filter", 'eq(name, "nothing")', []],
  ])("with one trace that %s selects are listed with all their turns", async (name, filter, expected) => {
    const { items } = await page("/threads/query", { project_id: project, [name]: filter });
    expect(items.map(({ thread_id, count }) => [thread_id, count])).toEqual(expected);
    const select = ["THREAD_COUNT", "TRACE_COUNT", "TOTAL_COST"];
    const all = await rig.call("POST", "/api/v2/threads/stats", {
      project_id: project,
      [name]: filter,
      select,
    });
    expect(all.body).toMatchObject({ thread_count: expected.length });
  });

  test("list their turns with trace_id and the selected members, earliest first, whenever they were", async () => {
    const path = `/threads/${encodeURIComponent("b/c")}/traces?project_id=${project}`;
    expect((await page(path)).items).toEqual([{ trace_id: uuid(2) }]);
    expect((await page(`/threads/old/traces?project_id=${project}`)).items).toEqual([{ trace_id: uuid(5) }]);
    const selects = "selects=NAME&selects=LATENCY&selects=INPUTS_PREVIEW&selects=ERROR_PREVIEW&selects=OP";
    expect(await follow(`/threads/a/traces?project_id=${project}&${selects}`)).toEqual([
      { trace_id: uuid(1), name: "turn 1", latency: 60, inputs_preview: '{"question":1}' },
      {
        ...{ trace_id: uuid(3), name: "turn 3", latency: 60, inputs_preview: '{"question":3}' },
        error_preview: "It broke.",
      },
    ]);
    const filter = encodeURIComponent('eq(status, "error")');
    const failed = await page(`/threads/a/traces?project_id=${project}&filter=${filter}`);
    expect(failed.items).toEqual([{ trace_id: uuid(3) }]);
  });

  test("have figures of their own", async () => {
    const selects = "selects=TURNS&selects=LATENCY_P50&selects=TOTAL_COST&selects=LAST_END_TIME";
    const { body } = await rig.call("GET", `/api/v2/threads/a/stats?session_id=${project}&${selects}`);
    expect(body).toEqual({
      turns: 2,
      latency_p50_seconds: 60,
      total_cost: 0.25,
      last_end_time: "2026-02-28T12:04:00.000000Z",
    });
    const none = await rig.call("GET", `/api/v2/threads/nobody/stats?session_id=${project}&${selects}`);
    expect(none.body).toEqual({ turns: 0 });
  });

  test("of a deleted project, and of an unknown one, are not found", async () => {
    expect((await page("/threads/query", { project_id: uuid(500) })).items).toEqual([]);
    expect((await rig.call("DELETE", `/sessions/${project}`)).status).toBe(202);
    expect((await page("/threads/query", { project_id: project })).items).toEqual([]);
    const { body } = await rig.call("GET", `/api/v2/threads/a/stats?session_id=${project}&selects=TURNS`);
    expect(body).toEqual({ turns: 0 });
  });

  test.each([
    ["a criterion for whole threads", "/threads/query", { thread_filter: "gt(count, 2)" }, "thread_filter"],
    ["a criterion in natural language", "/threads/query", { ai_search: "angry" }, "ai_search"],
    ["an unreadable filter", "/threads/query", { tree_filter: "eq(" }, "body.tree_filter"],
    ["an unreadable time", "/threads/query", { min_start_time: "yesterday" }, "body.min_start_time"],
    ["a cursor of another list", "/threads/query", { cursor: btoa("x") }, "cursor"],
    ["a page of more than 100", "/threads/query", { page_size: 101 }, "body.page_size"],
    ["no figures", "/threads/stats", { select: [] }, "body.select"],
    ["an unknown figure", "/threads/stats", { select: ["COLOUR"] }, "body.select"],
  ])("with %s are refused", async (_, path, more, name) => {
    const [status, detail] = await refusal("POST", path, { project_id: project, ...more });
    expect([status, detail]).toEqual([422, expect.stringContaining(name)]);
  });
});

describe("traces", () => {
  const child = { parent_run_id: uuid(1), trace_id: uuid(1), total_tokens: 9, total_cost: 0.5 };

  beforeEach(() => post([turn(1, 1, "a"), turn(2, 2, "a", child), turn(3, 3, "a"), turn(4, -1_441, "a")]));

  test("are root rows of the last 24 hours, latest first, by default with their id alone", async () => {
    expect(await follow("/traces/query", { project_id: project })).toEqual([
      { root_run: { id: uuid(3) } },
      { root_run: { id: uuid(1) } },
    ]);
  });

  test("show the totals of all their rows separately", async () => {
    const body = {
      project_id: project,
      trace_ids: [uuid(1)],
      selects: ["NAME", "TOTAL_TOKENS", "TOTAL_COST"],
    };
    expect((await page("/traces/query", body)).items).toEqual([
      { root_run: { name: "turn 1" }, trace_aggregates: { total_tokens: 9, total_cost: 0.5 } },
    ]);
  });

  test("list their rows, earliest first", async () => {
    const path = `/traces/${uuid(1)}/runs?project_id=${project}`;
    const rows = async (more = "") => (await page(path + more)).items.map(({ id }) => id);
    expect(await rows()).toEqual([uuid(1), uuid(2)]);
    expect(await rows("&filter=eq(is_root,%20false)")).toEqual([uuid(2)]);
    // The upper bound is inclusive.
    const day = "2026-02-28T";
    expect(await rows(`&min_start_time=${day}12:00:00Z&max_start_time=${day}12:01:00Z`)).toEqual([uuid(1)]);
    expect(await refusal("GET", `${path}&min_start_time=${day}12:00:00Z`)).toEqual([
      422,
      expect.stringContaining("query.max_start_time"),
    ]);
    expect((await page(`/traces/${uuid(1)}/runs?project_id=${uuid(500)}`)).items).toEqual([]);
  });

  test("of more than 5,000 rows are read by another query", async () => {
    const children = Array.from({ length: 5_000 }, (_, n) =>
      turn(n + 10, 5, "a", { ...child, total_cost: null }),
    );
    await post(children);
    expect(await refusal("GET", `/traces/${uuid(1)}/runs?project_id=${project}`)).toEqual([
      413,
      expect.stringContaining("/api/v2/runs/query"),
    ]);
  });

  test("have rows with an address", async () => {
    const path = `/runs/${uuid(2)}/url?project_id=${project}`;
    const { body } = await rig.call<{ url: string }>("GET", `/api/v2${path}&trace_id=${uuid(1)}`);
    expect(body.url).toMatch(`/projects/p/${project}/r/${uuid(2)}?trace_id=${uuid(1)}`);
    expect((await refusal("GET", `${path}&trace_id=${uuid(2)}`))[0]).toBe(404);
    expect((await refusal("GET", path))[0]).toBe(422);
  });
});

test("projects are listed page by page, latest first or by name", async () => {
  for (const [name, day] of [
    ["b", 1],
    ["ä", 3],
    ["a", 2],
  ] as const)
    await rig.call("POST", "/sessions", { name, start_time: `2026-02-0${day}T00:00:00Z` });
  const names = async (query: string) => (await follow(`/sessions?${query}`)).map(({ name }) => name);
  expect(await names("sort_order=desc")).toEqual(["ä", "a", "b"]);
  expect(await names("sort_by=NAME&sort_order=asc")).toEqual(["a", "b", "ä"]);
  const [match] = (await page("/sessions?name=ä")).items;
  expect(match).toMatchObject({ name: "ä", type: "PROJECT", start_time: "2026-02-03T00:00:00Z" });
  await post([turn(1, 1, "a", { total_cost: 0.5 })]);
  const withStats = await page("/sessions?name=chat&include_stats=true");
  expect(withStats.items).toMatchObject([{ name: "chat", type: "PROJECT", run_count: 1, total_cost: 0.5 }]);
  const first = await page("/sessions?page_size=1");
  expect((await refusal("GET", `/sessions?sort_by=NAME&cursor=${first.next_cursor}`))[0]).toBe(422);
});
