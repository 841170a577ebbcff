import { beforeAll, describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

type Members = Readonly<Record<string, unknown>>;

const rig = useRig("file", () => startRig());

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const numbersOf = (rows: readonly Members[]) => rows.map(({ id }) => Number(String(id).slice(-12)));

const BASE = Date.UTC(2026, 1, 20);
const at = (minutes: number) => new Date(BASE + minutes * 60_000).toISOString();

/** A row that began so many minutes after the base; a day has 1,440 of them. */
const run = (number: number, minutes: number, more: Members = {}) => ({
  ...{ id: idOf(number), name: `run ${number}`, run_type: "chain", session_name: "shop" },
  ...{ start_time: at(minutes), ...more },
});

async function post(rows: readonly object[]): Promise<void> {
  expect((await rig.call("POST", "/runs/batch", { post: rows })).status).toBe(202);
}

const projectId = async (name: string) =>
  (await rig.call<{ id: string }[]>("GET", `/sessions?name=${name}`)).body[0]?.id ?? "";

interface Page {
  readonly runs: readonly Members[];
  readonly cursors: { readonly next: string | null };
}

async function query(body: Members): Promise<Page> {
  const reply = await rig.call<Page & { detail?: string }>("POST", "/runs/query", body);
  expect([reply.status, reply.body.detail]).toEqual([200, undefined]);
  return reply.body;
}

/** The numbers of all rows, by the cursors; `between` runs after every page. */
async function follow(body: Members, between?: () => Promise<void>): Promise<number[]> {
  const rows: Members[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = await query({ ...body, ...(cursor !== null && { cursor }) });
    rows.push(...page.runs);
    cursor = page.cursors.next;
    if (cursor === null) return numbersOf(rows);
    await between?.();
  }
}

let shop: string;

beforeAll(async () => {
  await post([
    run(1, 0, { end_time: at(1 / 12), tags: ["top"], inputs: { q: "Where is it?" } }),
    run(2, 1, { run_type: "llm", parent_run_id: idOf(1), total_tokens: 5, error: "no" }),
    run(3, 2, { run_type: "tool", parent_run_id: idOf(2), name: "deep" }),
    run(4, 3, { reference_example_id: idOf(77), extra: { metadata: { conversation_id: "t-1" } } }),
    run(5, 4, { run_type: "tool", parent_run_id: idOf(4) }),
    run(6, 2000, { run_type: "llm", parent_run_id: idOf(4), extra: { metadata: { thread_id: 5 } } }),
    run(7, 5, { session_name: "other" }),
  ]);
  shop = await projectId("shop");
});

describe("a query", () => {
  it.each<[Members, number[]]>([
    [{}, [6, 5, 4, 3, 2, 1]],
    [{ is_root: true }, [4, 1]],
    [{ is_root: false }, [6, 5, 3, 2]],
    [{ run_type: "tool" }, [5, 3]],
    [{ run_type: "TOOL" }, []],
    [{ error: true }, [2]],
    [{ error: false }, [6, 5, 4, 3, 1]],
    [{ trace: idOf(1) }, [3, 2, 1]],
    [{ parent_run: idOf(4) }, [6, 5]],
    [{ id: [idOf(3), idOf(1), idOf(7), idOf(99)] }, [3, 1]],
    [{ id: [idOf(7)], session: null }, [7]],
    [{ trace: idOf(4), session: null }, [6, 5, 4]],
    [{ trace: idOf(99), session: null }, []],
    [{ parent_run: idOf(2), session: null }, [3]],
    [{ reference_example: [idOf(77)] }, [4]],
    [{ query: "where IS" }, [1]],
    [{ query: "where", is_root: false }, []],
    [{ filter: 'eq(run_type, "llm")' }, [6, 2]],
    [{ filter: 'neq(thread_id, "t-1")', is_root: true }, [1]],
    [{ trace_filter: 'has(tags, "top")' }, [3, 2, 1]],
    [{ trace_filter: 'has(tags, "top")', filter: "eq(is_root, false)" }, [3, 2]],
    [{ tree_filter: 'eq(name, "deep")' }, [3, 2, 1]],
    [{ tree_filter: 'eq(status, "error")', is_root: true }, [1]],
    [{ start_time: at(1), end_time: at(3) }, [3, 2]],
    [{ start_time: "2026-02-21T00:00:00", order: "asc" }, [6]],
    [{ session: [idOf(500)] }, []],
  ])("%j finds %j", async (part, expected) => {
    expect(numbersOf((await query({ session: [shop], ...part })).runs)).toEqual(expected);
  });

  it.each([
    [{ cursor: "nonsense" }, "cursor"],
    [{ cursor: btoa(`asc 2026-01-01T00:00:00.000000Z ${idOf(1)}`) }, "order asc"],
    [{ filter: "eq(nme, 1)" }, "body.filter: at character 4"],
    [{ tree_filter: "and(" }, "body.tree_filter"],
    [{ start_time: "yesterday" }, "body.start_time"],
    [{ session: null }, "must name a project"],
    [{ session: [] }, "must name a project"],
  ])("with %j is refused", async (part, text) => {
    const { status, body } = await rig.call("POST", "/runs/query", { session: [idOf(1)], ...part });
    expect([status, body]).toEqual([422, { detail: expect.stringContaining(text) }]);
  });

  it("is answered with the requested fields, and those that each row has", async () => {
    const select = ["name", "total_tokens", "thread_id"];
    const { runs } = await query({ session: [shop], select, is_root: true });
    const fields = { run_type: "chain", start_time: expect.any(String), total_tokens: 5, thread_id: null };
    expect(runs[1]).toEqual({ ...fields, id: idOf(1), name: "run 1", trace_id: idOf(1) });
    expect(runs[0]).toMatchObject({ thread_id: "t-1" });
    expect((await query({ id: [idOf(1)] })).runs[0]).not.toHaveProperty("below");
  });

  it("finds only rows of its own workspace and region", async () => {
    const elsewhere = { "x-tenant-id": idOf(5) };
    const reply = await rig.call<Page>("POST", "/runs/query", { trace: idOf(1) }, elsewhere);
    expect(reply.body.runs).toEqual([]);
    const eu = await fetch(`${rig.emulator.euUrl}/runs/query`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "emulator-key" },
      body: JSON.stringify({ session: [shop] }),
    });
    expect(((await eu.json()) as Page).runs).toEqual([]);
  });

  it("is summed up", async () => {
    const stats = (body: object) => rig.call("POST", "/runs/stats", body);
    expect((await stats({ session: [shop] })).body).toMatchObject({
      ...{ run_count: 6, error_rate: 1 / 6, total_tokens: 5, prompt_tokens: 0, total_cost: null },
      ...{ latency_p50: 5, latency_p99: 5, last_run_start_time: "2026-02-21T09:20:00.000000Z" },
    });
    const none = { run_count: 0, error_rate: null, latency_p50: null };
    expect((await stats({ session: [idOf(500)] })).body).toMatchObject(none);
    expect((await stats({ session: [shop], filter: "eq(" })).status).toBe(422);
  });

  it("shows times without a zone in the profile observed", async () => {
    const observed = await startRig({ profile: "observed" });
    await observed.call("POST", "/runs", run(1, 0));
    expect((await observed.call("GET", `/runs/${idOf(1)}`)).body.start_time).toBe(
      "2026-02-20T00:00:00.000000",
    );
    await observed.close();
  });
});

