import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { FORM, formOf, type Part } from "../http/form.ts";
import { duck } from "../support/duckdb.ts";
import { createExport, HEADERS, prepareExport, runToCompletion, startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { useRig } from "../support/use-rig.ts";

type Row = Readonly<Record<string, unknown>>;

const rig = useRig("test", () => startRig());

const START = "2026-02-25T10:00:00.000000Z";

const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const run = (number: number, more: Row = {}): Row => ({
  ...{ id: idOf(number), name: `run ${number}`, run_type: "chain", start_time: START },
  ...more,
});
const child = (number: number, parent: number, more: Row = {}) =>
  run(number, { parent_run_id: idOf(parent), ...more });

async function batch(post: readonly Row[], patch: readonly Row[] = []): Promise<void> {
  const { status, body } = await rig.call("POST", "/runs/batch", { post, patch });
  expect([status, body]).toEqual([202, {}]);
}

const read = async (number: number) => (await rig.call("GET", `/runs/${idOf(number)}`)).body;
const tokens = async (...numbers: readonly number[]) =>
  Promise.all(numbers.map(async (number) => (await read(number)).total_tokens));

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}

const orderOf = (...numbers: readonly number[]) =>
  numbers.map((number) => `20260225T100000000000Z${idOf(number)}`).join(".");

describe("a row whose parent has not arrived", () => {
  const PARENTS: Readonly<Record<number, number>> = { 2: 1, 3: 2, 4: 2 };

  /** The row's ancestors that have arrived, and the row. */
  function wayTo(number: number, arrived: ReadonlySet<number>): readonly number[] {
    const parent = PARENTS[number];
    return parent !== undefined && arrived.has(parent) ? [...wayTo(parent, arrived), number] : [number];
  }

  it("is the root of its part of the trace, which moves below the parent, for every order", async () => {
    const figures = { prompt_tokens: 5, completion_tokens: 1, total_cost: "0.1" };
    for (const order of permutations([1, 2, 3, 4])) {
      const arrived = new Set<number>();
      for (const number of order) {
        const parent = PARENTS[number];
        const more = number > 2 ? figures : {};
        await batch([parent === undefined ? run(number) : child(number, parent, more)]);
        arrived.add(number);
        const { body } = await rig.call<{ runs: Row[] }>("POST", "/runs/query", { id: order.map(idOf) });
        const expected = [...arrived].map((each) => {
          const way = wayTo(each, arrived);
          return expect.objectContaining({
            id: idOf(each),
            trace_id: idOf(way[0] ?? 0),
            is_root: way.length === 1,
            parent_run_ids: way.slice(0, -1).map(idOf),
            dotted_order: orderOf(...way),
          });
        });
        expect(body.runs).toHaveLength(expected.length);
        expect(body.runs).toEqual(expect.arrayContaining(expected));
      }
      for (const number of [1, 2])
        expect(await read(number)).toMatchObject({
          ...{
            total_tokens: 12,
            prompt_tokens: 10,
            completion_tokens: 2,
            total_cost: "0.2",
            prompt_cost: null,
          },
        });
      await rig.emulator.reset();
    }
  });

  it("is a root in trace lists and exports, and both commands say what it waits for", async () => {
    const prepared = await prepareExport(rig);
    const { projectId: session_id } = prepared;
    await batch([child(2, 1, { session_id }), child(3, 2, { session_id })]);
    const roots = { session: [session_id], is_root: true, filter: 'eq(name, "run 2")' };
    expect((await rig.call("POST", "/runs/query", roots)).body.runs).toMatchObject([{ trace_id: idOf(2) }]);
    const { id } = (await createExport(rig, prepared, { filter: `eq(trace_id, "${idOf(2)}")` })).body;
    await runToCompletion(rig, id);
    expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true, rows: 2 });
    const explained = (row: number) => rig.emulator.control("GET", `/exports/${id}/explain?run=${idOf(row)}`);
    const why = (row: number) => rig.emulator.control("GET", `/why/${idOf(row)}`);
    const waiting = `waits for parent ${idOf(1)}, which has not arrived.`;
    expect(await explained(2)).toMatchObject({ why: `The row is in this file. The row ${waiting}` });
    expect(await why(2)).toMatchObject({ waits: `The row ${waiting}` });
    expect(await why(3)).toMatchObject({ waits: `Its ancestor ${idOf(2)} ${waiting}` });
    await batch([run(1)]);
    expect(await why(3)).not.toHaveProperty("waits");
    expect(await explained(2)).toMatchObject({ why: expect.not.stringContaining("waits") });
  });

  it("keeps the place that a client sends later, and its children follow", async () => {
    await batch([child(2, 1), child(3, 2)]);
    await batch([], [{ id: idOf(2), dotted_order: orderOf(9, 1, 2) }]);
    await batch([run(1)]);
    expect(await read(2)).toMatchObject({ trace_id: idOf(9), is_root: false });
    expect(await read(3)).toMatchObject({ dotted_order: orderOf(9, 1, 2, 3) });
  });

  it("finds it after a restart", async () => {
    const data = workingFolder();
    await rig.close();
    Object.assign(rig, await startRig({ data, ephemeral: false }));
    await batch([child(2, 1, { total_tokens: 4 })]);
    await rig.close();
    Object.assign(rig, await startRig({ data, ephemeral: false, now: undefined }));
    await batch([run(1)]);
    expect(await tokens(1)).toEqual([4]);
    expect(await read(2)).toMatchObject({ parent_run_ids: [idOf(1)] });
  });
});

