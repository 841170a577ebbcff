import { beforeAll, describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

type Members = Readonly<Record<string, unknown>>;

interface Page {
  readonly items: readonly Members[];
  readonly next_cursor: string | null;
}

const rig = useRig("file", () => startRig());

/** The clock of a rig stands at 2026-03-01T00:00:00Z. */
const NOON = Date.UTC(2026, 1, 28, 12);
const DAY = "2026-02-28T";

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** A root row of a thread that started so many minutes after noon and took a minute. */
function turn(number: number, minutes: number, thread: string | null, more: Members = {}) {
  const start = NOON + minutes * 60_000;
  return {
    ...{ id: idOf(number), name: `turn ${number}`, run_type: "chain", session_name: "chat" },
    ...{ start_time: new Date(start).toISOString(), end_time: new Date(start + 60_000).toISOString() },
    ...{ inputs: { question: number }, outputs: { answer: number } },
    extra: { metadata: { thread_id: thread } },
    ...more,
  };
}

const projectId = async (name: string) =>
  (await rig.call<{ id: string }[]>("GET", `/sessions?name=${name}`)).body[0]?.id ?? "";

async function page(path: string, body?: Members): Promise<Page> {
  const reply = await rig.call<Page & { detail?: string }>(body ? "POST" : "GET", `/api/v2${path}`, body);
  expect([reply.status, reply.body.detail]).toEqual([200, undefined]);
  return reply.body;
}

/** All items, by the cursors, with a page size of 1. */
async function follow(path: string, body?: Members): Promise<Members[]> {
  const items: Members[] = [];
  for (let cursor: string | null = null; ; ) {
    const request: Members = { page_size: 1, ...(cursor !== null && { cursor }) };
    const query = new URLSearchParams(Object.entries(request).map(([name, value]) => [name, String(value)]));
    const next: Page = await (body ? page(path, { ...body, ...request }) : page(`${path}&${query}`));
    items.push(...next.items);
    cursor = next.next_cursor;
    if (cursor === null) return items;
  }
}

const selecting = (...names: readonly string[]) => names.map((name) => `selects=${name}`).join("&");

let project: string;

beforeAll(async () => {
  const child = { parent_run_id: idOf(1), trace_id: idOf(1), run_type: "tool" };
  const post = [
    turn(1, 1, "a", { outputs: { answer: 1 } }),
    turn(2, 2, "b/c", { tags: ["blue"], total_tokens: 5, total_cost: 0.5 }),
    turn(3, 3, "a", { error: "It broke.", run_type: "myStep" }),
    turn(4, 4, null),
    turn(5, -1_441, "old"),
    turn(6, 5, null, { ...child, total_tokens: 7, total_cost: 0.25 }),
    turn(7, 1_440, null),
  ];
  expect((await rig.call("POST", "/runs/batch", { post })).status).toBe(202);
  project = await projectId("chat");
});

describe("rows", () => {
  const numbersOf = ({ items }: Page) => items.map(({ id }) => Number(String(id).slice(-12)));

  it("are found page by page, with the selected members, by types in upper case", async () => {
    const request = {
      project_ids: [project],
      selects: ["ID", "NAME", "RUN_TYPE", "PROJECT_ID", "SHARE_URL"],
    };
    const row = { id: idOf(6), name: "turn 6", run_type: "TOOL", project_id: project };
    expect(await follow("/runs/query", { ...request, run_type: "TOOL" })).toEqual([row]);
    expect(numbersOf(await page("/runs/query", { project_ids: [project], run_type: "MYSTEP" }))).toEqual([3]);
    expect((await page("/runs/query", { project_ids: [project], run_type: "TOOL" })).items).toEqual([
      { id: idOf(6) },
    ]);
  });

  it.each([
    [{}, [6, 4, 3, 2, 1]],
    [{ min_start_time: "2026-02-27T00:00:00Z" }, [6, 4, 3, 2, 1, 5]],
    [{ max_start_time: "2026-03-02T00:00:00Z" }, [7, 6, 4, 3, 2, 1]],
  ])("without times are those of the last 24 hours of virtual time: %j", async (times, expected) => {
    expect(numbersOf(await page("/runs/query", { project_ids: [project], ...times }))).toEqual(expected);
  });

  it("are looked up in their project, and have an address", async () => {
    const look = `/api/v2/runs/${idOf(1)}`;
    expect((await rig.call("GET", `${look}?project_id=${project}`)).body).toEqual({ id: idOf(1) });
    const selected = await rig.call("GET", `${look}?project_id=${project}&${selecting("NAME", "STATUS")}`);
    expect(selected.body).toEqual({ name: "turn 1", status: "SUCCESS" });
    const path = `/api/v2/runs/${idOf(6)}/url?project_id=${project}`;
    const { body } = await rig.call("GET", `${path}&trace_id=${idOf(1)}`);
    expect(body.url).toContain(`/projects/p/${project}/r/${idOf(6)}?trace_id=${idOf(1)}`);
    for (const [invalid, status] of [
      [look, 422],
      [`${look}?project_id=${idOf(500)}`, 404],
      [path, 422],
      [`${path}&trace_id=${idOf(6)}`, 404],
    ] as const)
      expect((await rig.call("GET", invalid)).status, invalid).toBe(status);
  });
});

describe("threads", () => {
  it("consist of the root rows of the last 24 hours, latest activity first", async () => {
    const { items, next_cursor } = await page("/threads/query", { project_id: project });
    expect(next_cursor).toBeNull();
    expect(items).toEqual([
      {
        ...{ thread_id: "a", count: 2, num_errored_turns: 1, latency_p50: 60, latency_p99: 60 },
        ...{ start_time: `${DAY}12:03:00.000000Z`, max_start_time: `${DAY}12:03:00.000000Z` },
        ...{ min_start_time: `${DAY}12:01:00.000000Z`, trace_id: idOf(3), last_trace_id: idOf(3) },
        ...{ first_trace_id: idOf(1), first_inputs: '{"question":1}', last_outputs: '{"answer":3}' },
        ...{ last_error: "It broke.", total_tokens: 7, total_cost: 0.25 },
      },
      expect.objectContaining({ thread_id: "b/c", count: 1, num_errored_turns: 0, total_cost: 0.5 }),
    ]);
    expect(items[1]).not.toHaveProperty("last_error");
    expect(await follow("/threads/query", { project_id: project })).toEqual(items);
  });

  it.each([
    ["filter", 'eq(status, "error")', [["a", 1]]],
    ["trace_filter", 'eq(status, "error")', [["a", 2]]],
    ["tree_filter", 'has(tags, "blue")', [["b/c", 1]]],
    ["trace_filter", 'eq(name, "nothing")', []],
  ])("with a row or trace that %s %s selects are listed and counted", async (name, filter, expected) => {
    const body = { project_id: project, [name]: filter };
    const { items } = await page("/threads/query", body);
    expect(items.map(({ thread_id, count }) => [thread_id, count])).toEqual(expected);
    const stats = await rig.call("POST", "/api/v2/threads/stats", { ...body, select: ["THREAD_COUNT"] });
    expect(stats.body).toEqual({ thread_count: expected.length });
  });

  it("list their turns with trace_id and the selected members, earliest first, whenever they were", async () => {
    const path = (thread: string) => `/threads/${encodeURIComponent(thread)}/traces?project_id=${project}`;
    expect((await page(path("b/c"))).items).toEqual([{ trace_id: idOf(2) }]);
    expect((await page(path("old"))).items).toEqual([{ trace_id: idOf(5) }]);
    const selects = selecting("NAME", "LATENCY", "INPUTS_PREVIEW", "ERROR_PREVIEW", "OP");
    const first = { trace_id: idOf(1), name: "turn 1", latency: 60, inputs_preview: '{"question":1}' };
    const last = { trace_id: idOf(3), name: "turn 3", latency: 60, inputs_preview: '{"question":3}' };
    expect(await follow(`${path("a")}&${selects}`)).toEqual([first, { ...last, error_preview: "It broke." }]);
    const failed = await page(`${path("a")}&filter=${encodeURIComponent('eq(status, "error")')}`);
    expect(failed.items).toEqual([{ trace_id: idOf(3) }]);
  });

  it("have figures of their own, and none where they do not exist", async () => {
    const selects = selecting("TURNS", "LATENCY_P50", "TOTAL_COST", "LAST_END_TIME");
    const stats = async (thread: string) =>
      (await rig.call("GET", `/api/v2/threads/${thread}/stats?session_id=${project}&${selects}`)).body;
    const last_end_time = `${DAY}12:04:00.000000Z`;
    expect(await stats("a")).toEqual({ turns: 2, latency_p50_seconds: 60, total_cost: 0.25, last_end_time });
    expect(await stats("nobody")).toEqual({ turns: 0 });
  });
});

describe("traces", () => {
  it("are root rows of the last 24 hours, latest first, by default with their id alone", async () => {
    const traces = await follow("/traces/query", { project_id: project });
    expect(traces).toEqual([4, 3, 2, 1].map((number) => ({ root_run: { id: idOf(number) } })));
    const body = {
      project_id: project,
      trace_ids: [idOf(1)],
      selects: ["NAME", "TOTAL_TOKENS", "TOTAL_COST"],
    };
    expect((await page("/traces/query", body)).items).toEqual([
      { root_run: { name: "turn 1" }, trace_aggregates: { total_tokens: 7, total_cost: 0.25 } },
    ]);
  });

  it("list their rows, earliest first, up to and including the given time", async () => {
    const path = `/traces/${idOf(1)}/runs?project_id=${project}`;
    const ids = async (more = "") => (await page(path + more)).items.map(({ id }) => id);
    expect(await ids()).toEqual([idOf(1), idOf(6)]);
    expect(await ids("&filter=eq(is_root,%20false)")).toEqual([idOf(6)]);
    expect(await ids(`&min_start_time=${DAY}12:00:00Z&max_start_time=${DAY}12:01:00Z`)).toEqual([idOf(1)]);
    expect((await page(`/traces/${idOf(1)}/runs?project_id=${idOf(500)}`)).items).toEqual([]);
    const { status, body } = await rig.call("GET", `/api/v2${path}&min_start_time=${DAY}12:00:00Z`);
    expect([status, body]).toEqual([422, { detail: expect.stringContaining("query.max_start_time") }]);
  });

  it("of more than 5,000 rows are read by another query", async () => {
    const root = turn(10_000, 0, null, { session_name: "large" });
    const child = { parent_run_id: root.id, trace_id: root.id, session_name: "large" };
    const children = Array.from({ length: 5_000 }, (_, n) => turn(10_001 + n, 1, null, child));
    await rig.call("POST", "/runs/batch", { post: [root, ...children] });
    const path = `/api/v2/traces/${root.id}/runs?project_id=${await projectId("large")}`;
    const { status, body } = await rig.call("GET", path);
    expect([status, body]).toEqual([413, { detail: expect.stringContaining("/api/v2/runs/query") }]);
  });
});

it.each<[path: string, body: Members, member: string]>([
  ["/runs/query", { run_type: "tool" }, "body.run_type"],
  ["/threads/query", { thread_filter: "gt(count, 2)" }, "thread_filter"],
  ["/threads/query", { ai_search: "angry" }, "ai_search"],
  ["/threads/query", { tree_filter: "eq(" }, "body.tree_filter"],
  ["/threads/query", { cursor: btoa("x") }, "cursor"],
])("POST /api/v2%s refuses %j", async (path, change, member) => {
  const body = { project_id: project, project_ids: [project], ...change };
  const reply = await rig.call("POST", `/api/v2${path}`, body);
  expect([reply.status, reply.body]).toEqual([422, { detail: expect.stringContaining(member) }]);
});

describe("projects", () => {
  const OTHER = { "x-tenant-id": idOf(600) };
  const list = async (query: string) =>
    (await rig.call<Page>("GET", `/api/v2/sessions?${query}`, undefined, OTHER)).body;

  it("are listed page by page, latest first or by name", async () => {
    for (const [name, day] of Object.entries({ b: 1, ä: 3, a: 2 }))
      await rig.call("POST", "/sessions", { name, start_time: `2026-02-0${day}T00:00:00Z` }, OTHER);
    const names = async (query: string) => (await list(query)).items.map(({ name }) => name);
    expect(await names("sort_order=desc")).toEqual(["ä", "a", "b"]);
    expect(await names("sort_by=NAME&sort_order=asc")).toEqual(["a", "b", "ä"]);
    const first = await list("page_size=2");
    expect(first.items.map(({ name }) => name)).toEqual(["ä", "a"]);
    expect(await names(`page_size=2&cursor=${first.next_cursor}`)).toEqual(["b"]);
    const [project] = (await list("name=ä&include_stats=true")).items;
    expect(project).toMatchObject({
      name: "ä",
      type: "PROJECT",
      start_time: "2026-02-03T00:00:00Z",
      run_count: 0,
    });
    const wrong = await rig.call(
      "GET",
      `/api/v2/sessions?sort_by=NAME&cursor=${first.next_cursor}`,
      undefined,
      OTHER,
    );
    expect(wrong.status).toBe(422);
  });

  it("that are deleted have no threads", async () => {
    const child = turn(30_000, 1, "gone", { session_name: "gone" });
    await rig.call("POST", "/runs", child);
    const id = await projectId("gone");
    expect((await page("/threads/query", { project_id: id })).items).toHaveLength(1);
    expect((await rig.call("DELETE", `/sessions/${id}`)).status).toBe(202);
    expect((await page("/threads/query", { project_id: id })).items).toEqual([]);
  });
});
