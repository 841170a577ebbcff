import { readdirSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketReplicationCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { describe, test } from "vitest";
import { codeOf, NOW, openTestServer } from "./harness.ts";
import { serverOfFile } from "./server-of-file.ts";

const Bucket = "traces";

const { server, send, errorOf } = serverOfFile();

function put(Key: string, Body: string | Buffer | Readable, more = {}) {
  return send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
}

async function text(Key: string, more = {}): Promise<string> {
  const { Body } = await send(new GetObjectCommand({ Bucket, Key, ...more }));
  return (await Body?.transformToString()) ?? "";
}

describe("objects through the AWS SDK with its defaults", () => {
  test("large objects and parts of them, read side by side, have the bytes that were stored", async ({
    expect,
  }) => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n.toString(36).padStart(5)).join(""));
    await Promise.all(
      ["a", "b"].map((name) => put(`large/${name}`, Buffer.concat([Buffer.from(name), bytes]))),
    );
    const parts = [undefined, "bytes=1-", "bytes=262000-1200000", "bytes=-700000"];
    const got = await Promise.all(
      parts.flatMap((Range) => ["a", "b"].map((name) => text(`large/${name}`, { Range }))),
    );
    const wholes = ["a", "b"].map((name) => name + bytes.toString());
    const expected = parts.flatMap((Range) =>
      wholes.map((whole) => {
        if (Range === undefined) return whole;
        const [from = "", to = ""] = Range.slice("bytes=".length).split("-");
        return from === ""
          ? whole.slice(-Number(to))
          : whole.slice(Number(from), to ? Number(to) + 1 : undefined);
      }),
    );
    expect(got.map((each) => each.length)).toEqual(expected.map((each) => each.length));
    expect(got.every((each, at) => each === expected[at])).toBe(true);
  });

  test("a buffer is stored with its checksum, its type and its metadata", async ({ expect }) => {
    const output = await put("a/buffer.txt", "hello", {
      ContentType: "text/plain",
      CacheControl: "no-cache",
      Metadata: { colour: "blue" },
    });
    expect(output.ETag).toBe('"5d41402abc4b2a76b9719d911017c592"');
    expect(output.ChecksumCRC32).toBe("NhCmhg==");
    const head = await send(new HeadObjectCommand({ Bucket, Key: "a/buffer.txt", ChecksumMode: "ENABLED" }));
    expect(head).toMatchObject({
      ContentLength: 5,
      ContentType: "text/plain",
      CacheControl: "no-cache",
      Metadata: { colour: "blue" },
      ChecksumCRC32: "NhCmhg==",
    });
    expect(head.LastModified?.getTime()).toBe(NOW);
    expect(await text("a/buffer.txt")).toBe("hello");
    expect(readFileSync(join(server().folder, Bucket, "a/buffer.txt"), "utf8")).toBe("hello");
  });

  test("a stream comes in as aws-chunked and is stored without its framing", async ({ expect }) => {
    const bytes = Buffer.alloc(300_000, "abcdefghij");
    const pieces = Array.from({ length: 30 }, (_, i) => bytes.subarray(i * 10_000, (i + 1) * 10_000));
    await put("stream.bin", Readable.from(pieces), { ContentLength: bytes.length });
    expect(await text("stream.bin")).toBe(bytes.toString());
    const head = await send(new HeadObjectCommand({ Bucket, Key: "stream.bin" }));
    expect(head.ContentEncoding).toBeUndefined();
  });

  test.for(["CRC32", "CRC32C", "SHA1", "SHA256", "CRC64NVME"] as const)(
    "a %s checksum is verified in header and trailer, and given back",
    async (ChecksumAlgorithm, { expect }) => {
      const key = `checksum/${ChecksumAlgorithm.toLowerCase()}.txt`;
      if (ChecksumAlgorithm !== "CRC64NVME") {
        await put(key, "in a header", { ChecksumAlgorithm });
        expect(await text(key)).toBe("in a header");
        await put(key, Readable.from(["in a ", "trailer"]), { ChecksumAlgorithm, ContentLength: 12 });
        expect(await text(key)).toBe("in a trailer");
      } else {
        // The published check value of CRC-64/NVME.
        await put(key, "123456789", { ChecksumCRC64NVME: "rosUhgp5mIg=" });
        expect(await codeOf(put(key, "123456780", { ChecksumCRC64NVME: "rosUhgp5mIg=" }))).toBe("BadDigest");
      }
      const head = await send(new HeadObjectCommand({ Bucket, Key: key, ChecksumMode: "ENABLED" }));
      expect(head).toHaveProperty(`Checksum${ChecksumAlgorithm}`, expect.stringMatching(/=$/));
    },
  );

  test("an empty object is an object", async ({ expect }) => {
    await put("empty.txt", "");
    expect(await text("empty.txt")).toBe("");
    expect(await errorOf(new GetObjectCommand({ Bucket, Key: "empty.txt", Range: "bytes=0-" }))).toBe(
      "InvalidRange",
    );
  });

  test("a 40 MB stream comes back whole", async ({ expect }) => {
    const piece = Buffer.alloc(1024 * 1024, 7);
    await put("large.bin", Readable.from(Array.from({ length: 40 }, () => piece)), {
      ContentLength: 40 * piece.length,
    });
    const { Body } = await send(new GetObjectCommand({ Bucket, Key: "large.bin" }));
    let size = 0;
    for await (const chunk of Body as Readable) size += (chunk as Buffer).length;
    expect(size).toBe(40 * piece.length);
  });

  test.for([
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=4-", "456789", "bytes 4-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=-30", "0123456789", "bytes 0-9/10"],
    ["bytes=8-100", "89", "bytes 8-9/10"],
    ["bytes=5-4", "0123456789", undefined],
    ["bytes=0-1,3-4", "0123456789", undefined],
    ["lines=0-1", "0123456789", undefined],
    ["bytes=10-", "InvalidRange", undefined],
    ["bytes=-0", "InvalidRange", undefined],
  ] as const)("range %s gives %s", async ([Range, expected, contentRange], { expect }) => {
    await put("range.txt", "0123456789");
    const call = send(new GetObjectCommand({ Bucket, Key: "range.txt", Range }));
    if (expected === "InvalidRange") return expect(await codeOf(call)).toBe(expected);
    const { Body, ContentRange } = await call;
    expect(await Body?.transformToString()).toBe(expected);
    expect(ContentRange).toBe(contentRange);
  });

  test("conditions of reads and writes are kept to", async ({ expect }) => {
    const { ETag } = await put("condition.txt", "one");
    const get = (more: object) => errorOf(new GetObjectCommand({ Bucket, Key: "condition.txt", ...more }));
    expect(await get({ IfMatch: ETag })).toBe("no error");
    expect(await get({ IfMatch: '"other"' })).toBe("PreconditionFailed");
    expect(await get({ IfNoneMatch: ETag })).toBe("304");
    expect(await get({ IfModifiedSince: new Date(NOW) })).toBe("304");
    expect(await get({ IfModifiedSince: new Date(NOW - 1000) })).toBe("no error");
    expect(await get({ IfUnmodifiedSince: new Date(NOW - 1000) })).toBe("PreconditionFailed");
    expect(await codeOf(put("condition.txt", "two", { IfNoneMatch: "*" }))).toBe("PreconditionFailed");
    expect(await codeOf(put("condition.txt", "two", { IfMatch: '"other"' }))).toBe("PreconditionFailed");
    expect(await codeOf(put("condition.txt", "two", { IfMatch: ETag }))).toBe("no error");
    expect(await codeOf(put("not-there.txt", "two", { IfMatch: ETag }))).toBe("NoSuchKey");
    expect(await text("condition.txt")).toBe("two");
  });

  test("reply headers can be overridden, but not broken", async ({ expect }) => {
    await put("override.txt", "x");
    const get = (ResponseContentDisposition: string) =>
      send(new GetObjectCommand({ Bucket, Key: "override.txt", ResponseContentDisposition }));
    expect((await get("attachment")).ContentDisposition).toBe("attachment");
    expect(await codeOf(get("a\r\nx-evil: 1"))).toBe("InvalidArgument");
  });

  test("copies keep or replace the metadata, and reach other buckets", async ({ expect }) => {
    await send(new CreateBucketCommand({ Bucket: "copies" }));
    await put("source é.txt", "copied", { Metadata: { a: "1" }, ContentType: "text/x-one" });
    const CopySource = `${Bucket}/${encodeURIComponent("source é.txt")}`;
    const copied = await send(new CopyObjectCommand({ Bucket: "copies", Key: "kept.txt", CopySource }));
    expect(copied.CopyObjectResult?.ETag).toMatch(/^"[0-9a-f]{32}"$/);
    const head = await send(new HeadObjectCommand({ Bucket: "copies", Key: "kept.txt" }));
    expect(head).toMatchObject({ Metadata: { a: "1" }, ContentType: "text/x-one", ContentLength: 6 });
    await send(
      new CopyObjectCommand({
        Bucket,
        Key: "replaced.txt",
        CopySource,
        MetadataDirective: "REPLACE",
        Metadata: { b: "2" },
      }),
    );
    const newHead = await send(new HeadObjectCommand({ Bucket, Key: "replaced.txt" }));
    expect(newHead.Metadata).toEqual({ b: "2" });
    const onto = new CopyObjectCommand({ Bucket, Key: "source é.txt", CopySource });
    expect(await errorOf(onto)).toBe("InvalidRequest");
    const encoded = encodeURIComponent(`/${Bucket}/source é.txt`);
    await send(new CopyObjectCommand({ Bucket, Key: "encoded.txt", CopySource: encoded }));
    const missing = new CopyObjectCommand({ Bucket, Key: "x.txt", CopySource: `${Bucket}/nothing` });
    expect(await errorOf(missing)).toBe("NoSuchKey");
  });

  test("deleting takes the file along, one or many", async ({ expect }) => {
    for (const key of ["gone/one.txt", "gone/two.txt", "gone/\u0001&<\r\n.txt"]) await put(key, key);
    await send(new DeleteObjectCommand({ Bucket, Key: "gone/one.txt" }));
    await send(new DeleteObjectCommand({ Bucket, Key: "gone/one.txt" }));
    expect(await errorOf(new GetObjectCommand({ Bucket, Key: "gone/one.txt" }))).toBe("NoSuchKey");
    const Objects = [{ Key: "gone/two.txt" }, { Key: "gone/\u0001&<\r\n.txt" }, { Key: "never" }];
    const many = await send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(many.Deleted?.map(({ Key }) => Key)).toEqual(Objects.map(({ Key }) => Key));
    expect(readdirSync(join(server().folder, Bucket))).not.toContain("gone");
    const left = await send(new ListObjectsV2Command({ Bucket, Prefix: "gone/" }));
    expect(left.KeyCount).toBe(0);
  });

  test("a presigned address reads and writes without a key, until it expires", async ({ expect }) => {
    const putUrl = await getSignedUrl(
      server().client(),
      new PutObjectCommand({ Bucket, Key: "signed/é b.txt" }),
      {
        expiresIn: 60,
      },
    );
    expect((await fetch(putUrl, { method: "PUT", body: "presigned" })).status).toBe(200);
    const getUrl = await getSignedUrl(
      server().client(),
      new GetObjectCommand({ Bucket, Key: "signed/é b.txt" }),
      {
        expiresIn: 60,
      },
    );
    expect(await (await fetch(getUrl)).text()).toBe("presigned");
    expect((await fetch(getUrl.replace("X-Amz-Expires=60", "X-Amz-Expires=61"))).status).toBe(403);
    const old = await getSignedUrl(
      server().client(),
      new GetObjectCommand({ Bucket, Key: "signed/é b.txt" }),
      {
        expiresIn: 60,
        signingDate: new Date(Date.now() - 120_000),
      },
    );
    const expired = await fetch(old);
    expect([expired.status, await expired.text()]).toEqual([
      403,
      expect.stringContaining("Request has expired"),
    ]);
  });

  test("virtual-hosted and path-style names both work", async ({ expect }) => {
    const httpAgent = new Agent({
      lookup: (_host, _options, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]),
    });
    const client = server().client({
      endpoint: `http://localhost:${server().port}`,
      forcePathStyle: false,
      requestHandler: { httpAgent },
    });
    await client.send(new PutObjectCommand({ Bucket, Key: "hosted/x.txt", Body: "hosted" }));
    expect(await text("hosted/x.txt")).toBe("hosted");
  });

  test("a base path names the world and is signed, but is not a part of the key", async ({ expect }) => {
    const client = server().client({ endpoint: `${server().url}/w/other` });
    await client.send(new PutObjectCommand({ Bucket, Key: "based.txt", Body: "based" }));
    expect(await text("based.txt")).toBe("based");
  });

  test("what does not exist says so by name", async ({ expect }) => {
    const replication = new DeleteBucketReplicationCommand({ Bucket });
    await expect(send(replication)).rejects.toMatchObject({
      name: "NotImplemented",
      message: expect.stringContaining("DeleteBucketReplication"),
    });
    expect(await errorOf(new GetObjectCommand({ Bucket, Key: "no" }))).toBe("NoSuchKey");
    expect(await errorOf(new GetObjectCommand({ Bucket: "no-bucket", Key: "no" }))).toBe("NoSuchBucket");
    expect(await errorOf(new HeadObjectCommand({ Bucket, Key: "no" }))).toBe("NotFound");
  });
});

