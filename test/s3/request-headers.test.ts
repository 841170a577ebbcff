import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { describe, test } from "vitest";
import { codeOf, NOW } from "./harness.ts";
import { serverOfFile } from "./server-of-file.ts";
import { sendSigned } from "./signed-request.ts";

const Bucket = "traces";
const Key = "headers.txt";
const ETAG = '"5d41402abc4b2a76b9719d911017c592"';

const { server, send, errorOf } = serverOfFile();

const put = (more = {}) => errorOf(new PutObjectCommand({ Bucket, Key, Body: "hello", ...more }));
const exists = async () => (await errorOf(new HeadObjectCommand({ Bucket, Key }))) === "no error";

describe("a header that would change what is done is never ignored", () => {
  test.for([
    { ServerSideEncryption: "aws:kms", SSEKMSKeyId: "key" },
    { ACL: "public-read" },
    { GrantRead: "id=someone" },
    { WebsiteRedirectLocation: "/elsewhere" },
    { Tagging: "a=b" },
    { ObjectLockMode: "GOVERNANCE", ObjectLockRetainUntilDate: new Date(NOW) },
    { WriteOffsetBytes: 5 },
  ])("%o is 501 and stores nothing", async (more, { expect }) => {
    const own = { Key: "refused.txt", ...more };
    expect(await put(own)).toBe("NotImplemented");
    const copy = { ...own, CopySource: `${Bucket}/${Key}` };
    expect(await errorOf(new HeadObjectCommand({ Bucket, Key: own.Key }))).toBe("NotFound");
    await put();
    if ("WriteOffsetBytes" in more) return;
    const upload = new CreateMultipartUploadCommand({ Bucket, ...own } as never);
    expect(await errorOf(upload)).toBe("NotImplemented");
    expect(await errorOf(new CopyObjectCommand({ Bucket, ...copy } as never))).toBe("NotImplemented");
  });

  test.for([
    { ObjectLockEnabledForBucket: true },
    { ObjectOwnership: "ObjectWriter" },
    { ACL: "public-read" },
  ] as const)("a bucket with %o is 501", async (more, { expect }) => {
    const command = new CreateBucketCommand({ Bucket: "refused-bucket", ...more });
    expect(await errorOf(command)).toBe("NotImplemented");
  });

  test("values that change nothing are taken", async ({ expect }) => {
    expect(await put({ ACL: "private", StorageClass: "STANDARD" })).toBe("no error");
    expect(await put({ ACL: "bucket-owner-full-control" })).toBe("no error");
    const command = new CreateBucketCommand({
      Bucket: "plain-bucket",
      ObjectOwnership: "BucketOwnerEnforced",
    });
    expect(await errorOf(command)).toBe("no error");
  });

  test("a presigned address carries them in its query", async ({ expect }) => {
    const address = (more: object) =>
      getSignedUrl(server().client(), new PutObjectCommand({ Bucket, Key: "signed.txt", ...more }));
    const refusal = await fetch(await address({ ACL: "public-read" }), { method: "PUT", body: "" });
    expect([refusal.status, await refusal.text()]).toEqual([501, expect.stringContaining("x-amz-acl")]);
    const reply = await fetch(await address({ Metadata: { colour: "blue" } }), { method: "PUT", body: "" });
    expect(reply.status).toBe(200);
    const head = await send(new HeadObjectCommand({ Bucket, Key: "signed.txt" }));
    expect(head.Metadata).toEqual({ colour: "blue" });
  });

  test("a version other than null is refused", async ({ expect }) => {
    await put();
    const get = (VersionId: string) => send(new GetObjectCommand({ Bucket, Key, VersionId }));
    expect(await codeOf(get("null"))).toBe("no error");
    expect(await codeOf(get("3sL4kqtJlcpXroDTDmJ"))).toBe("InvalidArgument");
    const remove = new DeleteObjectCommand({ Bucket, Key, VersionId: "3sL4kqtJlcpXroDTDmJ" });
    expect([await errorOf(remove), await exists()]).toEqual(["InvalidArgument", true]);
  });
});

test.for([
  ["000000000000", "no error"],
  ["111122223333", "AccessDenied"],
  ["emulator", "InvalidBucketOwnerAWSAccountID"],
] as const)("x-amz-expected-bucket-owner: %s is %s", async ([ExpectedBucketOwner, code], { expect }) => {
  await put();
  const listing = new ListObjectsV2Command({ Bucket, ExpectedBucketOwner });
  const copy = new CopyObjectCommand({
    Bucket,
    Key: "copy.txt",
    CopySource: `${Bucket}/${Key}`,
    ExpectedSourceBucketOwner: ExpectedBucketOwner,
  });
  expect(await errorOf(listing)).toBe(code);
  expect(await errorOf(copy)).toBe(code);
});

