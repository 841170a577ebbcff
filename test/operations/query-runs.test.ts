import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Rig, startRig } from "../support/emulator.ts";
import { uuid } from "./multipart.ts";

interface Row {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly start_time: string;
}

interface Page {
  readonly runs: readonly Row[];
  readonly cursors: { readonly next: string | null };
}

let rig: Rig;

beforeEach(async () => {
  rig = await startRig();
});

afterEach(() => rig.close());

const BASE = Date.UTC(2026, 1, 20);

/** Minutes after the base; a day has 1,440 of them. */
function run(number: number, minutes: number, more: Record<string, unknown> = {}) {
  const start_time = new Date(BASE + minutes * 60_000).toISOString();
  return {
    id: uuid(number),
    name: `run ${number}`,
    run_type: "chain",
    session_name: "shop",
    start_time,
    ...more,
  };
}

async function post(rows: readonly object[]): Promise<void> {
  expect((await rig.call("POST", "/runs/batch", { post: rows })).status).toBe(202);
}

async function session(name = "shop"): Promise<string> {
  return (await rig.call<Row[]>("GET", `/sessions?name=${name}`)).body[0]?.id ?? "";
}

async function query(body: Record<string, unknown>): Promise<Page> {
  const reply = await rig.call<Page>("POST", "/runs/query", body);
  expect([reply.status, (reply.body as unknown as { detail?: string }).detail]).toEqual([200, undefined]);
  return reply.body;
}

/** Follows the cursors to the end; `between` runs after every page. */
async function follow(body: Record<string, unknown>, between?: () => Promise<void>): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await query({ ...body, ...(cursor !== null && { cursor }) });
    rows.push(...page.runs);
    cursor = page.cursors.next;
    if (cursor === null) return rows;
    await between?.();
  }
}

const numbers = (rows: readonly Row[]) => rows.map(({ id }) => Number(id.slice(-12)));

describe("pages", () => {
  test.each(["desc", "asc"])("lead %s through days and projects, each row once", async (order) => {
    // Out of order, over four days, many at the very same time.
    const rows = Array.from({ length: 90 }, (_, n) =>
      run(n, ((n * 37) % 30) * 200, { session_name: n % 2 ? "shop" : "other" }),
    );
    for (let at = 0; at < rows.length; at += 13) await post(rows.slice(at, at + 13));
    const expected = rows
      .map(({ id, start_time }) => `${start_time} ${id}`)
      .sort()
      .map((text) => Number(text.slice(-12)));
    const sessions = [await session(), await session("other")];
    for (const limit of [1, 7, 100]) {
      const results = numbers(await follow({ session: sessions, limit, order }));
      expect(results).toEqual(order === "asc" ? expected : expected.toReversed());
    }
  });

  test.each(["desc", "asc"])(
    "lose and repeat nothing %s while rows come, change and move between days",
    async (order) => {
      await post(Array.from({ length: 60 }, (_, n) => run(n, n * 100)));
      let come = 1000;
      const between = async () => {
        await post(Array.from({ length: 5 }, () => run(come, (come++ * 61) % 6000)));
        await rig.call("POST", "/runs/batch", {
          patch: [5, 30, 55].map((n) => ({ id: uuid(n), tags: [`${come}`] })),
        });
      };
      const results = numbers(await follow({ session: [await session()], limit: 4, order }, between));
      expect(new Set(results).size).toBe(results.length);
      const expected = Array.from({ length: 60 }, (_, n) => n);
      expect(results.filter((n) => n < 1000)).toEqual(order === "asc" ? expected : expected.toReversed());
    },
  );

  test("show the newest version of a row where it now belongs", async () => {
    await post([run(1, 0), run(2, 10), run(3, 20)]);
    const request = { session: [await session()] };
    await query(request);
    await rig.call("PATCH", `/runs/${uuid(1)}`, {
      start_time: new Date(BASE + 5 * 86_400_000).toISOString(),
    });
    await rig.call("PATCH", `/runs/${uuid(3)}`, { start_time: new Date(BASE + 60_000).toISOString() });
    expect(numbers((await query(request)).runs)).toEqual([1, 2, 3]);
    await rig.call("PATCH", `/runs/${uuid(1)}`, { start_time: new Date(BASE + 90_000).toISOString() });
    expect(numbers((await query(request)).runs)).toEqual([2, 1, 3]);
  });

  test("are short, and lead on, when a filter passes few of very many rows", async () => {
    for (let from = 0; from < 6000; from += 1000)
      await post(Array.from({ length: 1000 }, (_, n) => run(from + n, (from + n) / 10)));
    const request = { session: [await session()], filter: 'eq(name, "run 3")' };
    const first = await query(request);
    expect([first.runs.length, typeof first.cursors.next]).toEqual([0, "string"]);
    expect(numbers(await follow(request))).toEqual([3]);
  });

  test.each([
    [{ cursor: "nonsense" }, "cursor"],
    [{ cursor: btoa(`asc 2026-01-01T00:00:00.000000Z ${uuid(1)}`) }, "order asc"],
    [{ limit: 101 }, "limit"],
    [{ limit: 0 }, "limit"],
    [{ order: "up" }, "order"],
    [{ filter: "eq(nme, 1)" }, "body.filter: at character 4"],
    [{ tree_filter: "and(" }, "body.tree_filter"],
    [{ start_time: "yesterday" }, "body.start_time"],
    [{ session: ["x"] }, "session"],
    [{ session: null }, "must name a project"],
    [{ session: [] }, "must name a project"],
  ])("refuse %j", async (part, says) => {
    const reply = await rig.call("POST", "/runs/query", { session: [uuid(1)], ...part });
    expect(reply).toMatchObject({ status: 422, body: { detail: expect.stringContaining(says) } });
  });
});

