import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, it, vi } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { comparable } from "../../emulator/runtime/worlds/compare/comparable.ts";
import type { WorldDifference } from "../../emulator/subjects/world-difference.ts";
import {
  createExport,
  DESTINATION,
  prepareExport,
  rigOfWorld,
  runToCompletion,
  startRig,
} from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig({ seed: 9 }));

function diff(a: string, query: string): Promise<WorldDifference> {
  return rig.emulator.control("GET", `/worlds/${a}/diff?${query}`);
}

async function turnOf(world: Emulator): Promise<number> {
  return (await world.control<{ turn: number }>("GET", "/status")).turn;
}

async function put(world: Emulator, key: string, text: string): Promise<void> {
  const store = objectStore(world.s3Url);
  await store.send(new PutObjectCommand({ Bucket: "traces", Key: key, Body: text }));
  store.destroy();
}

const ROW = "00000000-0000-4000-8000-000000000001";

async function ingest(world: Emulator, id: string, name: string): Promise<void> {
  const start_time = "2026-02-01T00:00:00Z";
  const post = [{ id, trace_id: id, name, run_type: "chain", start_time, session_name: "p" }];
  await world.request("/runs/batch", { json: { post } });
}

it("a fork is equal until one of the two changes, also after the same requests to both", async () => {
  await prepareExport(rig, { count: 10 });
  const fork = await rig.emulator.fork({ id: "fork" });
  expect(await diff("main", "with=fork")).toMatchObject({ same: true, parted: null, records: {} });
  for (const world of [rig.emulator, fork]) {
    await world.request("/threads", { json: { metadata: { n: 1 } } });
    await rigOfWorld(world).call("POST", "/api/v1/bulk-exports/destinations", DESTINATION);
    await put(world, "k.txt", "alike");
  }
  expect(await diff("main", "with=fork")).toMatchObject({ same: true, parted: null });
});

it("names records by field, rows, objects, events and the turn at which they part", async () => {
  await ingest(rig.emulator, ROW, "before");
  await put(rig.emulator, "k.txt", "before");
  const { body: thread } = await rig.call<{ thread_id: string }>("POST", "/threads", { metadata: { n: 1 } });
  const fork = await rig.emulator.fork({ id: "fork" });
  const begin = await turnOf(fork);
  await fork.request(`/threads/${thread.thread_id}`, { method: "PATCH", json: { metadata: { n: 2 } } });
  await fork.request(`/runs/${ROW}`, { method: "PATCH", json: { outputs: { changed: true } } });
  await ingest(fork, ROW.replace(/1$/, "2"), "new");
  await put(fork, "k.txt", "after");
  await put(fork, "new.txt", "new");
  await fork.request("/runs/crons", { json: { assistant_id: "echo", schedule: "*/30 * * * *" } });
  const difference = await diff("main", "with=fork");
  expect(difference.same).toBe(false);
  expect(difference.records.agent_threads).toMatchObject({ added: 0, removed: 0, changed: 1, cut: 0 });
  expect(difference.records.agent_threads?.items[0]?.fields).toContainEqual({
    path: "metadata.n",
    a: 1,
    b: 2,
  });
  expect(difference.rows).toMatchObject({ added: 1, changed: 1, removed: 0, not_compared: 0 });
  expect(difference.rows.items.find(({ key }) => key === ROW)?.fields?.map(({ path }) => path)).toContain(
    "outputs",
  );
  expect(difference.objects).toMatchObject({ added: 1, changed: 1, removed: 0 });
  expect(difference.objects.items.find(({ change }) => change === "added")?.key).toBe("traces/new.txt");
  expect(difference.events).toMatchObject({ added: 1, removed: 0 });
  expect(difference.parted).toMatchObject({
    turn: begin + 1,
    a: null,
    b: { cause: { name: "updateThread" } },
  });
  expect(await diff("fork", "with=main")).toMatchObject({ rows: { added: 0, removed: 1, changed: 1 } });
});

