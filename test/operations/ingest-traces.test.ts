import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isFull } from "../support/depth.ts";
import { duck } from "../support/duckdb.ts";
import { createExport, prepareExport, type Rig, runToCompletion, startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { uuid } from "./multipart.ts";

interface Row {
  readonly [name: string]: unknown;
  readonly id: string;
}

let rig: Rig;

beforeEach(async () => {
  rig = await startRig();
});

afterEach(() => rig.close());

const START = "2026-02-25T10:00:00.000000Z";

function run(number: number, more: Record<string, unknown> = {}) {
  return { id: uuid(number), name: `run ${number}`, run_type: "chain", start_time: START, ...more };
}

function child(number: number, parent: number, more: Record<string, unknown> = {}) {
  return run(number, { parent_run_id: uuid(parent), ...more });
}

async function batch(post: readonly object[], patch: readonly object[] = []): Promise<void> {
  const { status, body } = await rig.call("POST", "/runs/batch", { post, patch });
  expect([status, body]).toEqual([202, {}]);
}

async function read(number: number): Promise<Row> {
  return (await rig.call<Row>("GET", `/runs/${uuid(number)}`)).body;
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}

describe("a tree whose rows have only their parents", () => {
  // 1 calls 2 and 3, 3 calls 4; 2 and 4 use tokens.
  const rows = [
    run(1, { end_time: START }),
    child(2, 1, { run_type: "llm", prompt_tokens: 5, completion_tokens: 1, total_cost: "0.1" }),
    child(3, 1),
    child(4, 3, { run_type: "llm", prompt_tokens: 7, completion_tokens: 2, total_cost: "0.02" }),
  ];
  const orders = permutations(rows);

  const stamp = "20260225T100000000000Z";
  const segment = (number: number) => `${stamp}${uuid(number)}`;

  test("is complete for every order of the rows, one by one and together", async () => {
    for (const [index, order] of orders.entries()) {
      if (index % 2 === 0) await batch(order);
      else for (const row of order) await batch([row]);
      expect(await read(4)).toMatchObject({
        trace_id: uuid(1),
        parent_run_ids: [uuid(1), uuid(3)],
        dotted_order: [1, 3, 4].map(segment).join("."),
      });
      expect(await read(2)).toMatchObject({ trace_id: uuid(1), dotted_order: [1, 2].map(segment).join(".") });
      expect(await read(3)).toMatchObject({ total_tokens: 9, prompt_tokens: 7, total_cost: "0.02" });
      expect(await read(1)).toMatchObject({
        is_root: true,
        total_tokens: 15,
        prompt_tokens: 12,
        completion_tokens: 3,
        total_cost: "0.12",
        prompt_cost: null,
      });
      await rig.emulator.reset();
    }
  });

  test("is found completely by its trace, for every order", async () => {
    for (const row of [...rows].reverse()) await batch([row]);
    const { body } = await rig.call<{ runs: Row[] }>("POST", "/runs/query", { trace: uuid(1) });
    expect(body.runs.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4].map(uuid));
  });
});

