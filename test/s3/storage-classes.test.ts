import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { describe, test } from "vitest";
import { serverOfFile } from "./server-of-file.ts";

const Bucket = "traces";
const ENCRYPTED = { ServerSideEncryption: "AES256" } as const;
const CLASSES = [
  "REDUCED_REDUNDANCY",
  "STANDARD_IA",
  "ONEZONE_IA",
  "INTELLIGENT_TIERING",
  "GLACIER_IR",
] as const;

const { send, errorOf } = serverOfFile();

const head = (Key: string) => send(new HeadObjectCommand({ Bucket, Key }));
const get = (Key: string) => new GetObjectCommand({ Bucket, Key });

async function listedClass(Key: string) {
  const { Contents = [] } = await send(new ListObjectsV2Command({ Bucket, Prefix: Key }));
  return Contents[0]?.StorageClass;
}

test.for([
  ["that requests AES256", ENCRYPTED],
  ["without a wish, as S3 encrypts it too", {}],
] as const)("an object %s is reported as encrypted with AES256", async ([Key, wish], { expect }) => {
  expect(await send(new PutObjectCommand({ Bucket, Key, Body: "hello", ...wish }))).toMatchObject(ENCRYPTED);
  expect(await head(Key)).toMatchObject(ENCRYPTED);
  expect(await send(get(Key))).toMatchObject(ENCRYPTED);
  const copy = { Bucket, Key: `${Key} 2`, CopySource: encodeURI(`${Bucket}/${Key}`), ...wish };
  expect(await send(new CopyObjectCommand(copy))).toMatchObject(ENCRYPTED);
});

describe("a storage class", () => {
  test.for(CLASSES)("%s is reported by every reply that S3 has it in", async (StorageClass, { expect }) => {
    const Key = `put-${StorageClass}`;
    await send(new PutObjectCommand({ Bucket, Key, Body: "hello", StorageClass }));
    expect(await head(Key)).toMatchObject({ StorageClass });
    expect(await send(get(Key))).toMatchObject({ StorageClass });
    expect(await listedClass(Key)).toBe(StorageClass);
    const attributes = { Bucket, Key, ObjectAttributes: ["StorageClass" as const] };
    expect(await send(new GetObjectAttributesCommand(attributes))).toMatchObject({ StorageClass });
  });

  test("STANDARD has no header, but is listed", async ({ expect }) => {
    await send(new PutObjectCommand({ Bucket, Key: "plain", Body: "hello", StorageClass: "STANDARD" }));
    expect((await head("plain")).StorageClass).toBeUndefined();
    expect(await listedClass("plain")).toBe("STANDARD");
  });

  test("of a multipart upload is that of its object, and its parts are encrypted", async ({ expect }) => {
    const [Key, StorageClass] = ["parts", "STANDARD_IA"] as const;
    await send(new PutObjectCommand({ Bucket, Key: "source", Body: "hello" }));
    const begun = await send(new CreateMultipartUploadCommand({ Bucket, Key, StorageClass, ...ENCRYPTED }));
    expect(begun).toMatchObject(ENCRYPTED);
    const part = { Bucket, Key, UploadId: begun.UploadId ?? "", PartNumber: 1 };
    const copied = await send(new UploadPartCopyCommand({ ...part, CopySource: `${Bucket}/source` }));
    expect(copied).toMatchObject(ENCRYPTED);
    const output = await send(new UploadPartCommand({ ...part, Body: "hello" }));
    expect(output).toMatchObject(ENCRYPTED);
    expect(await send(new ListPartsCommand(part))).toMatchObject({ StorageClass });
    const { Uploads = [] } = await send(new ListMultipartUploadsCommand({ Bucket }));
    expect(Uploads).toMatchObject([{ Key, StorageClass }]);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: output.ETag ?? "" }] };
    const done = await send(new CompleteMultipartUploadCommand({ ...part, MultipartUpload }));
    expect(done).toMatchObject(ENCRYPTED);
    expect(await head(Key)).toMatchObject({ StorageClass, ...ENCRYPTED });
  });

  test("of a copy is that of the request, and a change of it lets an object be copied to itself", async ({
    expect,
  }) => {
    await send(new PutObjectCommand({ Bucket, Key: "a", Body: "hello", StorageClass: "GLACIER_IR" }));
    const copy = (Key: string, more = {}) =>
      errorOf(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/a`, ...more }));
    expect(await copy("b")).toBe("no error");
    expect(await listedClass("b")).toBe("STANDARD");
    expect(await copy("a")).toBe("InvalidRequest");
    expect(await copy("a", { StorageClass: "ONEZONE_IA" })).toBe("no error");
    expect(await listedClass("a")).toBe("ONEZONE_IA");
  });

  test.for(["GLACIER", "DEEP_ARCHIVE"] as const)(
    "%s makes an object that cannot be read",
    async (StorageClass, { expect }) => {
      const Key = `archived-${StorageClass}`;
      await send(new PutObjectCommand({ Bucket, Key, Body: "hello", StorageClass }));
      expect(await head(Key)).toMatchObject({ StorageClass, ContentLength: 5 });
      expect(await errorOf(get(Key))).toBe("InvalidObjectState");
      const copy = new CopyObjectCommand({ Bucket, Key: "restored", CopySource: `${Bucket}/${Key}` });
      expect(await errorOf(copy)).toBe("InvalidObjectState");
    },
  );

  test("that S3 does not have is refused, and nothing is stored", async ({ expect }) => {
    const StorageClass = "COLD" as never;
    const put = new PutObjectCommand({ Bucket, Key: "cold", Body: "hello", StorageClass });
    expect(await errorOf(put)).toBe("InvalidStorageClass");
    expect(await errorOf(new HeadObjectCommand({ Bucket, Key: "cold" }))).toBe("NotFound");
  });
});
