import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Emulator } from "../../../emulator/runtime/index.ts";
import {
  BEGIN,
  createExport,
  DESTINATION,
  prepareExport,
  type Rig,
  runToCompletion,
  startRig,
} from "../../support/emulator.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { objectStore } from "../../support/object-store.ts";
import { dottedOrder, traceRow } from "../../support/trace-row.ts";

let rig: Rig;
let other: Rig;

beforeEach(async () => {
  [rig, other] = await Promise.all([startRig(), startRig({ seed: 99, now: "2026-05-01T00:00:00Z" })]);
});

afterEach(() => Promise.all([rig.close(), other.close()]));

const CONTROL = "/_emulator/v1/snapshots";

async function exportRows({ url }: Emulator, name: string): Promise<Buffer> {
  const reply = await fetch(`${url}${CONTROL}/${name}/file`);
  expect(reply.status).toBe(200);
  return Buffer.from(await reply.arrayBuffer());
}

interface Imported {
  readonly status: number;
  readonly body: {
    readonly name: string;
    readonly missing: Record<string, unknown>;
    readonly error: { readonly code: string; readonly message: string };
  };
}

async function imported({ url }: Emulator, bytes: Uint8Array, query = ""): Promise<Imported> {
  const reply = await fetch(`${url}${CONTROL}/file${query}`, {
    method: "POST",
    body: new Uint8Array(bytes),
  });
  return { status: reply.status, body: (await reply.json()) as Imported["body"] };
}

const s3 = (world: Emulator) => objectStore(world.s3Url);

/** Everything that a world can be asked for, to be compared with another's. */
async function viewOf(world: Emulator, ids: readonly string[]): Promise<unknown> {
  const get = async (path: string) => (await world.request(path)).json();
  return {
    clock: await world.control("GET", "/clock"),
    exports: await Promise.all(ids.map((id) => get(`/api/v1/bulk-exports/${id}`))),
    runs: await Promise.all(ids.map((id) => get(`/api/v1/bulk-exports/${id}/runs`))),
    verified: await Promise.all(ids.map((id) => world.verifyExport(id))),
    objects: (await s3(world).send(new ListObjectsV2Command({ Bucket: "traces" }))).Contents,
  };
}