describe("tokens and costs", () => {
  it("change with their source, and stop at a row that has its own", async () => {
    await batch([run(1), child(2, 1, { total_tokens: 100 }), child(3, 2), child(4, 3, { total_tokens: 7 })]);
    expect(await tokens(3, 2, 1)).toEqual([7, 100, 100]);
    for (const [number, total_tokens, expected] of [
      [4, 9, [9, 100, 100]],
      [2, null, [9, 9, 9]],
      [2, 9, [9, 9, 9]],
      [4, 11, [11, 9, 9]],
    ] as const) {
      await batch([], [{ id: idOf(number), total_tokens }]);
      expect(await tokens(3, 2, 1)).toEqual(expected);
    }
  });

  it("move with a row that gets another parent", async () => {
    await batch([run(1), run(2), child(3, 1, { total_tokens: 4, total_cost: 0.5 })]);
    await batch([], [{ id: idOf(3), parent_run_id: idOf(2) }]);
    expect(await read(1)).toMatchObject({ total_tokens: 0, total_cost: "0" });
    expect(await read(2)).toMatchObject({ total_tokens: 4, total_cost: "0.5" });
    expect(await read(3)).toMatchObject({ trace_id: idOf(2), parent_run_ids: [idOf(2)] });
  });

  it("of rows that are each other's parents end somewhere; without roll-up they do not change", async () => {
    await batch([child(1, 2), child(2, 1, { total_tokens: 4 }), child(3, 2, { total_tokens: 1 })]);
    expect(await tokens(1)).toEqual([4]);
    await rig.close();
    Object.assign(rig, await startRig({ assumptions: { "ingest.roll_up": "none" } }));
    await batch([run(1), child(2, 1, { total_tokens: 4 })]);
    expect(await tokens(1)).toEqual([null]);
  });
});

describe("rows that arrive twice or too early", () => {
  it("a row that is sent again changes nothing, and patches wait for their row in order", async () => {
    await batch(
      [],
      [
        { id: idOf(1), tags: ["a"], error: "no" },
        { id: idOf(1), tags: ["b"] },
      ],
    );
    await batch([], [{ id: idOf(1), error: null }]);
    await batch([run(1, { end_time: START })]);
    await batch([run(1, { name: "again" })]);
    expect(await read(1)).toMatchObject({ name: "run 1", tags: ["b"], error: null, status: "success" });
  });

  it("feedback that arrives before its row is shown with it", async () => {
    await rig.call("POST", "/feedback", { run_id: idOf(1), key: "k", score: true });
    const own = { n: 3, avg: 0 };
    const k = { n: 1, avg: 1, values: {} };
    await batch([run(1, { feedback_stats: { own } })]);
    expect((await read(1)).feedback_stats).toEqual({ own, k });
    await batch([], [{ id: idOf(1), feedback_stats: {} }]);
    expect((await read(1)).feedback_stats).toEqual({ k });
  });
});