describe("a query", () => {
  beforeEach(async () => {
    await post([
      run(1, 0, {
        end_time: new Date(BASE + 5_000).toISOString(),
        tags: ["top"],
        inputs: { q: "Where is it?" },
      }),
      run(2, 1, { run_type: "llm", parent_run_id: uuid(1), total_tokens: 5, error: "no" }),
      run(3, 2, { run_type: "tool", parent_run_id: uuid(2), name: "deep" }),
      run(4, 3, { reference_example_id: uuid(77) }),
      run(5, 4, { run_type: "tool", parent_run_id: uuid(4) }),
      run(6, 2000, { run_type: "llm", parent_run_id: uuid(4) }),
      run(7, 5, { session_name: "other" }),
    ]);
  });

  test.each<[Record<string, unknown>, number[]]>([
    [{}, [6, 5, 4, 3, 2, 1]],
    [{ is_root: true }, [4, 1]],
    [{ is_root: false }, [6, 5, 3, 2]],
    [{ run_type: "tool" }, [5, 3]],
    [{ error: true }, [2]],
    [{ error: false }, [6, 5, 4, 3, 1]],
    [{ trace: uuid(1) }, [3, 2, 1]],
    [{ parent_run: uuid(4) }, [6, 5]],
    [{ id: [uuid(3), uuid(1), uuid(7), uuid(99)] }, [3, 1]],
    [{ id: [uuid(7)], session: null }, [7]],
    [{ trace: uuid(4), session: null }, [6, 5, 4]],
    [{ trace: uuid(99), session: null }, []],
    [{ parent_run: uuid(2), session: null }, [3]],
    [{ reference_example: [uuid(77)] }, [4]],
    [{ query: "where IS" }, [1]],
    [{ query: "where", is_root: false }, []],
    [{ filter: 'eq(run_type, "llm")' }, [6, 2]],
    [{ trace_filter: 'has(tags, "top")' }, [3, 2, 1]],
    [{ trace_filter: 'has(tags, "top")', filter: "eq(is_root, false)" }, [3, 2]],
    [{ tree_filter: 'eq(name, "deep")' }, [3, 2, 1]],
    [{ tree_filter: 'eq(status, "error")', is_root: true }, [1]],
    [
      { start_time: new Date(BASE + 60_000).toISOString(), end_time: new Date(BASE + 180_000).toISOString() },
      [3, 2],
    ],
    [{ start_time: "2026-02-21T00:00:00", order: "asc" }, [6]],
    [{ session: [uuid(500)] }, []],
  ])("%j finds %j", async (part, expected) => {
    expect(numbers((await query({ session: [await session()], ...part })).runs)).toEqual(expected);
  });

  test("answers with the requested fields, and the id", async () => {
    const { runs } = await query({
      session: [await session()],
      select: ["name", "total_tokens"],
      is_root: true,
    });
    expect(runs[1]).toEqual({
      id: uuid(1),
      name: "run 1",
      run_type: "chain",
      start_time: expect.any(String),
      trace_id: uuid(1),
      total_tokens: 5,
    });
    const { runs: whole } = await query({ id: [uuid(1)] });
    expect(whole[0]).not.toHaveProperty("below");
  });

  test("sees only its own workspace and region", async () => {
    const elsewhere = { "x-tenant-id": uuid(5) };
    const reply = await rig.call<Page>("POST", "/runs/query", { trace: uuid(1) }, elsewhere);
    expect(reply.body.runs).toEqual([]);
    const eu = await fetch(`${rig.emulator.euUrl}/runs/query`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "emulator-key" },
      body: JSON.stringify({ session: [await session()] }),
    });
    expect(((await eu.json()) as Page).runs).toEqual([]);
  });

  test("is summed up", async () => {
    const { body } = await rig.call("POST", "/runs/stats", { session: [await session()] });
    expect(body).toMatchObject({
      run_count: 6,
      error_rate: 1 / 6,
      total_tokens: 5,
      prompt_tokens: 0,
      total_cost: null,
      latency_p50: 5,
      latency_p99: 5,
      last_run_start_time: "2026-02-21T09:20:00.000000Z",
    });
    const none = await rig.call("POST", "/runs/stats", { session: [uuid(500)] });
    expect(none.body).toMatchObject({ run_count: 0, error_rate: null, latency_p50: null });
    const refusal = await rig.call("POST", "/runs/stats", { session: [uuid(1)], filter: "eq(" });
    expect(refusal.status).toBe(422);
  });

  test("omits the zone of times under the observed profile, as the public service does", async () => {
    await rig.close();
    rig = await startRig({ profile: "observed" });
    await post([run(1, 0)]);
    expect((await rig.call("GET", `/runs/${uuid(1)}`)).body.start_time).toBe("2026-02-20T00:00:00.000000");
  });
});