describe("a snapshot as a file", () => {
  it("continues elsewhere exactly as here: completed, running and future exports", async () => {
    const prepared = await prepareExport(rig, { count: 400 });
    const { body: done } = await createExport(rig, prepared);
    await runToCompletion(rig, done.id);
    await s3(rig.emulator).send(
      new PutObjectCommand({ Bucket: "traces", Key: "Special key/ü?.txt", Body: "special" }),
    );
    const { body: scheduled } = await createExport(rig, prepared, { interval_hours: 6 });
    const { body: running } = await createExport(rig, prepared);
    const at = async (world: Emulator) =>
      ((await (await world.request(`/api/v1/bulk-exports/${running.id}/runs`)).json()) as unknown[]).length;
    await rig.emulator.clock.advance({ next: 3 });
    // Rows that come now belong to no run that has begun.
    await rig.emulator.control("POST", "/traces/generate", {
      count: 50,
      project: "shop",
      from: "2026-02-25T00:00:00Z",
      to: "2026-02-28T00:00:00Z",
      seed: 5,
    });
    await rig.emulator.snapshots.save("midway");
    const file = await exportRows(rig.emulator, "midway");
    expect((await exportRows(rig.emulator, "midway")).equals(file)).toBe(true);

    expect(await imported(other.emulator, file)).toMatchObject({
      status: 200,
      body: { name: "midway", of: "main", missing: { destinations: [], keys: [], webhooks: [] } },
    });
    await other.emulator.snapshots.load("midway");
    const ids = [done.id, running.id];
    for (const world of [rig.emulator, other.emulator]) expect(await at(world)).toBeGreaterThan(0);
    for (const each of [rig, other]) await runToCompletion(each, running.id);
    for (const each of [rig, other]) await each.emulator.clock.advance("P2D");
    const [here, there] = [await viewOf(rig.emulator, ids), await viewOf(other.emulator, ids)];
    expect(there).toEqual(here);
    expect(there).toMatchObject({ verified: [{ ok: true }, { ok: true }] });
    const spawnedExports = async (world: Emulator) =>
      (await world.request(`/api/v1/bulk-exports/${scheduled.id}`)).json();
    expect(await spawnedExports(other.emulator)).toEqual(await spawnedExports(rig.emulator));
    const special = await s3(other.emulator).send(
      new GetObjectCommand({ Bucket: "traces", Key: "Special key/ü?.txt" }),
    );
    expect(await special.Body?.transformToString()).toBe("special");
  });

  it("contains patches that wait for their rows, and the counters of ids", async () => {
    const id = "11111111-1111-4111-8111-111111111111";
    const patch = { outputs: { late: true }, end_time: "2026-02-26T00:00:01Z" };
    await rig.call("POST", "/runs/batch", {
      patch: [{ id, ...patch, trace_id: id, dotted_order: dottedOrder(id) }],
    });
    await rig.emulator.snapshots.save("waiting");
    await imported(other.emulator, await exportRows(rig.emulator, "waiting"));
    await other.emulator.snapshots.load("waiting");
    const post = traceRow(id, "early");
    const read = async (at: Rig) => {
      await at.call("POST", "/runs/batch", { post: [post] });
      const { body: thread } = await at.call<{ thread_id: string }>("POST", "/threads", {});
      return [(await at.call("GET", `/runs/${id}`)).body, thread.thread_id];
    };
    const there = await read(other);
    expect(there).toEqual(await read(rig));
    expect(there[0]).toMatchObject({ name: "early", outputs: { late: true } });
  });

  it("contains the parts of an open upload, which can be completed there", async () => {
    const own = { Bucket: "traces", Key: "in-parts.bin" };
    const { UploadId } = await s3(rig.emulator).send(new CreateMultipartUploadCommand(own));
    const part = new UploadPartCommand({ ...own, UploadId, PartNumber: 1, Body: "the only part" });
    const { ETag } = await s3(rig.emulator).send(part);
    await rig.emulator.snapshots.save("uploading");
    const there = s3(other.emulator);
    await imported(other.emulator, await exportRows(rig.emulator, "uploading"));
    await other.emulator.snapshots.load("uploading");
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    await there.send(new CompleteMultipartUploadCommand({ ...own, UploadId, MultipartUpload }));
    const { Body } = await there.send(new GetObjectCommand(own));
    expect(await Body?.transformToString()).toBe("the only part");
  });

  it("is sent in its state at the time of the request, whatever happens to the snapshot and its world meanwhile", async () => {
    const body = randomBytes(3_000_000);
    const put = (Key: string, Body: Uint8Array | string) =>
      s3(rig.emulator).send(new PutObjectCommand({ Bucket: "traces", Key, Body }));
    await put("a.bin", body);
    await put("z.bin", body);
    await rig.emulator.snapshots.save("kept");
    const reply = await fetch(`${rig.emulator.url}${CONTROL}/kept/file`);
    await put("z.bin", "another");
    await rig.emulator.snapshots.remove("kept");
    await rig.emulator.reset();
    const file = Buffer.from(await reply.arrayBuffer());
    expect((await imported(other.emulator, file)).status).toBe(200);
    await other.emulator.snapshots.load("kept");
    const { Body } = await s3(other.emulator).send(new GetObjectCommand({ Bucket: "traces", Key: "z.bin" }));
    expect(body.equals((await Body?.transformToByteArray()) ?? Buffer.alloc(0))).toBe(true);
  });
});

/** One for each place; none of them is in another. */
const SECRETS = {
  destination: "destination-hidden-1",
  key: "key-hidden-2",
  token: "token-hidden-3",
  hook: "hook-hidden-4",
  user: "user-hidden-5",
  cron: "cron-hidden-6",
  inbox: "inbox-hidden-7",
};
const HIDDEN = /hidden-\d/;

/** A world with secrets wherever one can be: destinations, keys, and addresses of webhooks. */
async function withSecrets(): Promise<{ readonly destination: string }> {
  const { emulator } = rig;
  await emulator.control("POST", "/s3/credentials", {
    access_key_id: "mine",
    secret_access_key: SECRETS.key,
    session_token: SECRETS.token,
  });
  await emulator.control("POST", "/s3/credentials", {
    access_key_id: "writer",
    secret_access_key: SECRETS.destination,
  });
  await rig.call("POST", "/api/v1/bulk-exports/destinations", DESTINATION);
  const credentials = { access_key_id: "writer", secret_access_key: SECRETS.destination };
  const own = { ...DESTINATION, display_name: "Own", credentials };
  const { body } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", own);
  const { body: thread } = await rig.call<{ thread_id: string }>("POST", "/threads", {});
  const runOn = (webhook: string) =>
    rig.call("POST", `/threads/${thread.thread_id}/runs`, { assistant_id: "echo", input: {}, webhook });
  await runOn(`http://${SECRETS.user}:p@127.0.0.1:9/hook?x=${SECRETS.hook}`);
  await runOn(`/_emulator/inbox/mine?y=${SECRETS.inbox}`);
  await rig.call("POST", "/runs/crons", {
    assistant_id: "echo",
    schedule: "0 3 * * *",
    webhook: `http://127.0.0.1:9/cron?z=${SECRETS.cron}`,
    input: {},
  });
  await emulator.clock.advance("PT10M");
  await emulator.snapshots.save("secret");
  return { destination: body.id };
}