it("changes after an export leave it unchanged, and are in the next one", async () => {
  const prepared = await prepareExport(rig);
  const exportRows = async () => {
    const { id } = (await createExport(rig, prepared)).body;
    await runToCompletion(rig, id);
    return id;
  };
  const first = await exportRows();
  const request = { session: [prepared.projectId], limit: 5 };
  const { runs } = (await rig.call<{ runs: Row[] }>("POST", "/runs/query", request)).body;
  await batch(
    [],
    runs.map(({ id }) => ({ id, tags: ["changed"], total_tokens: 1_000_000 })),
  );
  for (const { id } of runs) await rig.call("POST", "/feedback", { run_id: id, key: "later", score: 1 });
  const second = await exportRows();
  for (const id of [first, second]) expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true });
  const { objects_folder } = await rig.emulator.control<{ objects_folder: string }>("GET", "/status");
  const changedIn = (id: string) =>
    duck<{ id: string; feedback_stats: string }>(
      `select id, feedback_stats from read_parquet('${join(objects_folder, "traces/exports", `export_id=${id}`, "**/*.parquet")}') where contains(tags, 'changed') order by id`,
    );
  expect(await changedIn(first)).toEqual([]);
  const changed = await changedIn(second);
  expect(changed.map(({ id }) => id)).toEqual(runs.map(({ id }) => id).sort());
  for (const { feedback_stats } of changed)
    expect(JSON.parse(feedback_stats)).toMatchObject({ later: { n: 1, avg: 1 } });
});

it("a deleted project is gone with its rows; their ids and its name are free, its id is not", async () => {
  await batch([run(1, { session_name: "shop" })]);
  const [project] = (await rig.call<Row[]>("GET", "/sessions?name=shop")).body;
  expect((await rig.call("DELETE", `/sessions/${project?.id}`)).status).toBe(202);
  expect((await rig.call("GET", `/runs/${idOf(1)}`)).status).toBe(404);
  expect((await rig.call("GET", "/sessions")).body).toEqual([]);
  for (const request of [{ session: [project?.id] }, { id: [idOf(1)] }, { trace: idOf(1) }])
    expect((await rig.call("POST", "/runs/query", request)).body.runs).toEqual([]);
  expect((await rig.call("POST", "/runs", run(2, { session_id: project?.id }))).status).toBe(404);
  expect((await rig.call("PATCH", `/runs/${idOf(1)}`, { tags: ["x"] })).status).toBe(202);
  await batch([run(1, { session_name: "shop", name: "anew" })]);
  expect(await read(1)).toMatchObject({ name: "anew", tags: [] });
});

it("a row sent alone without an id gets the next one of its world, one of a batch is refused", async () => {
  const { id: _, ...nameless } = run(1, { session_id: idOf(9), inputs: { a: 1 } });
  expect((await rig.call("POST", "/runs", { ...nameless, start_time: "x" })).status).toBe(422);
  for (const value of [nameless, { ...nameless, id: null }])
    expect((await rig.call("POST", "/runs", value)).status).toBe(202);
  const idsIn = async ({ call }: Pick<typeof rig, "call">) =>
    (await call<{ runs: Row[] }>("POST", "/runs/query", { session: [idOf(9)] })).body.runs.map(
      ({ id }) => id,
    );
  const ids = await idsIn(rig);
  expect(new Set(ids).size).toBe(2);
  const other = await startRig();
  await other.call("POST", "/runs", nameless);
  const [first] = await idsIn(other);
  await other.close();
  expect(ids).toContain(first);
  const { status, body } = await rig.call("POST", "/runs/batch", { post: [nameless] });
  expect([status, body]).toEqual([422, { detail: "body.post[0].id: is required" }]);
});