describe("pages", () => {
  it("lead through days and projects in both directions, each row once", async () => {
    // Out of order, over four days, many at the very same time.
    const rows = Array.from({ length: 60 }, (_, n) =>
      run(1_000 + n, ((n * 37) % 30) * 200, { session_name: n < 30 ? "pages" : "more-pages" }),
    );
    for (let from = 0; from < rows.length; from += 13) await post(rows.slice(from, from + 13));
    const sorted = rows.map(({ id, start_time }) => `${start_time} ${id}`).sort();
    const expected = sorted.map((text) => Number(text.slice(-12)));
    const session = [await projectId("pages"), await projectId("more-pages")];
    for (const limit of [7, 100]) {
      expect(await follow({ session, limit, order: "asc" })).toEqual(expected);
      expect(await follow({ session, limit, order: "desc" })).toEqual(expected.toReversed());
    }
  });

  it.each(["desc", "asc"])("lose and repeat nothing %s while rows arrive and change", async (order) => {
    const first = order === "asc" ? 2_000 : 3_000;
    const numbers = Array.from({ length: 60 }, (_, n) => first + n);
    await post(numbers.map((n) => run(n, (n - first) * 100, { session_name: order })));
    let next = first + 500;
    const between = async () => {
      const arrived = Array.from({ length: 5 }, () =>
        run(next, (next++ * 61) % 6000, { session_name: order }),
      );
      const patch = [5, 30, 55].map((n) => ({ id: idOf(first + n), tags: [`${next}`] }));
      await rig.call("POST", "/runs/batch", { post: arrived, patch });
    };
    const numbersFound = await follow({ session: [await projectId(order)], limit: 10, order }, between);
    expect(new Set(numbersFound).size).toBe(numbersFound.length);
    const old = numbersFound.filter((n) => n < first + 60);
    expect(old).toEqual(order === "asc" ? numbers : numbers.toReversed());
  });

  it("are short, and lead on, where a filter passes few of very many rows", async () => {
    const many = (from: number) => Array.from({ length: 1000 }, (_, n) => from + n);
    for (let from = 10_000; from < 16_000; from += 1000)
      await post(many(from).map((n) => run(n, n / 10, { session_name: "many" })));
    const request = { session: [await projectId("many")], filter: 'eq(name, "run 10003")' };
    const { runs, cursors } = await query(request);
    expect([runs.length, typeof cursors.next]).toEqual([0, "string"]);
    expect(await follow(request)).toEqual([10_003]);
  });
});

