import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import {
  BEGIN,
  createExport,
  HEADERS,
  prepareExport,
  type Rig,
  rigOfWorld,
  runToCompletion,
  startRig,
} from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { objectStore } from "../support/object-store.ts";
import { unneededFiles } from "../support/pool-files.ts";
import { traceRow } from "../support/trace-row.ts";

/** How often a snapshot is saved and loaded again. */
const ROUNDS = 10;

let rig: Rig;

beforeEach(async () => {
  rig = await startRig();
});

afterEach(() => rig.close());

const s3 = (world: Emulator) => objectStore(world.s3Url);

async function bodyOf(client: S3Client, Key: string): Promise<string | undefined> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: "traces", Key }));
  return Body?.transformToString();
}

const put = (client: S3Client, Key: string, Body: string) =>
  client.send(new PutObjectCommand({ Bucket: "traces", Key, Body }));

async function threads(world: Emulator): Promise<unknown> {
  return (await world.request("/threads/count", { json: {} })).json();
}

describe("a forked world", () => {
  it("has the state of its source, and neither sees later changes of the other", async () => {
    const prepared = await prepareExport(rig);
    const { body: before } = await createExport(rig, prepared);
    await runToCompletion(rig, before.id);
    const fork = await rig.emulator.fork();
    const forkedAt = rig.emulator.clock.now();
    expect(await fork.verifyExport(before.id)).toMatchObject({ ok: true, rows: 60 });

    const { body: later } = await createExport(rigOfWorld(fork), prepared, { format_version: "v2_beta" });
    await runToCompletion(rigOfWorld(fork), later.id);
    expect(await fork.verifyExport(later.id)).toMatchObject({ ok: true, rows: 60 });
    expect((await rig.call("GET", `/api/v1/bulk-exports/${later.id}`)).status).toBe(404);
    expect(rig.emulator.clock.now()).toBe(forkedAt);
    expect(fork.clock.now() > forkedAt).toBe(true);

    // The next id of both is the same one: it follows from the seed and from how many there were.
    const { body: here } = await createExport(rig, prepared);
    expect(here.id).toBe(later.id);
    expect(here.status).toBe("CREATED");
  });

  it("continues with the events that were due in its source", async () => {
    const { body: bulkExport } = await createExport(rig, await prepareExport(rig));
    const fork = await rig.emulator.fork();
    await runToCompletion(rigOfWorld(fork), bulkExport.id);
    expect(await fork.verifyExport(bulkExport.id)).toMatchObject({ ok: true, rows: 60 });
    expect((await rig.call("GET", `/api/v1/bulk-exports/${bulkExport.id}`)).body.status).toBe("CREATED");
  });

  it("has separate trace rows, updates of old ones included", async () => {
    await prepareExport(rig, { count: 5 });
    const post = (world: Emulator, id: string, name: string) =>
      world.request("/runs/batch", { json: { post: [traceRow(id, name)] } });
    const shared = "11111111-1111-4111-8111-111111111111";
    await post(rig.emulator, shared, "before");
    const fork = await rig.emulator.fork();
    const update = (world: Emulator, outputs: unknown) =>
      world.request(`/runs/${shared}`, {
        method: "PATCH",
        json: { outputs, end_time: "2026-02-26T00:00:01Z" },
      });
    await update(rig.emulator, { side: "main" });
    await update(fork, { side: "fork" });
    const read = async (world: Emulator) =>
      ((await (await world.request(`/runs/${shared}`)).json()) as { outputs: unknown }).outputs;
    expect([await read(rig.emulator), await read(fork)]).toEqual([{ side: "main" }, { side: "fork" }]);
    const fresh = "22222222-2222-4222-8222-222222222222";
    await post(fork, fresh, "only here");
    expect((await fork.request(`/runs/${fresh}`)).status).toBe(200);
    expect((await rig.emulator.request(`/runs/${fresh}`)).status).toBe(404);
  });

  it("has separate objects on the S3 port, below its base path", async () => {
    const main = s3(rig.emulator);
    await put(main, "a.txt", "old");
    const forked = await rig.emulator.fork({ id: "side" });
    const side = s3(forked);
    expect(forked.s3Url).toBe(`${rig.emulator.s3Url}/w/side`);
    await put(main, "a.txt", "new");
    await put(side, "b.txt", "there");
    expect([await bodyOf(main, "a.txt"), await bodyOf(side, "a.txt")]).toEqual(["new", "old"]);
    expect(await bodyOf(side, "b.txt")).toBe("there");
    await expect(bodyOf(main, "b.txt")).rejects.toThrow(/NoSuchKey|does not exist/);
    await rig.emulator.control("DELETE", "/s3/buckets/traces");
    expect(await bodyOf(side, "a.txt")).toBe("old");
    await rig.emulator.reset();
    expect(await bodyOf(side, "a.txt")).toBe("old");
  });

  it("has its own clock, faults, limiter, webhooks and journal", async () => {
    const fork = await rig.emulator.fork();
    await fork.clock.advance("P1D");
    await fork.faults.arm({ target: "worker", match: { run: "*" }, then: { crash: true } });
    await fork.control("PUT", "/rate-limits/runs_query_key", { remaining: 0 });
    const ask = (world: Emulator) =>
      world.request("/runs/query", { json: { session: ["11111111-1111-4111-8111-111111111111"] } });
    expect((await ask(fork)).status).toBe(429);
    expect((await ask(rig.emulator)).status).not.toBe(429);
    expect(await rig.emulator.faults.list()).toEqual([]);
    expect(rig.emulator.clock.now()).toBe("2026-03-01T00:00:00.000000Z");
    const journal = await fork.control<{ cause: { name: string } }[]>("GET", "/journal");
    expect(journal.map(({ cause }) => cause.name)).toContain("clock.advance");
    const mainJournal = await rig.emulator.control<{ cause: { name: string } }[]>("GET", "/journal");
    expect(mainJournal.map(({ cause }) => cause.name)).not.toContain("clock.advance");
  });

  it("is chosen by header or by base path, which leads back to itself", async () => {
    const fork = await rig.emulator.fork({ id: "side" });
    const reply = await fetch(`${fork.url}/threads`, { method: "POST", headers: HEADERS, body: "{}" });
    const { thread_id } = (await reply.json()) as { thread_id: string };
    const response = await fetch(`${fork.url}/threads/${thread_id}/runs`, {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({ assistant_id: "echo" }),
    });
    expect(response.headers.get("content-location")).toMatch(/^\/w\/side\/threads\//);
    const byHeader = await rig.call("GET", `/threads/${thread_id}`, undefined, {
      "x-emulator-world": "side",
    });
    expect(byHeader.status).toBe(200);
    expect((await rig.call("GET", `/threads/${thread_id}`)).status).toBe(404);
    const status = await fetch(`${fork.url}/_emulator/v1/status`);
    expect(await status.json()).toMatchObject({ world: "side", url: fork.url });
    const both = await fetch(`${fork.url}/threads/${thread_id}`, {
      headers: { ...HEADERS, "x-emulator-world": "main" },
    });
    expect(both.status).toBe(400);
  });

  it("can be forked again, and outlives its source", async () => {
    const prepared = await prepareExport(rig);
    const first = await rig.emulator.fork({ id: "first" });
    const { body: bulkExport } = await createExport(rigOfWorld(first), prepared);
    await runToCompletion(rigOfWorld(first), bulkExport.id);
    const second = await first.fork({ id: "second" });
    await first.close();
    await rig.emulator.reset();
    expect(await second.verifyExport(bulkExport.id)).toMatchObject({ ok: true, rows: 60 });
    const { body: again } = await createExport(rigOfWorld(second), prepared);
    await runToCompletion(rigOfWorld(second), again.id);
    expect(await second.verifyExport(again.id)).toMatchObject({ ok: true, rows: 60 });
    expect((await fetch(`${first.url}/ok`)).status).toBe(404);
  });

  it("begins with its own settings, also after each reset", async () => {
    const order = { id: "own", from: "seeded", seed: 77, now: "2030-01-01T00:00:00Z", clock: "flowing" };
    const { url } = await rig.emulator.control<{ url: string }>("POST", "/worlds", order);
    const ask = async (method: string, path: string) =>
      (
        await fetch(`${url}/_emulator/v1${path}`, { method, ...(method === "POST" && { body: "{}" }) })
      ).json();
    const begun = { world: "own", seed: 77, clock: { mode: "flowing" } };
    expect(await ask("GET", "/status")).toMatchObject({
      ...begun,
      now: expect.stringMatching(/^2030-01-01/),
    });
    await ask("POST", "/clock/freeze");
    expect(await ask("POST", "/reset")).toMatchObject({
      ...begun,
      now: expect.stringMatching(/^2030-01-01/),
    });
    expect(await rig.emulator.control("GET", "/status")).toMatchObject({
      seed: 1,
      clock: { mode: "frozen" },
    });
  });

  it("made empty is a fresh one", async () => {
    await prepareExport(rig);
    const { url } = await rig.emulator.control<{ url: string }>("POST", "/worlds", {});
    const status = await (await fetch(`${url}/_emulator/v1/status`)).json();
    expect(status).toMatchObject({
      world: "world-1",
      now: "2026-03-01T00:00:00.000000Z",
      traces: { rows: 0 },
    });
    const buckets = await (await fetch(`${url}/_emulator/v1/s3/buckets`)).json();
    expect(buckets).toMatchObject([{ name: "traces" }]);
  });
});

describe("worlds are refused", () => {
  it.each([
    ["POST", "/worlds", { id: "main" }, 409, "taken"],
    ["POST", "/worlds", { id: "Big" }, 422, "invalid_name"],
    ["POST", "/worlds", { id: "../x" }, 422, "invalid_name"],
    ["POST", "/worlds", { id: "seeded" }, 422, "invalid_name"],
    ["POST", "/worlds", { from: "nowhere" }, 404, "unknown_source"],
    ["POST", "/worlds", { fork: "main" }, 422, "invalid_request"],
    ["POST", "/worlds", { from: "main", seed: 2 }, 422, "invalid_request"],
    ["POST", "/worlds", { now: "tomorrow" }, 422, "invalid_request"],
    ["POST", "/worlds", { clock: "slow" }, 422, "invalid_request"],
    ["POST", "/worlds", { seed: -1 }, 422, "invalid_request"],
    ["DELETE", "/worlds/main", undefined, 409, "main_stays"],
    ["DELETE", "/worlds/nowhere", undefined, 404, "unknown_world"],
    ["GET", "/worlds/nowhere", undefined, 404, "unknown_world"],
    ["POST", "/snapshots", { name: "main" }, 409, "taken"],
    ["POST", "/snapshots", { name: "a/b" }, 422, "invalid_name"],
    ["POST", "/snapshots/nowhere/load", {}, 404, "unknown_snapshot"],
    ["DELETE", "/snapshots/seeded", undefined, 404, "unknown_snapshot"],
  ])("%s %s %j with %i", async (method, path, body, status, code) => {
    const reply = await rig.call<{ error: { code: string } }>(method, `/_emulator/v1${path}`, body);
    expect([reply.status, reply.body.error.code]).toEqual([status, code]);
    expect(await rig.emulator.control("GET", "/worlds")).toHaveLength(1);
  });

  it("when they do not exist, for every request", async () => {
    const asks = [
      fetch(`${rig.emulator.url}/w/nowhere/threads`, { method: "POST", headers: HEADERS, body: "{}" }),
      fetch(`${rig.emulator.url}/w/nowhere/_emulator/v1/clock`),
      fetch(`${rig.emulator.url}/ok`, { headers: { "x-emulator-world": "nowhere" } }),
    ];
    expect((await Promise.all(asks)).map(({ status }) => status)).toEqual([404, 404, 404]);
    const elsewhere = { ...rig.emulator, s3Url: `${rig.emulator.s3Url}/w/nowhere` };
    await expect(put(s3(elsewhere), "a", "b")).rejects.toThrow(/names a world that does not exist/);
  });

  it("beyond the bound", async () => {
    await rig.close();
    rig = await startRig({ limits: { worlds: 2, snapshots: 1 } });
    const fork = await rig.emulator.fork();
    await expect(rig.emulator.fork()).rejects.toThrow("2 worlds exist, the maximum.");
    await fork.close();
    await rig.emulator.fork();
    await rig.emulator.snapshots.save("one");
    await rig.emulator.snapshots.save("one");
    await expect(rig.emulator.snapshots.save("two")).rejects.toThrow("There are 1 snapshots already.");
  });
});

describe("a snapshot", () => {
  it("brings a world back to where it was, as often as it is loaded", async () => {
    const prepared = await prepareExport(rig);
    const { body: bulkExport } = await createExport(rig, prepared);
    await runToCompletion(rig, bulkExport.id);
    const at = rig.emulator.clock.now();
    expect(await rig.emulator.snapshots.save("done")).toMatchObject({ name: "done", of: "main", now: at });
    for (let round = 0; round < 3; round += 1) {
      await rig.emulator.request("/threads", { json: {} });
      await rig.emulator.clock.advance("P2D");
      await rig.emulator.control("DELETE", "/s3/buckets/traces");
      await rig.emulator.snapshots.load("done");
      expect(rig.emulator.clock.now()).toBe(at);
      expect(await threads(rig.emulator)).toBe(0);
      expect(await rig.emulator.verifyExport(bulkExport.id)).toMatchObject({ ok: true, rows: 60 });
    }
    const fork = await rig.emulator.fork({ from: "done" });
    await rig.emulator.snapshots.remove("done");
    expect(await fork.verifyExport(bulkExport.id)).toMatchObject({ ok: true });
    expect(await rig.emulator.snapshots.list()).toEqual([]);
  });

  it("can be created from a fork of a fork, many times", async () => {
    const client = s3(rig.emulator);
    await put(client, "first.txt", "first");
    for (let round = 0; round < ROUNDS; round += 1) {
      await put(client, "same.txt", `round ${round}`);
      await rig.emulator.request("/threads", { json: {} });
      await rig.emulator.snapshots.save("again");
      await put(client, "same.txt", "never seen");
      await rig.emulator.snapshots.load("again");
      expect(await bodyOf(client, "same.txt")).toBe(`round ${round}`);
    }
    expect(await bodyOf(client, "first.txt")).toBe("first");
    expect(await threads(rig.emulator)).toBe(ROUNDS);
  });

  it("is replaced by one of the same name", async () => {
    await rig.emulator.request("/threads", { json: {} });
    await rig.emulator.snapshots.save("here");
    await rig.emulator.request("/threads", { json: {} });
    await rig.emulator.snapshots.save("here");
    await rig.emulator.reset();
    expect(await threads(rig.emulator)).toBe(0);
    await rig.emulator.snapshots.load("here");
    expect(await threads(rig.emulator)).toBe(2);
  });
});

describe("in a data folder", () => {
  let folder: string;
  const open = (now?: string) => startRig({ ephemeral: false, data: folder, now });

  beforeEach(async () => {
    await rig.close();
    folder = workingFolder();
    rig = await open(BEGIN);
  });

  afterEach(() => rig.close());

  it("worlds and snapshots are there again after a restart", async () => {
    const prepared = await prepareExport(rig);
    const fork = await rig.emulator.fork({ id: "side" });
    const { body: bulkExport } = await createExport(rigOfWorld(fork), prepared);
    await runToCompletion(rigOfWorld(fork), bulkExport.id);
    await fork.snapshots.save("exported");
    await rig.emulator.reset();
    await rig.close();
    rig = await open();
    expect(await rig.emulator.control("GET", "/worlds")).toMatchObject([
      { id: "main", from: "seeded" },
      { id: "side", from: "main", now: null },
    ]);
    const at = await (
      await fetch(`${rig.emulator.url}/w/side/_emulator/v1/exports/${bulkExport.id}/verify`)
    ).json();
    expect(at).toMatchObject({ ok: true, rows: 60 });
    await rig.emulator.snapshots.load("exported");
    expect(await rig.emulator.verifyExport(bulkExport.id)).toMatchObject({ ok: true, rows: 60 });
  });

  it("the parts of an upload under way stay for a fork, though the world that has them is reset", async () => {
    const upload = { Bucket: "traces", Key: "in-parts.bin" };
    const { UploadId } = await s3(rig.emulator).send(new CreateMultipartUploadCommand(upload));
    const part = new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: "the only part" });
    const { ETag } = await s3(rig.emulator).send(part);
    await (await rig.emulator.fork({ id: "side" })).request("/ok");
    await rig.emulator.reset();
    for (let restart = 0; restart < 2; restart += 1) {
      await rig.close();
      rig = await open();
    }
    const side = objectStore(`${rig.emulator.s3Url}/w/side`);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    await side.send(new CompleteMultipartUploadCommand({ ...upload, UploadId, MultipartUpload }));
    expect(await bodyOf(side, upload.Key)).toBe("the only part");
  });

  it("removes all files that nothing needs", async () => {
    await prepareExport(rig);
    const fork = await rig.emulator.fork({ id: "side" });
    await rig.emulator.snapshots.save("kept");
    await rig.emulator.reset();
    await rig.emulator.reset();
    await fork.close();
    await rig.emulator.snapshots.remove("kept");
    await rig.close();
    await (await open()).close();
    expect(existsSync(join(folder, ".trash"))).toBe(false);
    // A world without objects has no object mirror.
    expect(existsSync(join(folder, "worlds"))).toBe(false);
    expect(unneededFiles(folder)).toEqual([]);
    expect(readdirSync(join(folder, "pool"))).toHaveLength(1);
  });
});