describe("a row whose parent has not arrived", () => {
  const PARENTS: Readonly<Record<number, number>> = { 2: 1, 3: 2, 4: 2 };
  const segment = (number: number) => `20260225T100000000000Z${uuid(number)}`;
  const waitingFor = (number: number) => `waits for parent ${uuid(number)}, which has not arrived.`;

  /** The row's ancestors that have arrived, and the row. */
  function wayTo(number: number, arrived: ReadonlySet<number>): readonly number[] {
    const parent = PARENTS[number];
    return parent !== undefined && arrived.has(parent) ? [...wayTo(parent, arrived), number] : [number];
  }

  test("is the root of its part of the trace, which moves below the parent, for every order", async () => {
    for (const order of permutations([1, 2, 3, 4])) {
      const arrived = new Set<number>();
      for (const number of order) {
        const parent = PARENTS[number];
        await batch([parent === undefined ? run(number) : child(number, parent)]);
        arrived.add(number);
        const { body } = await rig.call<{ runs: Row[] }>("POST", "/runs/query", { id: order.map(uuid) });
        const places = body.runs.map(
          ({ id, trace_id, is_root, parent_run_id, parent_run_ids, dotted_order }) => [
            id,
            { trace_id, is_root, parent_run_id, parent_run_ids, dotted_order },
          ],
        );
        const expected = [...arrived].map((each) => {
          const way = wayTo(each, arrived);
          const place = {
            trace_id: uuid(way[0] ?? 0),
            is_root: way.length === 1,
            parent_run_id: PARENTS[each] === undefined ? null : uuid(PARENTS[each]),
            parent_run_ids: way.slice(0, -1).map(uuid),
            dotted_order: way.map(segment).join("."),
          };
          return [uuid(each), place];
        });
        expect(Object.fromEntries(places)).toEqual(Object.fromEntries(expected));
      }
      await rig.emulator.reset();
    }
  });

  test("is a root in trace lists and exports, and both commands say what it waits for", async () => {
    const prepared = await prepareExport(rig);
    await batch([
      child(2, 1, { session_id: prepared.projectId }),
      child(3, 2, { session_id: prepared.projectId }),
    ]);
    const roots = { session: [prepared.projectId], is_root: true, filter: 'eq(name, "run 2")' };
    const { body } = await rig.call<{ runs: Row[] }>("POST", "/runs/query", roots);
    expect(body.runs).toMatchObject([{ id: uuid(2), trace_id: uuid(2) }]);
    const { id } = (await createExport(rig, prepared, { filter: `eq(trace_id, "${uuid(2)}")` })).body;
    await runToCompletion(rig, id);
    expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true, rows: 2 });
    const explained = (row: number) => rig.emulator.control("GET", `/exports/${id}/explain?run=${uuid(row)}`);
    const why = (row: number) => rig.emulator.control("GET", `/why/${uuid(row)}`);
    expect(await explained(2)).toMatchObject({ why: `The row is in this file. The row ${waitingFor(1)}` });
    expect(await why(2)).toMatchObject({ waits: `The row ${waitingFor(1)}` });
    expect(await why(3)).toMatchObject({ waits: `Its ancestor ${uuid(2)} ${waitingFor(1)}` });
    await batch([run(1)]);
    expect(await why(3)).not.toHaveProperty("waits");
    expect(await explained(2)).toMatchObject({ why: expect.not.stringContaining("waits") });
  });

  test("keeps the place that a client sends later, and its children follow", async () => {
    await batch([child(2, 1), child(3, 2)]);
    await batch([], [{ id: uuid(2), dotted_order: [9, 1, 2].map(segment).join(".") }]);
    await batch([run(1)]);
    expect(await read(2)).toMatchObject({ trace_id: uuid(9), is_root: false });
    expect(await read(3)).toMatchObject({ dotted_order: [9, 1, 2, 3].map(segment).join(".") });
  });
});

describe("tokens and costs", () => {
  test("change with their source, and stop at a row that has its own", async () => {
    await batch([run(1), child(2, 1, { total_tokens: 100 }), child(3, 2), child(4, 3, { total_tokens: 7 })]);
    expect([
      (await read(3)).total_tokens,
      (await read(2)).total_tokens,
      (await read(1)).total_tokens,
    ]).toEqual([7, 100, 100]);
    await batch([], [{ id: uuid(4), total_tokens: 9 }]);
    expect([(await read(3)).total_tokens, (await read(1)).total_tokens]).toEqual([9, 100]);
    await batch([], [{ id: uuid(2), total_tokens: null }]);
    expect([(await read(2)).total_tokens, (await read(1)).total_tokens]).toEqual([9, 9]);
    await batch([], [{ id: uuid(2), total_tokens: 9 }]);
    await batch([], [{ id: uuid(4), total_tokens: 11 }]);
    expect([(await read(3)).total_tokens, (await read(1)).total_tokens]).toEqual([11, 9]);
  });

  test("move with a row that gets another parent", async () => {
    await batch([run(1), run(2), child(3, 1, { total_tokens: 4, total_cost: 0.5 })]);
    await batch([], [{ id: uuid(3), parent_run_id: uuid(2) }]);
    expect([(await read(1)).total_tokens, (await read(2)).total_tokens]).toEqual([0, 4]);
    expect([(await read(1)).total_cost, (await read(2)).total_cost]).toEqual(["0", "0.5"]);
    expect(await read(3)).toMatchObject({ trace_id: uuid(2), parent_run_ids: [uuid(2)] });
  });

  test("do not change without roll-up", async () => {
    await rig.close();
    rig = await startRig({ assumptions: { "ingest.roll_up": "none" } });
    await batch([run(1), child(2, 1, { total_tokens: 4 })]);
    expect((await read(1)).total_tokens).toBeNull();
  });

  test("of rows that are each other's parents end somewhere", async () => {
    await batch([child(1, 2), child(2, 1, { total_tokens: 4 }), child(3, 2, { total_tokens: 1 })]);
    expect((await read(1)).total_tokens).toBe(4);
  });

  test("wait for a parent over a restart", async () => {
    const data = workingFolder();
    await rig.close();
    try {
      rig = await startRig({ data, ephemeral: false });
      await batch([child(2, 1, { total_tokens: 4 })]);
      await rig.close();
      rig = await startRig({ data, ephemeral: false, now: undefined });
      await batch([run(1)]);
      expect((await read(1)).total_tokens).toBe(4);
      expect(await read(2)).toMatchObject({ parent_run_ids: [uuid(1)] });
    } finally {
      await rig.close();
      rig = await startRig();
    }
  });
});