describe("a deletion with a condition", () => {
  const wrong = [
    { ETag: '"wrong"' },
    { Size: 6 },
    { LastModifiedTime: new Date(NOW + 1000) },
    { ETag: ETAG, Size: 6 },
  ] as const;
  const right = [
    { ETag: ETAG },
    { ETag: ETAG.replaceAll('"', "") },
    { ETag: "*" },
    { Size: 5 },
    { LastModifiedTime: new Date(NOW) },
    { ETag: ETAG, Size: 5, LastModifiedTime: new Date(NOW) },
  ] as const;
  const removeAll = (condition: object, Quiet = false) =>
    send(
      new DeleteObjectsCommand({
        Bucket,
        Delete: { Objects: [{ Key, ...condition }, { Key: "other" }], Quiet },
      }),
    );
  const remove = (condition: { ETag?: string; Size?: number; LastModifiedTime?: Date }) => {
    const { ETag: IfMatch, Size: IfMatchSize, LastModifiedTime: IfMatchLastModifiedTime } = condition;
    const wishes = { IfMatch, IfMatchSize, IfMatchLastModifiedTime };
    return errorOf(new DeleteObjectCommand({ Bucket, Key, ...wishes } as never));
  };

  test.for(wrong)("%o does not hold, so the object stays", async (condition, { expect }) => {
    await put();
    const reply = await removeAll(condition);
    expect(reply.Errors).toMatchObject([{ Key, Code: "PreconditionFailed" }]);
    expect(reply.Deleted).toMatchObject([{ Key: "other" }]);
    expect((await removeAll(condition, true)).Errors).toHaveLength(1);
    expect(await remove(condition)).toBe("PreconditionFailed");
    expect(await exists()).toBe(true);
  });

  test.for(right)("%o holds", async (condition, { expect }) => {
    await put();
    expect((await removeAll(condition)).Errors).toBeUndefined();
    expect(await exists()).toBe(false);
    await put();
    expect([await remove(condition), await exists()]).toEqual(["no error", false]);
  });

  test.for(wrong)("%o succeeds for an object that no longer exists", async (condition, { expect }) => {
    await send(new DeleteObjectCommand({ Bucket, Key }));
    expect(await remove(condition)).toBe("no error");
    expect((await removeAll(condition)).Errors).toBeUndefined();
  });

  test("that cannot be read is refused, and nothing is deleted", async ({ expect }) => {
    await put();
    for (const [name, value] of [
      ["x-amz-if-match-size", "five"],
      ["x-amz-if-match-last-modified-time", "soon"],
    ] as const)
      expect(
        (
          await sendSigned(server(), {
            method: "DELETE",
            path: `/${Bucket}/${Key}`,
            headers: { [name]: value },
          })
        ).status,
      ).toBe(400);
    expect(await exists()).toBe(true);
  });
});

describe("headers are returned unchanged", () => {
  test("metadata in UTF-8", async ({ expect }) => {
    const path = `/${Bucket}/utf8.txt`;
    const value = "Grüße, 日本";
    await sendSigned(server(), { method: "PUT", path, headers: { "x-amz-meta-greeting": value } });
    const { headers } = await sendSigned(server(), { method: "GET", path });
    expect(Buffer.from(String(headers["x-amz-meta-greeting"]), "latin1").toString()).toBe(value);
  });

  test.for([
    ["deflate, gzip", "deflate, gzip"],
    ["gzip,aws-chunked", "gzip"],
    ["aws-chunked, gzip", "gzip"],
    ["aws-chunked", undefined],
  ] as const)("Content-Encoding %s is kept as %s", async ([value, expected], { expect }) => {
    const path = `/${Bucket}/encoded.txt`;
    await sendSigned(server(), { method: "PUT", path, headers: { "content-encoding": value } });
    const { headers } = await sendSigned(server(), { method: "HEAD", path });
    expect(headers["content-encoding"]).toBe(expected);
  });

  test("an expectation that HTTP does not know is passed over", async ({ expect }) => {
    const path = `/${Bucket}/expected.txt`;
    const { status } = await sendSigned(server(), { method: "PUT", path, headers: { expect: "200" } });
    expect(status).toBe(200);
  });
});