/** The clock of a rig stands at 2026-03-01T00:00:00Z: the rows below began in the last 24 hours, one aside. */
describe("a query in the words of the newest public client", () => {
  const DAY = 8 * 1440;
  const V2 = "/api/v2/runs/query";
  const find = async (body: Record<string, unknown>) =>
    (await rig.call<{ items: Row[]; next_cursor: string | null }>("POST", V2, body)).body;
  let project_ids: string[];

  beforeEach(async () => {
    await post([
      run(1, DAY + 1, { run_type: "tool", trace_tier: "longlived" }),
      run(2, DAY + 2),
      run(3, DAY + 3, { run_type: "tool" }),
      run(4, DAY - 1, { run_type: "tool" }),
      run(5, 9 * 1440, { run_type: "tool" }),
    ]);
    project_ids = [await session()];
  });

  test("finds rows page by page, with the members that it selects", async () => {
    const request = {
      project_ids,
      run_type: "TOOL",
      page_size: 1,
      selects: ["NAME", "RUN_TYPE", "PROJECT_ID"],
    };
    const { items, next_cursor } = await find(request);
    expect(items).toEqual([{ name: "run 3", run_type: "TOOL", project_id: project_ids[0] }]);
    const next = await find({ ...request, selects: ["ID", "SHARE_URL"], cursor: next_cursor });
    expect(next.items).toEqual([{ id: uuid(1) }]);
  });

  test("finds a custom type in upper case, and shows the older query unchanged", async () => {
    await post([run(6, DAY + 6, { run_type: "myStep" })]);
    const search = async (run_type: string) =>
      numbers(
        (await rig.call<{ runs: Row[] }>("POST", "/runs/query", { session: project_ids, run_type })).body
          .runs,
      );
    expect(numbers((await find({ project_ids, run_type: "MYSTEP" })).items)).toEqual([6]);
    expect([await search("myStep"), await search("mystep"), await search("TOOL")]).toEqual([[6], [], []]);
  });

  test("without selects is answered with ids alone, and so is a look-up", async () => {
    expect((await find({ project_ids, run_type: "TOOL" })).items).toEqual([{ id: uuid(3) }, { id: uuid(1) }]);
    const look = `/api/v2/runs/${uuid(1)}?project_id=${project_ids[0]}`;
    expect((await rig.call("GET", look)).body).toEqual({ id: uuid(1) });
    expect((await rig.call("GET", `${look}&selects=NAME&selects=STATUS`)).body).toEqual({
      name: "run 1",
      status: "PENDING",
    });
  });

  test("without times finds what began in the last 24 hours of virtual time", async () => {
    expect(numbers((await find({ project_ids })).items)).toEqual([3, 2, 1]);
    const older = { project_ids, min_start_time: "2026-02-27T00:00:00Z" };
    expect(numbers((await find(older)).items)).toEqual([3, 2, 1, 4]);
    const newer = { project_ids, max_start_time: "2026-03-02T00:00:00Z" };
    expect(numbers((await find(newer)).items)).toEqual([5, 3, 2, 1]);
  });

  test.each([
    ["a run_type in lower case", { run_type: "tool" }, "run_type"],
    ["a select in lower case", { selects: ["name"] }, "selects"],
    ["an unknown select", { selects: ["COLOUR"] }, "selects"],
    ["a page of more than 1,000", { page_size: 1001 }, "page_size"],
    ["no project", { project_ids: undefined }, "project_ids"],
    ["an empty list of projects", { project_ids: [] }, "project_ids"],
  ])("with %s is refused", async (_, change, member) => {
    const { status, body } = await rig.call("POST", V2, { project_ids, ...change });
    expect([status, body]).toEqual([422, { detail: expect.stringContaining(`body.${member}`) }]);
  });

  test("for one row needs its project", async () => {
    expect((await rig.call("GET", `/api/v2/runs/${uuid(1)}`)).status).toBe(422);
    expect((await rig.call("GET", `/api/v2/runs/${uuid(1)}?project_id=${uuid(500)}`)).status).toBe(404);
  });
});