describe("rows that arrive twice or too early", () => {
  test("a row that is sent again changes nothing", async () => {
    await batch([run(1, { outputs: { a: 1 } })], [{ id: uuid(1), tags: ["x"] }]);
    await batch([run(1, { name: "again" })]);
    expect(await read(1)).toMatchObject({ name: "run 1", tags: ["x"], outputs: { a: 1 } });
  });

  test("patches wait for their row in the order of arrival", async () => {
    await batch(
      [],
      [
        { id: uuid(1), tags: ["a"], error: "no" },
        { id: uuid(1), tags: ["b"] },
      ],
    );
    await batch([], [{ id: uuid(1), error: null }]);
    await batch([run(1, { end_time: START })]);
    expect(await read(1)).toMatchObject({ tags: ["b"], error: null, status: "success" });
  });

  test("feedback that arrives before its row is shown with it", async () => {
    await rig.call("POST", "/feedback", { run_id: uuid(1), key: "k", score: 1 });
    await batch([run(1, { feedback_stats: { sent: { n: 3, avg: 0 } } })]);
    expect((await read(1)).feedback_stats).toEqual({
      sent: { n: 3, avg: 0 },
      k: { n: 1, avg: 1, values: {} },
    });
    await batch([], [{ id: uuid(1), feedback_stats: {} }]);
    expect((await read(1)).feedback_stats).toEqual({ k: { n: 1, avg: 1, values: {} } });
  });
});

/** The changed rows of an export's files, as DuckDB reads them. */
async function changedIn(exportId: string) {
  const status = await rig.emulator.control<{ objects_folder: string }>("GET", "/status");
  const files = join(status.objects_folder, "traces/exports", `export_id=${exportId}`, "**/*.parquet");
  return duck<{ id: string; feedback_stats: string }>(
    `select id, feedback_stats from read_parquet('${files}') where contains(tags, 'changed') order by id`,
  );
}

describe("changes after an export", () => {
  test("leave an earlier export unchanged, and are in the next one", async () => {
    const prepared = await prepareExport(rig);
    const first = (await createExport(rig, prepared)).body.id;
    await runToCompletion(rig, first);
    const { body } = await rig.call<{ runs: Row[] }>("POST", "/runs/query", {
      session: [prepared.projectId],
      limit: 5,
    });
    await batch(
      [],
      body.runs.map(({ id }) => ({ id, tags: ["changed"], total_tokens: 1_000_000 })),
    );
    for (const { id } of body.runs)
      await rig.call("POST", "/feedback", { run_id: id, key: "later", score: 1 });
    expect(await rig.emulator.verifyExport(first)).toMatchObject({ ok: true });
    const second = (await createExport(rig, prepared)).body.id;
    await runToCompletion(rig, second);
    expect(await rig.emulator.verifyExport(second)).toMatchObject({ ok: true });

    const ids = body.runs.map(({ id }) => id).sort();
    expect(await changedIn(first)).toEqual([]);
    expect((await changedIn(second)).map(({ id }) => id)).toEqual(ids);
    for (const { feedback_stats } of await changedIn(second))
      expect(JSON.parse(feedback_stats)).toMatchObject({ later: { n: 1, avg: 1 } });
  });
});