describe("the check of filters (X-1)", () => {
  it("names each that cannot be read", async () => {
    const body = { filter: "eq(nmae, 'x')", trace_filter: "eq(is_root, true)", tree_filter: "and(" };
    const errors = [
      { field: "filter", message: 'at character 4: unknown field "nmae". Did you mean name?' },
      {
        field: "tree_filter",
        message: "at character 5: the filter ends too early. A closing bracket or a value is missing.",
      },
    ];
    for (const path of ["/runs/query/validate", "/api/v1/runs/query/validate"])
      expect((await rig.call("POST", path, body)).body).toEqual({ valid: false, errors });
    for (const valid of [{}, { filter: null }, { filter: 'has(tags, "x")', tree_filter: "search('x')" }])
      expect((await rig.call("POST", "/runs/query/validate", valid)).body).toEqual({
        valid: true,
        errors: [],
      });
    expect((await rig.call("POST", "/runs/query/validate", { filter: 5 })).status).toBe(422);
  });
});

describe("projects", () => {
  const search = async (parameters: string) => {
    const { status, body } = await rig.call<Members[]>("GET", `/sessions?${parameters}`);
    expect(status).toBe(200);
    return body;
  };
  const names = async (parameters: string) => (await search(parameters)).map(({ name }) => name);

  it("show the figures of their root rows on request, each its own", async () => {
    const one = await rig.call<Members>("POST", "/sessions", { name: "empty" });
    const all = await search("include_stats=True");
    const projectNamed = (expected: string) => all.find(({ name }) => name === expected);
    const start = "2026-02-20T00:03:00.000000Z";
    expect(projectNamed("shop")).toMatchObject({
      run_count: 2,
      total_tokens: 5,
      error_rate: 0,
      last_run_start_time: start,
    });
    expect(projectNamed("other")).toMatchObject({ run_count: 1, total_tokens: 0, latency_p50: null });
    expect(projectNamed("empty")).toMatchObject({ run_count: 0, error_rate: null });
    expect((await rig.call("GET", `/sessions/${shop}?include_stats=true`)).body).toEqual(
      projectNamed("shop"),
    );
    expect(await search("name=nothing&include_stats=true")).toEqual([]);
    expect(await search(`id=${one.body.id}&include_stats=False`)).toEqual([one.body]);
  });

  it("are found by their dataset and their metadata", async () => {
    const create = (body: object) => rig.call("POST", "/sessions", body);
    const metadata = { team: "a", level: 1 };
    expect((await create({ name: "x1", extra: { metadata } })).body.reference_dataset_id).toBeNull();
    await create({ name: "x2", reference_dataset_id: idOf(900) });
    expect(await names("name_contains=x&reference_free=true")).toEqual(["x1"]);
    expect(await names("reference_free=false")).toEqual(["x2"]);
    expect(await names(`reference_dataset=${idOf(900).toUpperCase()}`)).toEqual(["x2"]);
    expect(await names(`reference_dataset=${idOf(1)}`)).toEqual([]);
    const matching = (value: unknown) => names(`metadata=${encodeURIComponent(JSON.stringify(value))}`);
    expect([await matching({ team: "a" }), await matching({ team: "a", level: 2 })]).toEqual([["x1"], []]);
    const { status, body } = await rig.call("GET", "/sessions?metadata=%5B%5D");
    expect([status, body]).toEqual([422, { detail: "query.metadata: must be a JSON object." }]);
  });
});

