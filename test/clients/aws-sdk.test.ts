import { Agent } from "node:http";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import { createExport, DESTINATION, type Rig, runToCompletion } from "../support/emulator.ts";
import { startOver, TRANSPORTS } from "./transports.ts";

const Bucket = "traces";
const CREDENTIALS = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };

function clientOf({ s3Url }: Pick<Emulator, "s3Url">, more: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint: s3Url,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: CREDENTIALS,
    maxAttempts: 1,
    ...more,
  });
}

/** Sends `traces.localhost` to this machine, where no resolver knows of it. */
function hostedClientOf({ s3Url }: Pick<Emulator, "s3Url">): S3Client {
  const httpAgent = new Agent({
    lookup: (_host, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]),
  });
  const endpoint = s3Url.replace("127.0.0.1", "localhost");
  return clientOf({ s3Url: endpoint }, { forcePathStyle: false, requestHandler: { httpAgent } });
}

async function keysOf(client: S3Client, Prefix = ""): Promise<readonly (string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  for await (const page of paginateListObjectsV2({ client, pageSize: 2 }, { Bucket, Prefix }))
    keys.push(...(page.Contents ?? []).map(({ Key }) => Key));
  return keys;
}

async function textOf(client: S3Client, Key: string): Promise<string | undefined> {
  return (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();
}

let rig: Rig;

afterEach(() => rig.close());

describe.each(TRANSPORTS)("the SDK of AWS %s", (transport) => {
  let client: S3Client;

  beforeEach(async () => {
    rig = await startOver(transport);
    client = clientOf(rig.emulator);
  });

  it("puts, copies, lists page by page and deletes, awkward keys too", async () => {
    const keys = ["a b.txt", "é/ü.txt", "plus+plus", "w/main/x", "x", "y"];
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    expect(new Set(await keysOf(client))).toEqual(new Set(keys));
    expect(await textOf(client, "w/main/x")).toBe("w/main/x");
    await client.send(new CopyObjectCommand({ Bucket, Key: "copy", CopySource: `${Bucket}/w/main/x` }));
    expect(await textOf(client, "copy")).toBe("w/main/x");
    await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }),
    );
    expect(await keysOf(client)).toEqual(["copy"]);
    await client.send(new CreateBucketCommand({ Bucket: "second" }));
    const { Buckets } = await client.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual(["second", "traces"]);
  });

  it("signs addresses that anybody may use", async () => {
    const put = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: "signed/é b.txt" }));
    expect((await fetch(put, { method: "PUT", body: "presigned" })).status).toBe(200);
    const get = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: "signed/é b.txt" }));
    expect(await (await fetch(get)).text()).toBe("presigned");
    expect((await fetch(get.replace("signed/", "signed2/"))).status).toBe(403);
  });

  it("uploads in parts, and receives the location", async () => {
    const body = Buffer.alloc(11 * 1024 * 1024, "x");
    const upload = new Upload({ client, params: { Bucket, Key: "large", Body: body } });
    await upload.done();
    expect(await keysOf(client, "lar")).toEqual(["large"]);
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: "p/é" }));
    const part = { Bucket, Key: "p/é", UploadId, PartNumber: 1 };
    const { ETag } = await client.send(new UploadPartCommand({ ...part, Body: "one part" }));
    const { Location } = await client.send(
      new CompleteMultipartUploadCommand({
        Bucket,
        Key: "p/é",
        UploadId,
        MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] },
      }),
    );
    expect(Location).toBe(`${new URL(rig.emulator.s3Url).pathname.replace(/\/$/, "")}/traces/p/é`);
    expect(await textOf(client, "p/é")).toBe("one part");
  });

  it("finds a bucket by its host name as well", async () => {
    const hosted = hostedClientOf(rig.emulator);
    await hosted.send(new PutObjectCommand({ Bucket, Key: "hosted/x.txt", Body: "hosted" }));
    await hosted.send(new PutObjectCommand({ Bucket, Key: "w/nowhere/x.txt", Body: "a key" }));
    expect(await keysOf(client)).toEqual(["hosted/x.txt", "w/nowhere/x.txt"]);
    expect(await keysOf(hosted, "w/")).toEqual(["w/nowhere/x.txt"]);
    expect(await textOf(hosted, "w/nowhere/x.txt")).toBe("a key");
  });
});

describe("exports to a destination with an endpoint", () => {
  beforeEach(async () => {
    rig = await startOver("in a forked world, by its base path");
  });

  async function exportedTo(endpoint_url: string): Promise<string> {
    const { session_id } = await rig.emulator.control<{ session_id: string }>("POST", "/traces/generate", {
      count: 20,
      project: "shop",
      from: "2026-02-25T00:00:00Z",
      to: "2026-02-28T00:00:00Z",
    });
    const { status, body } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", {
      ...DESTINATION,
      config: { ...DESTINATION.config, endpoint_url },
    });
    expect([status, body]).toEqual([200, expect.anything()]);
    const prepared = await createExport(rig, { projectId: session_id, destinationId: body.id });
    await runToCompletion(rig, prepared.body.id);
    expect(await rig.emulator.verifyExport(prepared.body.id)).toMatchObject({ ok: true, rows: 20 });
    return prepared.body.id;
  }

  /** How many requests have come to the S3 port, this one included; exports to the own store need none. */
  async function requestsServed(): Promise<number> {
    const { headers } = await fetch(rig.emulator.s3Url);
    return Number.parseInt(headers.get("x-amz-request-id") ?? "", 16);
  }

  const files = (keys: readonly (string | undefined)[]) =>
    keys.filter((key) => key?.endsWith(".parquet")).length;

  it.each([
    ["its own address", () => rig.emulator.s3Url],
    ["its own address with a slash", () => `${rig.emulator.s3Url}/`],
    ["its own address by another name", () => rig.emulator.s3Url.replace("127.0.0.1", "localhost")],
    ["the address of the process", () => new URL(rig.emulator.s3Url).origin],
  ])("end in the world when it is %s", async (_, endpointOf) => {
    const before = await requestsServed();
    await exportedTo(endpointOf());
    expect(await requestsServed()).toBe(before + 1);
    expect(files(await keysOf(clientOf(rig.emulator)))).toBeGreaterThan(0);
    expect(await keysOf(clientOf({ s3Url: new URL(rig.emulator.s3Url).origin }))).toEqual([]);
  });

  it("reach another world by its name", async () => {
    const other = await rig.emulator.fork({ id: "other" });
    const before = await requestsServed();
    await exportedTo(other.s3Url);
    expect(await requestsServed()).toBeGreaterThan(before + 1);
    expect(files(await keysOf(clientOf(other)))).toBeGreaterThan(0);
    expect(await keysOf(clientOf(rig.emulator))).toEqual([]);
  });
});
