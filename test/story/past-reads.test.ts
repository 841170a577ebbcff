import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createExport, prepareExport, runToCompletion, startRig } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig({ seed: 5 }));

interface Entry {
  readonly turn: number;
}

async function lastTurn(): Promise<number> {
  return (await rig.emulator.control<Entry[]>("GET", "/journal")).at(-1)?.turn ?? 0;
}

async function status(path: string, header?: string): Promise<number> {
  const reply = await rig.call(
    "GET",
    path,
    undefined,
    header === undefined ? {} : { "x-emulator-as-of": header },
  );
  return reply.status;
}

async function code(method: string, path: string, body: unknown, at: string | number): Promise<unknown> {
  const then = { "x-emulator-as-of": String(at) };
  const { status, body: said } = await rig.call<{ error?: { code: string } }>(method, path, body, then);
  return [status, said.error?.code ?? JSON.stringify(said)];
}

describe("a read of history", () => {
  it("answers as the same read did then, by turn and by instant, header and parameter", async () => {
    const prepared = await prepareExport(rig);
    const { body: bulkExport } = await createExport(rig, prepared);
    const path = `/api/v1/bulk-exports/${bulkExport.id}`;
    const then = {
      turn: await lastTurn(),
      now: rig.emulator.clock.now(),
      reply: await rig.call("GET", path),
    };
    await runToCompletion(rig, bulkExport.id);
    const present = await rig.call("GET", path);
    expect(present.body).toMatchObject({ status: "COMPLETED" });
    for (const at of [String(then.turn), then.now]) {
      const byHeader = await rig.call("GET", path, undefined, { "x-emulator-as-of": at });
      const byParameter = await rig.call("GET", `${path}?as_of=${encodeURIComponent(at)}`);
      expect([byHeader.body, byParameter.body]).toEqual([then.reply.body, then.reply.body]);
    }
    expect(await rig.call("GET", path)).toMatchObject({ body: present.body });
    expect(await status(path, String(then.turn - 1))).toBe(404);
  });

  it("answers as of every turn of an export, events that were due then included", async () => {
    const { body: bulkExport } = await createExport(rig, await prepareExport(rig));
    const first = await lastTurn();
    await runToCompletion(rig, bulkExport.id);
    const states: string[] = [];
    for (let turn = first; turn <= (await lastTurn()); turn += 1) {
      const { body } = await rig.call<{ status: string }>(
        "GET",
        `/api/v1/bulk-exports/${bulkExport.id}?as_of=${turn}`,
      );
      states.push(body.status);
    }
    expect([...new Set(states)]).toEqual(["CREATED", "RUNNING", "COMPLETED"]);
  });

  it("sees the rows, queries, statistics and files of that turn", async () => {
    const { projectId } = await prepareExport(rig, { count: 20 });
    const turn = await lastTurn();
    const sizes = async (asOf = "") =>
      (await rig.emulator.control<{ traces: { rows: number; bytes: number } }>("GET", `/status${asOf}`))
        .traces;
    const earlierSizes = await sizes();
    const query = { session: [projectId], limit: 100 };
    const before = await rig.call("POST", "/runs/query", query);
    const stats = await rig.call("POST", "/runs/stats", { session: [projectId] });
    await prepareExport(rig, { count: 30 });
    const [id] = (before.body as { runs: { id: string }[] }).runs.map((run) => run.id);
    await rig.call("PATCH", `/runs/${id}`, { outputs: { changed: true } });
    const then = { "x-emulator-as-of": String(turn) };
    const asOf = await rig.call("POST", "/runs/query", query, then);
    expect(asOf.body).toEqual(before.body);
    expect((await rig.call("POST", "/runs/stats", { session: [projectId] }, then)).body).toEqual(stats.body);
    expect((await rig.call("POST", "/runs/query", query)).body).not.toEqual(before.body);
    expect(earlierSizes.rows).toBe(20);
    expect((await sizes()).bytes).toBeGreaterThan(earlierSizes.bytes);
    expect(await sizes(`?as_of=${turn}`)).toEqual(earlierSizes);
  });

  it("verifies and explains an export in an earlier state, although its files are now deleted", async () => {
    const prepared = await prepareExport(rig);
    const { body: bulkExport } = await createExport(rig, prepared);
    await runToCompletion(rig, bulkExport.id);
    const turn = await lastTurn();
    const verified = await rig.emulator.verifyExport(bulkExport.id);
    expect(verified).toMatchObject({ ok: true, rows: 60 });
    await rig.emulator.control("DELETE", "/s3/buckets/traces");
    expect(await rig.emulator.verifyExport(bulkExport.id)).toMatchObject({ ok: false });
    const path = `/exports/${bulkExport.id}/verify?as_of=${turn}`;
    expect(await rig.emulator.control<unknown>("GET", path)).toEqual(verified);
  });

  it("adds no turn, no recording and no hit of a fault, and does not wait", async () => {
    const turn = await lastTurn();
    await rig.emulator.faults.arm({ target: "http", match: { op: "*" }, then: { status: 503 } });
    const faults = await rig.emulator.faults.list();
    const [before, recorded] = [await lastTurn(), await rig.emulator.control<unknown[]>("GET", "/recording")];
    expect(await status("/api/v1/bulk-exports", String(turn))).toBe(200);
    expect(await status("/api/v1/bulk-exports", String(before))).toBe(200);
    expect([await lastTurn(), await rig.emulator.faults.list()]).toEqual([before, faults]);
    expect(await rig.emulator.control("GET", "/recording")).toEqual(recorded);
  });

  it("shows the journal, the clock and the faults of then", async () => {
    await rig.emulator.faults.arm({ target: "worker", match: { run: "*" }, then: { crash: true } });
    const turn = await lastTurn();
    const then = rig.emulator.clock.now();
    await rig.emulator.clock.advance("PT1H");
    await rig.emulator.faults.clear();
    const journal = await rig.emulator.control<Entry[]>("GET", `/journal?as_of=${turn}`);
    expect(journal.at(-1)?.turn).toBe(turn);
    expect(await rig.emulator.control("GET", `/faults?as_of=${turn}`)).toHaveLength(1);
    expect(await rig.emulator.control("GET", `/status?as_of=${turn}`)).toMatchObject({ now: then, turn });
    expect(await rig.emulator.control("GET", `/clock?as_of=${then}`)).toMatchObject({ now: then });
  });
});