describe("a filter that takes too long for a turn", () => {
  const WINDOW = { min_start_time: "2026-02-01T00:00:00Z", max_start_time: "2026-03-01T00:00:00Z" };
  let session: string;

  beforeAll(async () => {
    const large = { inputs: { text: "a".repeat(6_000_000) }, extra: { metadata: { thread_id: "thread" } } };
    const child = { parent_run_id: idOf(20_001), trace_id: idOf(20_001), inputs: { text: "b" } };
    for (const each of [run(20_001, 1, large), run(20_002, 2, child)])
      await rig.call("POST", "/runs", { ...each, session_name: "large" });
    session = await projectId("large");
  });

  it.each<[string, (filter: string) => [string, string, object?]]>([
    ["rows", (filter) => ["POST", "/runs/query", { session: [session], filter }]],
    [
      "rows (v2)",
      (filter) => [
        "POST",
        "/api/v2/runs/query",
        { project_ids: [session], filter, selects: ["NAME"], ...WINDOW },
      ],
    ],
    [
      "traces",
      (filter) => [
        "POST",
        "/api/v2/traces/query",
        { project_id: session, trace_filter: filter, selects: ["NAME", "TOTAL_TOKENS"], ...WINDOW },
      ],
    ],
    [
      "rows of a trace",
      (filter) => [
        "GET",
        `/api/v2/traces/${idOf(20_001)}/runs?project_id=${session}&selects=NAME&filter=${encodeURIComponent(filter)}`,
      ],
    ],
    [
      "traces of a thread",
      (filter) => [
        "GET",
        `/api/v2/threads/thread/traces?project_id=${session}&selects=NAME&filter=${encodeURIComponent(filter)}`,
      ],
    ],
  ])("gives the same page of %s, in an effect", async (_, request) => {
    const path = "/_emulator/v1/turns?kind=effect&text=runs.sum_up";
    const effects = async () => (await rig.call<{ items: unknown[] }>("GET", path)).body.items.length;
    const inTurn = await rig.call(...request('like(name, "run%")'));
    expect(inTurn.status).toBe(200);
    const before = await effects();
    const sliced = await rig.call(...request('or(like(inputs, "%a"), like(name, "run%"))'));
    expect(sliced.body).toEqual(inTurn.body);
    expect(await effects()).toBe(before + 1);
  });

  it("lets other requests be answered meanwhile", async () => {
    const clauses = Array.from({ length: 200 }, (_, nth) => `like(inputs, "%x${nth}%")`);
    let isPending = true;
    const pending = query({ session: [session], filter: `or(${clauses.join()})` }).finally(() => {
      isPending = false;
    });
    let replies = 0;
    while (isPending) {
      await rig.call("GET", "/ok");
      replies += 1;
    }
    expect((await pending).runs).toEqual([]);
    expect(replies).toBeGreaterThan(5);
  });
});