async function exportWorks(at: Rig, destinationId: string): Promise<boolean> {
  const { body: session } = await at.call<{ id: string }[]>("GET", "/sessions?name=shop");
  const projectId = session[0]?.id ?? "";
  const { body } = await createExport(at, { projectId, destinationId });
  await at.emulator.clock.advance("PT72H");
  const { body: done } = await at.call<{ status: string }>("GET", `/api/v1/bulk-exports/${body.id}`);
  return done.status === "COMPLETED";
}

describe("the secrets of a snapshot", () => {
  it("are not exported, and the import lists the missing ones", async () => {
    await prepareExport(rig);
    const { destination } = await withSecrets();
    const file = await exportRows(rig.emulator, "secret");
    const plain = gunzipSync(file).toString("latin1");
    expect(plain).not.toMatch(HIDDEN);
    expect(plain).not.toMatch(/"collection":"projects","record":\{[^\n]*"run_id"/);
    const { body } = await imported(other.emulator, file);
    expect(body).toMatchObject({
      missing: { destinations: [{ id: destination, display_name: "Own" }], keys: ["mine", "writer"] },
    });
    const { webhooks } = body.missing;
    const places = (webhooks as Record<"collection" | "member", string>[]).map(
      ({ collection, member }) => `${collection} ${member}`,
    );
    expect(places).toEqual(
      expect.arrayContaining([
        "agent_runs kwargs.webhook",
        "agent_crons payload.webhook",
        "webhook_deliveries url",
        "webhook_deliveries payload",
      ]),
    );
    expect(await other.emulator.snapshots.load("secret")).toMatchObject({ missing: body.missing });
    expect(await exportWorks(other, destination)).toBe(false);
    await other.emulator.control("PATCH", "/s3/credentials/writer", { secret_access_key: "new" });
    const rotated = await other.call("PATCH", `/api/v1/bulk-exports/destinations/${destination}`, {
      credentials: { access_key_id: "writer", secret_access_key: "new" },
    });
    expect(rotated.status).toBe(200);
    expect(await exportWorks(other, destination)).toBe(true);
  });

  it("can be set in a snapshot or a world, some or all of them, and everything works again", async () => {
    await prepareExport(rig);
    const { destination } = await withSecrets();
    const { body } = await imported(other.emulator, await exportRows(rig.emulator, "secret"));
    const give = async (flags: unknown, query = "") => {
      const reply = await fetch(`${other.emulator.url}/_emulator/v1/secrets${query}`, {
        method: "PUT",
        body: JSON.stringify(flags),
      });
      return { status: reply.status, body: (await reply.json()) as Imported["body"] };
    };
    const ofSnapshot = await give({ keys: { mine: { secret_access_key: "given" } } }, "?snapshot=secret");
    expect(ofSnapshot.body.missing).toEqual({ ...body.missing, keys: ["writer"] });
    expect(await other.emulator.snapshots.load("secret")).toMatchObject({ missing: ofSnapshot.body.missing });
    expect(await exportWorks(other, destination)).toBe(false);
    const webhooks = (body.missing.webhooks as Record<"collection" | "id" | "member", string>[]).filter(
      ({ collection }) => collection !== "events",
    );
    const values = {
      destinations: { Own: { access_key_id: "writer", secret_access_key: "new" } },
      keys: { writer: { secret_access_key: "new" } },
      webhooks: Object.fromEntries(
        webhooks.map(({ collection, id }) => [
          `${collection}/${id}`,
          Object.fromEntries(
            webhooks
              .filter((each) => each.collection === collection && each.id === id)
              .map(({ member }) => [member, "http://127.0.0.1:9/again"]),
          ),
        ]),
      ),
    };
    const done = await give(values);
    expect(done).toMatchObject({ status: 200, body: { missing: { destinations: [], keys: [] } } });
    expect(await exportWorks(other, destination)).toBe(true);
    expect(gunzipSync(await exportedAnew()).toString("latin1")).not.toMatch(HIDDEN);
  });

  async function exportedAnew(): Promise<Buffer> {
    await other.emulator.snapshots.save("anew");
    return exportRows(other.emulator, "anew");
  }

  it("are refused when they are not missing, and nothing changes", async () => {
    await withSecrets();
    await imported(other.emulator, await exportRows(rig.emulator, "secret"));
    for (const [flags, says] of [
      [
        { keys: { mine: { secret_access_key: "x" }, unknown: { secret_access_key: "x" } } },
        "the key unknown",
      ],
      [{ destinations: { Other: { access_key_id: "a", secret_access_key: "b" } } }, "the destination Other"],
      [{ webhooks: { "crons/unknown": { "payload.webhook": "http://x" } } }, "crons/unknown"],
    ] as const)
      for (const query of ["", "?snapshot=secret"]) {
        const reply = await fetch(`${other.emulator.url}/_emulator/v1/secrets${query}`, {
          method: "PUT",
          body: JSON.stringify(flags),
        });
        expect({ status: reply.status, text: await reply.text() }).toEqual({
          status: 422,
          text: expect.stringContaining(says),
        });
      }
    const [snapshot] = await other.emulator.snapshots.list();
    expect(snapshot?.missing?.keys).toEqual(["mine", "writer"]);
  });
});

describe("a file that is not whole", () => {
  /** Every file of a data folder, to see whether anything was left. */
  const filesOf = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

  it("is refused when it is cut or changed at any byte, and creates nothing", async () => {
    const data = workingFolder();
    await prepareExport(rig);
    await s3(rig.emulator).send(
      new PutObjectCommand({ Bucket: "traces", Key: "a.bin", Body: randomBytes(70_000) }),
    );
    await rig.emulator.snapshots.save("whole");
    const file = await exportRows(rig.emulator, "whole");
    await other.close();
    other = await startRig({ ephemeral: false, data });
    await other.emulator.snapshots.save("before");
    const left = () => filesOf(data).filter((name) => !/(^|\/)(\.trash|lengths|snapshots\/whole)/.test(name));
    const before = left();
    const tar = gunzipSync(file);
    const places = [1, 5, 9, 13];
    const torn = places.map((at) => file.subarray(0, Math.floor((file.length * at) / 14)));
    const changed = places.map((at) => {
      const copy = Buffer.from(tar);
      // Into the middle of a block, so that it is in a content or in the part of a header that has a meaning.
      const place = Math.floor((tar.length * at) / 14 / 512) * 512 + 20;
      copy.writeUInt8(copy.readUInt8(place) ^ 64, place);
      return gzipSync(copy);
    });
    for (const bytes of [...torn, ...changed]) {
      const { status, body } = await imported(other.emulator, bytes);
      expect({ status, code: body.error?.code }).toEqual({ status: 422, code: "damaged_snapshot" });
    }
    expect(await other.emulator.snapshots.list()).toMatchObject([{ name: "before" }]);
    expect(left()).toEqual(before);
    expect((await imported(other.emulator, file)).status).toBe(200);
    await other.close();
    other = await startRig({ ephemeral: false, data, now: undefined });
    await other.emulator.snapshots.load("whole");
    expect(await other.emulator.control("GET", "/s3/buckets")).toMatchObject([{ name: "traces" }]);
  });

  it("replaces a snapshot only on request, and never a world", async () => {
    await rig.emulator.snapshots.save("one");
    const file = await exportRows(rig.emulator, "one");
    expect((await imported(rig.emulator, file)).body.error.code).toBe("taken");
    expect((await imported(rig.emulator, file, "?replace=1")).status).toBe(200);
    expect((await imported(rig.emulator, file, "?name=main&replace=1")).body.error.code).toBe("taken");
    expect((await imported(rig.emulator, file, "?name=..")).body.error.code).toBe("invalid_name");
    // The answer comes although most of it is still on its way.
    await s3(rig.emulator).send(
      new PutObjectCommand({ Bucket: "traces", Key: "a.bin", Body: randomBytes(12_000_000) }),
    );
    await rig.emulator.snapshots.save("long");
    const long = await exportRows(rig.emulator, "long");
    expect((await imported(rig.emulator, long)).body.error.code).toBe("taken");
    expect((await rig.call("GET", "/ok")).status).toBe(200);
  });

  it("is too large for its limit on both ways", async () => {
    await s3(rig.emulator).send(
      new PutObjectCommand({ Bucket: "traces", Key: "a.bin", Body: randomBytes(70_000) }),
    );
    await rig.emulator.snapshots.save("large");
    const file = await exportRows(rig.emulator, "large");
    await other.close();
    other = await startRig({ limits: { snapshot_bytes: 60_000 } });
    expect((await imported(other.emulator, file)).body.error.code).toBe("snapshot_too_large");
    await s3(other.emulator).send(
      new PutObjectCommand({ Bucket: "traces", Key: "a.bin", Body: randomBytes(70_000) }),
    );
    await other.emulator.snapshots.save("large");
    await expect(other.emulator.control("GET", "/snapshots/large/file")).rejects.toThrow(
      "larger than 60000 bytes",
    );
  });
});

describe("an emulator", () => {
  it("imports a file at the start and exports one at the end, in memory and in a data folder", async () => {
    const folder = workingFolder();
    const [first, second] = [join(folder, "first.tar.gz"), join(folder, "second.tar.gz")];
    const prepared = await prepareExport(rig);
    const { body: bulkExport } = await createExport(rig, prepared);
    await runToCompletion(rig, bulkExport.id);
    await rig.close();
    rig = await startRig({ exportOnExit: first });
    const { body: ran } = await createExport(rig, await prepareExport(rig));
    await runToCompletion(rig, ran.id);
    await rig.close();

    rig = await startRig({ import: first, exportOnExit: second, now: undefined });
    expect(await rig.emulator.verifyExport(ran.id)).toMatchObject({ ok: true, rows: 60 });
    await rig.emulator.control("DELETE", "/s3/buckets/traces");
    await rig.close();

    const data = join(folder, "data");
    rig = await startRig({ import: first, ephemeral: false, data, now: undefined });
    expect(await rig.emulator.verifyExport(ran.id)).toMatchObject({ ok: true, rows: 60 });
    await rig.emulator.request("/threads", { json: {} });
    await rig.close();
    await expect(startRig({ import: second, ephemeral: false, data })).rejects.toThrow("already has a world");
    rig = await startRig({ ephemeral: false, data, now: undefined });
    expect(await rig.emulator.verifyExport(ran.id)).toMatchObject({ ok: true, rows: 60 });
    await rig.emulator.reset();
    await rig.emulator.snapshots.load("at-exit");
    expect(await rig.emulator.verifyExport(ran.id)).toMatchObject({ ok: true, rows: 60 });

    const later = await startRig({ import: second, now: undefined });
    expect(await later.emulator.control("GET", "/s3/buckets")).toEqual([]);
    await later.close();
  });

  it("keeps an existing file when it cannot write the new one", async () => {
    const folder = workingFolder();
    const file = join(folder, "kept.tar.gz");
    writeFileSync(file, "earlier export");
    await rig.close();
    rig = await startRig({ exportOnExit: file, limits: { snapshot_bytes: 1 } });
    await s3(rig.emulator).send(new PutObjectCommand({ Bucket: "traces", Key: "a.bin", Body: "x" }));
    await expect(rig.close()).rejects.toThrow("was not written and is unchanged");
    expect(readFileSync(file, "utf8")).toBe("earlier export");
    expect(readdirSync(folder)).toEqual(["kept.tar.gz"]);
    const nowhere = join(folder, "no", "such.tar.gz");
    await expect(startRig({ exportOnExit: nowhere })).rejects.toThrow("its folder does not exist");
    await expect(startRig({ import: nowhere })).rejects.toThrow("no such file or folder");
    await expect(startRig({ exportOnExit: folder })).rejects.toThrow(
      "this is a folder, not a file; give the path of a file",
    );
    rig = await startRig();
  });

  it("exports and imports from a program", async () => {
    const file = join(workingFolder(), "kept.tar.gz");
    const prepared = await prepareExport(rig);
    await rig.emulator.snapshots.save("kept");
    await rig.emulator.snapshots.export("kept", file);
    await expect(rig.emulator.snapshots.export("kept", file)).rejects.toThrow("already exists");
    await rig.emulator.snapshots.export("kept", file, { force: true });
    const facts = await other.emulator.snapshots.import(file, { name: "theirs" });
    expect(facts).toMatchObject({ name: "theirs", of: "main", now: BEGIN.replace("Z", ".000000Z") });
    const fork = await other.emulator.fork({ from: "theirs" });
    expect((await fork.request(`/sessions/${prepared.projectId}`)).status).toBe(200);
    await expect(rig.emulator.snapshots.export("none", `${file}.2`)).rejects.toThrow(
      "The snapshot none does not exist.",
    );
    expect(existsSync(`${file}.2`)).toBe(false);
    mkdirSync(`${file}.folder`);
    await expect(rig.emulator.snapshots.import(`${file}.folder`)).rejects.toThrow("a folder");
  });
});