it("the library reads an earlier state of a world", async () => {
  const { emulator } = rig;
  await emulator.request("/threads", { json: { metadata: { n: 1 } } });
  const turn = await lastTurn();
  await emulator.request("/threads", { json: { metadata: { n: 2 } } });
  const threads = async (world: Pick<typeof emulator, "request">) =>
    ((await (await world.request("/threads/search", { json: {} })).json()) as unknown[]).length;
  expect([await threads(emulator.at(turn)), await threads(emulator)]).toEqual([1, 2]);
  expect(await emulator.at(turn).control("GET", "/status")).toMatchObject({
    turn,
    history: { earliest_turn: 0 },
  });
  await expect(emulator.at(turn).control("POST", "/reset")).rejects.toThrow("history is read-only");
});

describe("a request in history", () => {
  it("is refused where it writes or waits, and nothing changes", async () => {
    const turn = await lastTurn();
    const [path, at] = ["/_emulator/v1", turn];
    expect(await code("POST", `${path}/traces/generate`, { count: 1, project: "p" }, at)).toEqual([
      409,
      "history_is_read_only",
    ]);
    const [answer, detail] = (await code("POST", "/threads", {}, at)) as [number, string];
    expect([answer, detail]).toEqual([409, expect.stringContaining("history is read-only")]);
    expect(await code("POST", "/runs/wait", { assistant_id: "echo" }, at)).toEqual([409, detail]);
    expect(await code("GET", `${path}/journal?follow=1`, undefined, at)).toEqual([
      409,
      "history_is_read_only",
    ]);
    expect(await code("GET", `${path}/worlds`, undefined, at)).toEqual([422, "has_no_history"]);
    expect(await lastTurn()).toBe(turn);
  });

  it("is refused for an invalid, unreachable or ambiguous point, and names the reachable range", async () => {
    const path = "/_emulator/v1/clock";
    expect(await code("GET", path, undefined, "yesterday")).toEqual([422, "invalid_as_of"]);
    expect(await code("GET", path, undefined, "2026-02-30T00:00:00Z")).toEqual([422, "invalid_as_of"]);
    expect(await code("GET", path, undefined, 1_000_000)).toEqual([422, "not_yet"]);
    expect(await code("GET", path, undefined, "2030-01-01T00:00:00Z")).toEqual([422, "not_yet"]);
    expect(await code("GET", path, undefined, "2020-01-01T00:00:00Z")).toEqual([422, "before_history"]);
    expect(await code("GET", `${path}?as_of=1`, undefined, 2)).toEqual([400, "two_instants"]);
    expect(await code("GET", "/w/nowhere/_emulator/v1/clock", undefined, 1)).toEqual([404, "unknown_world"]);
    const { body } = await rig.call<{ error: { message: string; hint: string } }>(
      "GET",
      `${path}?as_of=2020-01-01T00:00:00Z`,
    );
    expect(body.error.message).toContain("starts at turn 0, 2026-03-01T00:00:00.000000Z");
    expect(body.error.hint).toContain("limits.history_turns");
  });
});

describe("the object store in history", () => {
  let store: S3Client;
  let turn: number;

  beforeEach(async () => {
    const put = objectStore(rig.emulator.s3Url);
    await put.send(new PutObjectCommand({ Bucket: "traces", Key: "a.txt", Body: "first" }));
    turn = await lastTurn();
    await put.send(new PutObjectCommand({ Bucket: "traces", Key: "a.txt", Body: "second" }));
    await put.send(new PutObjectCommand({ Bucket: "traces", Key: "b.txt", Body: "b" }));
    put.destroy();
    store = objectStore(rig.emulator.s3Url);
    store.middlewareStack.add(
      (next) => (body) => {
        (body.request as { headers: Record<string, string> }).headers["x-emulator-as-of"] = String(turn);
        return next(body);
      },
      { step: "build" },
    );
  });

  afterEach(() => store.destroy());

  it("lists and returns the earlier objects with their bytes", async () => {
    const { Contents } = await store.send(new ListObjectsV2Command({ Bucket: "traces" }));
    expect(Contents?.map(({ Key }) => Key)).toEqual(["a.txt"]);
    const { Body } = await store.send(new GetObjectCommand({ Bucket: "traces", Key: "a.txt" }));
    expect(await Body?.transformToString()).toBe("first");
    await expect(store.send(new GetObjectCommand({ Bucket: "traces", Key: "b.txt" }))).rejects.toThrow();
  });

  it("refuses what writes", async () => {
    const write = store.send(new PutObjectCommand({ Bucket: "traces", Key: "c.txt", Body: "c" }));
    await expect(write).rejects.toThrow("history is read-only");
  });
});