describe("a deleted project", () => {
  test("is gone with its rows; their ids and its name are free, its id is not", async () => {
    await batch([run(1, { session_name: "shop" })]);
    const [project] = (await rig.call<Row[]>("GET", "/sessions?name=shop")).body;
    expect((await rig.call("DELETE", `/sessions/${project?.id}`)).status).toBe(202);
    expect((await rig.call("GET", `/runs/${uuid(1)}`)).status).toBe(404);
    expect((await rig.call("GET", "/sessions")).body).toEqual([]);
    for (const request of [{ session: [project?.id] }, { id: [uuid(1)] }, { trace: uuid(1) }])
      expect((await rig.call("POST", "/runs/query", request)).body.runs).toEqual([]);
    const before = await rig.call("POST", "/runs", run(2, { session_id: project?.id }));
    expect(before).toMatchObject({ status: 404 });
    expect((await rig.call("PATCH", `/runs/${uuid(1)}`, { tags: ["x"] })).status).toBe(202);
    await batch([run(1, { session_name: "shop", name: "anew" })]);
    expect(await read(1)).toMatchObject({ name: "anew", tags: [] });
  });
});

describe("a full store of early changes", () => {
  // So many patches take seconds.
  test.runIf(isFull)("refuses the whole batch with 429 and writes no row", async () => {
    const early = (from: number) =>
      Array.from({ length: 10_000 }, (_, index) => ({ id: uuid(from + index), name: "n" }));
    for (let from = 0; from < 100_000; from += 10_000) await batch([], early(from));
    const refusal = await rig.call("POST", "/runs/batch", {
      post: [run(500_000, { session_name: "new" })],
      patch: [{ id: uuid(600_000), name: "n" }],
    });
    expect([refusal.status, refusal.body.detail]).toEqual([429, expect.stringContaining("100000")]);
    expect((await rig.call("GET", "/sessions?name=new")).body).toEqual([]);
    expect((await rig.call("GET", `/runs/${uuid(500_000)}`)).status).toBe(404);
    await batch([run(0)]);
    await batch([], [{ id: uuid(600_000), name: "n" }]);
  });
});

describe("a row sent alone without an id", () => {
  const { id: _, ...nameless } = run(1, { session_name: "single", inputs: { a: 1 } });
  const rowsOf = async () => {
    const { body: projects } = await rig.call<Row[]>("GET", "/sessions?name=single");
    return (await rig.call<{ runs: Row[] }>("POST", "/runs/query", { session: [projects[0]?.id] })).body.runs;
  };

  test("gets an id, a new one each time, the same in each world of a seed", async () => {
    for (const value of [nameless, { ...nameless, id: null }])
      expect((await rig.call("POST", "/runs", value)).status).toBe(202);
    const [one, two] = await rowsOf();
    expect(one?.id).not.toBe(two?.id);
    expect(one).toMatchObject({ trace_id: one?.id, is_root: true, inputs: { a: 1 } });
    const other = await startRig();
    await other.call("POST", "/runs", { ...nameless, session_id: uuid(9) });
    const again = await other.call<{ runs: Row[] }>("POST", "/runs/query", { session: [uuid(9)] });
    await other.close();
    expect([one?.id, two?.id]).toContain(again.body.runs[0]?.id);
  });

  test("is refused for what else is wrong with it, and uses up no id", async () => {
    expect((await rig.call("POST", "/runs", { ...nameless, start_time: "x" })).status).toBe(422);
    await rig.call("POST", "/runs", nameless);
    const [row] = await rowsOf();
    const other = await startRig();
    await other.call("POST", "/runs", { ...nameless, session_id: uuid(9) });
    const first = await other.call<{ runs: Row[] }>("POST", "/runs/query", { session: [uuid(9)] });
    await other.close();
    expect(row?.id).toBe(first.body.runs[0]?.id);
  });

  test("is refused in a batch", async () => {
    const { status, body } = await rig.call("POST", "/runs/batch", { post: [nameless] });
    expect([status, body]).toEqual([422, { detail: "body.post[0].id: is required" }]);
  });
});
