import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startExportRig } from "../support/emulator.ts";
import { start, workingFolder } from "../support/emulator-process.ts";
import { objectStore } from "../support/object-store.ts";
import { useRig } from "../support/use-rig.ts";

interface FaultReply {
  readonly id: string;
  readonly hits: number;
}

const rig = useRig("test", () => startExportRig({ limits: { rows_per_file: 5 } }));

const hitsOf = async ({ id }: FaultReply) =>
  (await rig.emulator.control<FaultReply>("GET", `/faults/${id}`)).hits;

describe("faults of the object store, through the AWS SDK", () => {
  let client: S3Client;

  beforeEach(() => {
    client = objectStore(rig.emulator.s3Url);
  });

  afterEach(() => client.destroy());

  const put = (Key: string, by = client) =>
    by.send(new PutObjectCommand({ Bucket: "traces", Key, Body: "rows" }));

  it("cut the connection", async () => {
    await rig.arm({ target: "s3", match: { key: "cut*" }, then: { reset: true } });
    await put("whole");
    await expect(put("cut/me")).rejects.toThrow(/socket hang up|ECONNRESET/);
  });

  it("delete_bucket removes the bucket for good", async () => {
    await rig.arm({ target: "s3", match: { op: "PutObject", nth: 2 }, then: { delete_bucket: true } });
    await put("1");
    await expect(put("2")).rejects.toMatchObject({ name: "NoSuchBucket" });
    await client.send(new CreateBucketCommand({ Bucket: "traces" }));
    await expect(client.send(new GetObjectCommand({ Bucket: "traces", Key: "1" }))).rejects.toMatchObject({
      name: "NoSuchKey",
    });
  });

  it("delete_credential removes the key of the request", async () => {
    await rig.arm({ target: "s3", match: { access_key_id: "emulator" }, then: { delete_credential: true } });
    await expect(put("1")).rejects.toMatchObject({ name: "InvalidAccessKeyId" });
    await expect(put("2")).rejects.toMatchObject({ name: "InvalidAccessKeyId" });
  });
});

describe("faults of an export with real threads", () => {
  it.each(["rows.read", "file.written", "checkpoint.saved"])(
    "end a thread at %s, and the files hold every row once all the same",
    async (at) => {
      const fault = await rig.arm({
        target: "worker",
        match: { at, nth: 2 },
        then: { crash: true },
        times: 3,
      });
      const id = await rig.createExportId();
      await rig.complete(id);
      const runs = await rig.runsOf(id);
      expect(await hitsOf(fault)).toBe(3);
      expect(runs.flatMap(({ errors }) => Object.values(errors))).toEqual(
        Array.from({ length: 3 }, () => expect.stringMatching(/^Infrastructure interruption/)),
      );
      expect(runs.map(({ status }) => status)).toEqual(["COMPLETED", "COMPLETED", "COMPLETED"]);
      expect(await rig.verify(id)).toMatchObject({ ok: true, problems: [] });
    },
  );
});

describe("start --strict", () => {
  it("exits with code 4 and names the faults that were never triggered", async () => {
    const { ready, child, ended } = await start(["--strict", "--ephemeral"], { cwd: workingFolder() });
    const ids: string[] = [];
    for (const op of ["listBulkExports", "getBulkExport"]) {
      const body = JSON.stringify({ target: "http", match: { op }, then: { status: 503 } });
      const reply = await fetch(`${ready.url}/_emulator/v1/faults`, { method: "POST", body });
      ids.push(((await reply.json()) as FaultReply).id);
    }
    const headers = { "x-api-key": "k", "x-tenant-id": "00000000-0000-4000-8000-000000000001" };
    expect((await fetch(`${ready.url}/api/v1/bulk-exports`, { headers })).status).toBe(503);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({
      code: 4,
      stderr: `emulator: fault ${ids[1]} was never triggered: {"target":"http","match":{"op":"getBulkExport"},"then":{"status":503}}\n`,
    });
  });

  it("ends with exit code 0 when every fault hit, and without --strict", async () => {
    const { child, ended } = await start(["--strict", "--ephemeral"], { cwd: workingFolder() });
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
    const lenient = await start(["--ephemeral"], { cwd: workingFolder() });
    const body = JSON.stringify({ preset: "worker_crash" });
    await fetch(`${lenient.ready.url}/_emulator/v1/faults`, { method: "POST", body });
    lenient.child.kill("SIGTERM");
    expect(await lenient.ended).toMatchObject({ code: 0, stderr: "" });
  });
});