describe("the thread of a row", () => {
  const rows = [
    run(1, 1, { extra: { metadata: { thread_id: "t-1", session_id: null } } }),
    run(2, 2, { extra: { metadata: { thread_id: "t-1", session_id: "t-2" } } }),
    run(3, 3, { extra: { metadata: { conversation_id: "t-1" } } }),
    run(4, 4, { extra: { metadata: { thread_id: 5 } } }),
    run(5, 5),
  ];

  test("is the first value of its metadata, as a field and in filters", async () => {
    await post(rows);
    const shop = [await session()];
    const { runs } = await query({ session: shop, select: ["thread_id"], order: "asc" });
    expect(runs.map(({ thread_id }) => thread_id)).toEqual(["t-1", "t-2", "t-1", null, null]);
    const idsFor = async (filter: string) =>
      (await query({ session: shop, filter, order: "asc" })).runs.map(({ id }) => id);
    expect(await idsFor('eq(thread_id, "t-1")')).toEqual([uuid(1), uuid(3)]);
    expect(await idsFor('and(in(thread_id, ["t-2", "t-3"]), eq(is_root, true))')).toEqual([uuid(2)]);
    expect(await idsFor('neq(thread_id, "t-1")')).toEqual([uuid(2), uuid(4), uuid(5)]);
  });
});