describe("buckets", () => {
  test("are made, found, listed and deleted when empty", async ({ expect }) => {
    await send(new CreateBucketCommand({ Bucket: "one.two-3" }));
    expect(await errorOf(new CreateBucketCommand({ Bucket: "UPPER_case" }))).toBe("InvalidBucketName");
    const Configuration = { LocationConstraint: "eu-west-1" } as const;
    await send(new CreateBucketCommand({ Bucket: "in-europe", CreateBucketConfiguration: Configuration }));
    const location = await send(new GetBucketLocationCommand({ Bucket: "in-europe" }));
    expect(location.LocationConstraint).toBe("eu-west-1");
    await send(new HeadBucketCommand({ Bucket: "one.two-3" }));
    await send(new GetBucketVersioningCommand({ Bucket: "one.two-3" }));
    const { Buckets } = await send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual(
      expect.arrayContaining(["in-europe", "one.two-3", "traces"]),
    );
    await send(new PutObjectCommand({ Bucket: "one.two-3", Key: "k", Body: "v" }));
    expect(await errorOf(new DeleteBucketCommand({ Bucket: "one.two-3" }))).toBe("BucketNotEmpty");
    await send(new DeleteObjectCommand({ Bucket: "one.two-3", Key: "k" }));
    await send(new DeleteBucketCommand({ Bucket: "one.two-3" }));
    expect(await errorOf(new HeadBucketCommand({ Bucket: "one.two-3" }))).toBe("NotFound");
  });
});