it("compares one world at two instants, and the rows of a Parquet file that differs", async () => {
  const prepared = await prepareExport(rig, { count: 20 });
  const { body: first } = await createExport(rig, prepared);
  await runToCompletion(rig, first.id);
  const turn = await turnOf(rig.emulator);
  const { objects } = await rig.emulator.control<{ objects: { key: string }[] }>(
    "GET",
    "/s3/buckets/traces/objects",
  );
  const [from, onto] = objects.filter(({ key }) => key.endsWith(".parquet"));
  const store = objectStore(rig.emulator.s3Url);
  const { Body } = await store.send(new GetObjectCommand({ Bucket: "traces", Key: from?.key }));
  const bytes = await Body?.transformToByteArray();
  await store.send(new PutObjectCommand({ Bucket: "traces", Key: onto?.key, Body: bytes }));
  store.destroy();
  const difference = await diff("main", `with=main&at=${turn}`);
  expect(difference).toMatchObject({ a: { turn }, objects: { changed: 1 }, parted: { a: null } });
  expect(difference.objects.items[0]?.rows?.added).toBeGreaterThan(0);
  expect(difference.objects.items[0]?.rows?.removed).toBeGreaterThan(0);
  expect((await diff("main", `with=main&at=${turn}&with_at=${turn}`)).same).toBe(true);
});

it("shows no secrets, and cuts long values", async () => {
  const turn = await turnOf(rig.emulator);
  await rig.emulator.control("POST", "/s3/credentials", {
    access_key_id: "k",
    secret_access_key: "hush-hush",
  });
  await rig.call("POST", "/api/v1/bulk-exports/destinations", DESTINATION);
  await rig.emulator.request("/runs", {
    json: { assistant_id: "echo", webhook: "https://u:hush@x.test/?token=hush" },
  });
  for (let n = 0; n < 120; n += 1) await rig.emulator.request("/threads", { json: {} });
  const difference = await diff("main", `with=main&at=${turn}`);
  expect(JSON.stringify(difference)).not.toContain("hush");
  expect(difference.records.agent_threads).toMatchObject({
    cut: (difference.records.agent_threads?.added ?? 0) - 100,
  });
});

it("does not compare how long a receiver took on the wall clock", () => {
  const delivery = (wall_ms: number, status = 200) => ({ attempts: [{ status, wall_ms }] });
  const text = (record: object) => JSON.stringify(comparable("webhook_deliveries", record));
  expect(text(delivery(3))).toBe(text(delivery(900)));
  expect(text(delivery(3))).not.toBe(text(delivery(3, 500)));
});

it("refuses unknown worlds", async () => {
  await expect(diff("main", "with=nowhere")).rejects.toThrow("The world nowhere does not exist");
  await expect(diff("nowhere", "with=main")).rejects.toThrow("The world nowhere does not exist");
  await expect(diff("main", "with=main&at=soon")).rejects.toThrow("it must be an ISO 8601 time");
  await expect(diff("main", "with=main&at=1000000")).rejects.toThrow("turn 1000000 is in the future");
  await expect(diff("main", "")).rejects.toThrow("with");
});

it("lets other work run between two rows and two records", async () => {
  const now = vi.spyOn(Date, "now");
  // Each call is a minute later, so that every slice of work is over when it is asked for.
  now.mockImplementation(() => performance.timeOrigin + now.mock.calls.length * 60_000);
  const slow = await startRig();
  const fork = await slow.emulator.fork({ id: "fork" });
  const ids = Array.from({ length: 300 }, (_, number) => ROW.slice(0, -4) + String(number).padStart(4, "0"));
  for (const thread_id of ids) await fork.request("/threads", { json: { thread_id } });
  const post = ids.map((id) => ({ id, name: "a", run_type: "chain", start_time: "2026-02-01T00:00:00Z" }));
  await fork.request("/runs/batch", { json: { post } });
  let [turns, isOver] = [0, false];
  const countTurns = () => {
    turns += 1;
    if (!isOver) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const { records, rows } = await slow.emulator.control<WorldDifference>(
    "GET",
    "/worlds/fork/diff?with=main",
  );
  isOver = true;
  now.mockRestore();
  await slow.close();
  expect([Object.values(records).map(({ removed }) => removed), rows.removed]).toEqual([[1, 1, 300], 300]);
  expect(turns).toBeGreaterThan(600);
});