it("a batch with one row outside of ingest.window is refused completely", async () => {
  await rig.close();
  Object.assign(rig, await startRig({ ingest: { window: "24h" } }));
  const start_time = "2026-02-27T23:59:59.999Z";
  const [early, late] = [run(1, { start_time }), run(2, { start_time: "2026-03-01T23:00:00Z" })];
  for (const [path, body] of [
    ["/runs", early],
    ["/runs/batch", { post: [late, early] }],
    ["/runs/batch", { post: [late], patch: [{ id: idOf(2), start_time }] }],
  ] as const) {
    const { status, body: reply } = await rig.call("POST", path, body);
    expect([status, reply.detail]).toEqual([
      422,
      expect.stringMatching(/start_time: 2026-02-27.+P1D.+ingest.window/),
    ]);
  }
  expect((await rig.call("GET", "/sessions")).body).toEqual([]);
  await batch([late]);
});

describe("POST /runs/multipart", () => {
  const part = (name: string, value: unknown): Part => ({ name, content: JSON.stringify(value) });
  const post = (number: number, more: Row = {}) => part(`post.${idOf(number)}`, run(number, more));

  async function send(parts: readonly Part[], headers: Record<string, string> = {}, body = formOf(parts)) {
    const path = `${rig.emulator.url}/api/v1/runs/multipart`;
    const request = { method: "POST", headers: { ...HEADERS, "content-type": FORM, ...headers } };
    const reply = await fetch(path, { ...request, body: new Uint8Array(body) });
    const { detail } = (await reply.json()) as { detail?: string };
    return [reply.status, detail];
  }

  it("stores rows, changes and feedback from their parts in any order, and notes attachments", async () => {
    const parts = [
      part(`patch.${idOf(2)}`, { tags: ["late"] }),
      part(`post.${idOf(1)}.outputs`, { a: "ü😀" }),
      part(`feedback.${idOf(9)}`, { run_id: idOf(1), key: "mood", score: true }),
      post(1),
      post(2),
      part(`post.${idOf(2)}.error`, "it broke"),
      part(`post.${idOf(2)}.extra`, { metadata: { k: 1 } }),
      { name: `attachment.${idOf(1)}.photo.png`, content: Buffer.from([0, 255, 254]), type: "image/png" },
    ];
    const gzip = { "content-encoding": "gzip" };
    expect(await send(parts, gzip, gzipSync(formOf(parts)))).toEqual([202, undefined]);
    const mood = { n: 1, avg: 1, values: {} };
    expect(await read(1)).toMatchObject({ outputs: { a: "ü😀" }, feedback_stats: { mood } });
    const failed = { status: "error", error: "it broke", tags: ["late"], extra: { metadata: { k: 1 } } };
    expect(await read(2)).toMatchObject(failed);
    const journal = await (await rig.emulator.request("/_emulator/v1/journal")).text();
    expect(journal).toContain('"name":"photo.png","content_type":"image/png","bytes":3');
  });

  it.each<[string, readonly Part[], Record<string, string>, number, string]>([
    ["another media type", [post(1)], { "content-type": "application/json" }, 415, "multipart/form-data"],
    ["one invalid run", [post(1), post(2, { run_type: 7 })], {}, 422, "run_type"],
    ["feedback without a key", [post(1), part(`feedback.${idOf(3)}`, { run_id: idOf(1) })], {}, 422, "key"],
    ["an unknown part", [post(1), part("put.x", {})], {}, 422, "put.x"],
    ["a body that is not gzip", [post(1)], { "content-encoding": "gzip" }, 415, "not gzip"],
    ["no key", [post(1)], { "x-api-key": "" }, 401, "X-API-Key"],
  ])("refuses %s, and stores nothing", async (_, parts, headers, status, detail) => {
    expect(await send(parts, headers)).toEqual([status, expect.stringContaining(detail)]);
    expect((await rig.call("GET", "/sessions")).body).toEqual([]);
  });

  it("needs a body, and lengths of its parts where the service requires them", async () => {
    expect(await send([], {}, Buffer.alloc(0))).toEqual([422, expect.stringContaining("body is required")]);
    await rig.close();
    Object.assign(rig, await startRig({ assumptions: { "ingest.multipart_lengths": "required" } }));
    const parts = [{ ...post(1), length: false as const }];
    expect(await send(parts)).toEqual([422, expect.stringContaining("must say its length")]);
  });
});