describe("evil names", () => {
  const long = `${"é".repeat(100)}/`.repeat(5).slice(0, 512);
  const keys = [
    "../x",
    "../../etc/passwd",
    "%2e%2e/x",
    "..%2fx",
    "a//b",
    "/",
    "//",
    "trailing/",
    "a",
    "a/b",
    "a/b/c.txt",
    "A",
    "Case.txt",
    "case.txt",
    ".",
    "..",
    ".hashed",
    ".tmp/1-1",
    "con.txt",
    "nul",
    "dot.",
    "space at end ",
    "plus+and space",
    "?query=1&x",
    "#hash",
    "日本語/𝄞.parquet",
    "quote'\"!()*~",
    "back\\slash",
    "x".repeat(1024),
    long,
  ];

  test("stay inside the folder and are returned unchanged", async ({ expect }) => {
    const evil = await openTestServer();
    const client = evil.client();
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: `body of ${Key}` }));
    for (const Key of keys) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      expect(await Body?.transformToString()).toBe(`body of ${Key}`);
    }
    const list = await client.send(new ListObjectsV2Command({ Bucket }));
    const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(list.Contents?.map(({ Key }) => Key)).toEqual([...keys].sort(inBytes));
    const v1 = await client.send(new ListObjectsCommand({ Bucket }));
    expect(v1.Contents?.map(({ Key }) => Key)).toEqual([...keys].sort(inBytes));
    expect(readdirSync(evil.folder)).toEqual(["traces"]);
    expect(readdirSync(join(evil.folder, "../../.."))).toEqual(expect.arrayContaining(["pool", "worlds"]));
    expect(evil.strayBodies()).toEqual([]);
    for (const Key of keys) await client.send(new DeleteObjectCommand({ Bucket, Key }));
    expect(readdirSync(join(evil.folder, "traces")).filter((name) => name !== ".hashed")).toEqual([]);
    await evil.close();
  });

  test("a key of 1025 bytes is refused", async ({ expect }) => {
    expect(await codeOf(put("x".repeat(1025), "x"))).toBe("KeyTooLongError");
    expect(await codeOf(put("é".repeat(513), "x"))).toBe("KeyTooLongError");
  });
});
