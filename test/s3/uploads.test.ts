import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { describe, test } from "vitest";
import { createDigest } from "../../emulator/s3/checksums.ts";
import { saveFinished } from "../../emulator/subjects/object-storage/finished-uploads.ts";
import { s3FinishedUploads, s3Parts } from "../../emulator/subjects/object-storage/records.ts";
import { codeOf } from "./harness.ts";
import { serverOfFile } from "./server-of-file.ts";
import { type RequestParts, sendSigned } from "./signed-request.ts";

const Bucket = "traces";
const MIB = 1024 * 1024;

const { server, send, errorOf } = serverOfFile();

async function begin(Key: string, more = {}): Promise<string> {
  const { UploadId } = await send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
  return UploadId as string;
}

function part(Key: string, UploadId: string, PartNumber: number, Body: Buffer, more = {}) {
  return send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...more }));
}

function complete(Key: string, UploadId: string, Parts: object[]) {
  const MultipartUpload = { Parts };
  return send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
}

test("lib-storage uploads a stream in parts, and it comes back whole", async ({ expect }) => {
  const body = Buffer.alloc(13 * MIB, "0123456789abcdef");
  const pieces = Array.from({ length: 13 }, (_, i) => body.subarray(i * MIB, (i + 1) * MIB));
  const params = { Bucket, Key: "multi/large.bin", Body: Readable.from(pieces), ContentType: "x/y" };
  const done = await new Upload({ client: server().client(), params, partSize: 5 * MIB }).done();
  expect(done.ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
  expect(done.ChecksumCRC32).toMatch(/^.{8}-3$/);
  const got = await send(new GetObjectCommand({ Bucket, Key: "multi/large.bin" }));
  expect(body.equals((await got.Body?.transformToByteArray()) as Uint8Array)).toBe(true);
  expect(got.ContentType).toBe("x/y");
  expect(server().strayBodies()).toEqual([]);
  expect([...server().world.reader.list(s3Parts)]).toEqual([]);
});

test("parts may come in any order and again; the list decides", async ({ expect }) => {
  const id = await begin("order.bin");
  const second = await part("order.bin", id, 2, Buffer.from("end"));
  await part("order.bin", id, 1, Buffer.alloc(5 * MIB, 1));
  const first = await part("order.bin", id, 1, Buffer.alloc(5 * MIB, 2));
  const list = await send(new ListPartsCommand({ Bucket, Key: "order.bin", UploadId: id }));
  expect(list.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
    [1, 5 * MIB],
    [2, 3],
  ]);
  expect(server().strayBodies()).toEqual([]);
  const paged = new ListPartsCommand({ Bucket, Key: "order.bin", UploadId: id, MaxParts: 1 });
  expect((await send(paged)).NextPartNumberMarker).toBe("1");
  const one = { PartNumber: 1, ETag: first.ETag };
  const two = { PartNumber: 2, ETag: second.ETag };
  expect(await codeOf(complete("order.bin", id, [two, one]))).toBe("InvalidPartOrder");
  expect(await codeOf(complete("order.bin", id, [one, { PartNumber: 3, ETag: second.ETag }]))).toBe(
    "InvalidPart",
  );
  expect(await codeOf(complete("order.bin", id, [{ PartNumber: 1, ETag: second.ETag }]))).toBe("InvalidPart");
  expect(await codeOf(complete("order.bin", id, []))).toBe("MalformedXML");
  expect(await codeOf(complete("other.bin", id, [one]))).toBe("NoSuchUpload");
  await complete("order.bin", id, [one, two]);
  const head = await send(new HeadObjectCommand({ Bucket, Key: "order.bin" }));
  expect(head.ContentLength).toBe(5 * MIB + 3);
});

test("all parts but the last need 5 MiB", async ({ expect }) => {
  const id = await begin("small.bin");
  const one = await part("small.bin", id, 1, Buffer.from("small"));
  const two = await part("small.bin", id, 2, Buffer.from("small"));
  const parts = [one, two].map(({ ETag }, index) => ({ ETag, PartNumber: index + 1 }));
  expect(await codeOf(complete("small.bin", id, parts))).toBe("EntityTooSmall");
});

test("an aborted upload leaves nothing, and its parts are refused", async ({ expect }) => {
  const id = await begin("aborted.bin");
  await part("aborted.bin", id, 1, Buffer.alloc(1000));
  const open = await send(new ListMultipartUploadsCommand({ Bucket, Prefix: "aborted" }));
  expect(open.Uploads?.map(({ UploadId }) => UploadId)).toEqual([id]);
  await send(new AbortMultipartUploadCommand({ Bucket, Key: "aborted.bin", UploadId: id }));
  expect(server().strayBodies()).toEqual([]);
  expect(await codeOf(part("aborted.bin", id, 2, Buffer.alloc(10)))).toBe("NoSuchUpload");
  const again = new AbortMultipartUploadCommand({ Bucket, Key: "aborted.bin", UploadId: id });
  expect(await errorOf(again)).toBe("NoSuchUpload");
  const left = await send(new ListMultipartUploadsCommand({ Bucket, Prefix: "aborted" }));
  expect(left.Uploads ?? []).toEqual([]);
});

test("a part can be copied from an object, or from a range of it", async ({ expect }) => {
  await send(new PutObjectCommand({ Bucket, Key: "part-source.txt", Body: "0123456789" }));
  const id = await begin("part-copy.txt");
  const source = {
    Bucket,
    Key: "part-copy.txt",
    UploadId: id,
    PartNumber: 1,
    CopySource: `${Bucket}/part-source.txt`,
  };
  const outside = new UploadPartCopyCommand({ ...source, CopySourceRange: "bytes=20-30" });
  expect(await errorOf(outside)).toBe("InvalidRange");
  const copied = await send(new UploadPartCopyCommand({ ...source, CopySourceRange: "bytes=2-5" }));
  await complete("part-copy.txt", id, [{ PartNumber: 1, ETag: copied.CopyPartResult?.ETag }]);
  const got = await send(new GetObjectCommand({ Bucket, Key: "part-copy.txt" }));
  expect(await got.Body?.transformToString()).toBe("2345");
});

test("part numbers outside 1 to 10000 are refused", async ({ expect }) => {
  const id = await begin("numbers.bin");
  expect(await codeOf(part("numbers.bin", id, 10_001, Buffer.from("x")))).toBe("InvalidArgument");
  expect(await codeOf(part("numbers.bin", id, 0, Buffer.from("x")))).toBe("InvalidArgument");
  expect(server().defects).toEqual([]);
});

/** An upload of two parts of 5 MiB and 3 bytes. */
async function uploadTwoParts(Key: string, more = {}) {
  const id = await begin(Key, more);
  const bodies = [Buffer.alloc(5 * MIB, "a"), Buffer.from("end")];
  const parts: object[] = [];
  for (const [index, body] of bodies.entries()) {
    const { ETag, ChecksumSHA256 } = await part(Key, id, index + 1, body, more);
    parts.push({ PartNumber: index + 1, ETag, ...("ChecksumAlgorithm" in more && { ChecksumSHA256 }) });
  }
  return { id, parts };
}

const numberElement = (text: string) => `<PartNumber>${text}</PartNumber>`;

test("a part that is named with another checksum, or without a number, completes nothing", async ({
  expect,
}) => {
  const Key = "named.bin";
  const { id, parts } = await uploadTwoParts(Key, { ChecksumAlgorithm: "SHA256" });
  const other = { ...parts[1], ChecksumSHA256: sha256("other") };
  expect(await codeOf(complete(Key, id, [parts[0] as object, other]))).toBe("InvalidPart");
  for (const number of ["", "<PartNumber/>", ...[" ", "one", "1e0", "0x1", "-1"].map(numberElement)]) {
    const body = `<CompleteMultipartUpload><Part>${number}<ETag>x</ETag></Part></CompleteMultipartUpload>`;
    const request = { method: "POST", path: `/${Bucket}/${Key}`, query: { uploadId: id }, body };
    const { status, text } = await sendSigned(server(), request);
    expect([number, status, text]).toEqual([
      number,
      400,
      expect.stringContaining("<Code>MalformedXML</Code>"),
    ]);
  }
  expect(await codeOf(complete(Key, id, parts))).toBe("no error");
});

describe("the checksums of an upload", () => {
  const ALGORITHMS = ["crc32", "crc32c", "crc64nvme", "sha1", "sha256"] as const;
  const Key = "checksums.bin";
  const initiate = (headers: Record<string, string>) =>
    sendSigned(server(), { method: "POST", path: `/${Bucket}/${Key}`, query: { uploads: "" }, headers });
  const start = async (algorithm: string, type: string) =>
    /<UploadId>(.*)<.UploadId>/.exec(
      (await initiate({ "x-amz-checksum-algorithm": algorithm, "x-amz-checksum-type": type })).text,
    )?.[1] ?? "";
  const headerOf = (algorithm: (typeof ALGORITHMS)[number], text: string) => {
    const digest = createDigest(algorithm);
    digest.update(Buffer.from(text));
    return { [`x-amz-checksum-${algorithm}`]: digest.digest().toString("base64") };
  };
  /** The status of a part with these headers, and its message. */
  const upload = async (uploadId: string, headers: Record<string, string>) => {
    const query = { partNumber: "1", uploadId };
    const path = `/${Bucket}/${Key}`;
    const { status, text } = await sendSigned(server(), {
      method: "PUT",
      path,
      query,
      headers,
      body: "part",
    });
    return [status, /<Message>(.*)<.Message>/.exec(text)?.[1]];
  };
  const completeWith = (uploadId: string, elements: string, headers: Record<string, string> = {}) =>
    sendSigned(server(), {
      method: "POST",
      path: `/${Bucket}/${Key}`,
      query: { uploadId },
      headers,
      body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>${elements}</Part></CompleteMultipartUpload>`,
    });
  const ETAG = `<ETag>${createHash("md5").update("part").digest("hex")}</ETag>`;

  test.for(
    ALGORITHMS.flatMap((name) =>
      (["COMPOSITE", "FULL_OBJECT"] as const).map((type) => [name, type] as const),
    ),
  )("%s as %s", async ([algorithm, type], { expect }) => {
    const refusedType = {
      crc32: "",
      crc32c: "",
      crc64nvme: "COMPOSITE",
      sha1: "FULL_OBJECT",
      sha256: "FULL_OBJECT",
    };
    const headers = { "x-amz-checksum-algorithm": algorithm, "x-amz-checksum-type": type };
    const { status, text } = await initiate(headers);
    if (type === refusedType[algorithm]) {
      expect([status, text]).toEqual([400, expect.stringContaining("<Code>InvalidRequest</Code>")]);
      return;
    }
    const id = await start(algorithm, type);
    const isComposite = type === "COMPOSITE";
    const other = algorithm === "sha1" ? "sha256" : "sha1";
    const mismatch = (actual: string) =>
      `Checksum Type mismatch occurred, expected checksum Type: ${algorithm}, actual checksum Type: ${actual}`;
    expect(await upload(id, headerOf(other, "part"))).toEqual([400, mismatch(other)]);
    expect(await upload(id, {})).toEqual(isComposite ? [400, mismatch("null")] : [200, undefined]);
    const checksum = headerOf(algorithm, "part");
    expect(await upload(id, checksum)).toEqual([200, undefined]);
    const element = `Checksum${algorithm.toUpperCase()}`;
    const elements = `${ETAG}<${element}>${Object.values(checksum)[0]}</${element}>`;
    const otherMode = { "x-amz-checksum-type": isComposite ? "FULL_OBJECT" : "COMPOSITE" };
    expect((await completeWith(id, elements, otherMode)).text).toContain("InvalidRequest");
    if (isComposite) {
      const refusal = await completeWith(id, ETAG);
      expect([refusal.status, refusal.text]).toEqual([
        400,
        expect.stringMatching(/InvalidRequest.*It was missing for part 1 in the request/s),
      ]);
    }
    expect((await completeWith(id, isComposite ? elements : ETAG)).status).toBe(200);
  });

  test("a type without an algorithm is refused", async ({ expect }) => {
    expect((await initiate({ "x-amz-checksum-type": "COMPOSITE" })).text).toContain("InvalidRequest");
  });

  test("a copied part has one, which the reply names", async ({ expect }) => {
    await send(new PutObjectCommand({ Bucket, Key: "copied source.txt", Body: "part" }));
    const UploadId = await start("sha256", "COMPOSITE");
    const CopySource = `${Bucket}/copied+source.txt`;
    const copied = await send(
      new UploadPartCopyCommand({ Bucket, Key, UploadId, PartNumber: 1, CopySource }),
    );
    expect(copied.CopyPartResult?.ChecksumSHA256).toBe(sha256("part"));
    const { ETag, ChecksumSHA256 } = copied.CopyPartResult ?? {};
    const done = await complete(Key, UploadId, [{ PartNumber: 1, ETag, ChecksumSHA256 }]);
    expect(done.ChecksumSHA256).toMatch(/-1$/);
  });
});

test.for(["1e1", "0x10", "-1", " 1", "1.0", "2147483648"])(
  "counts and numbers of lists are decimal integers of 31 bits, so %s is refused",
  async (value, { expect }) => {
    const uploadId = await begin("lists.bin");
    const path = `/${Bucket}/lists.bin`;
    const query = { uploadId };
    const requests: readonly RequestParts[] = [
      { method: "GET", path: `/${Bucket}`, query: { "max-keys": value } },
      { method: "GET", path: `/${Bucket}`, query: { uploads: "", "max-uploads": value } },
      { method: "GET", path, query: { ...query, "max-parts": value } },
      { method: "GET", path, query: { ...query, "part-number-marker": value } },
      { method: "PUT", path, query: { ...query, partNumber: value } },
      { method: "GET", path: "/", query: { "max-buckets": value } },
    ];
    for (const request of requests) {
      const { status, text } = await sendSigned(server(), request);
      expect([request, status, text]).toEqual([request, 400, expect.stringContaining("InvalidArgument")]);
    }
  },
);

test("the uploads of a bucket go with it, and a new one of its name has none", async ({ expect }) => {
  const own = { Bucket: "gone-bucket", Key: "k" };
  await send(new CreateBucketCommand({ Bucket: own.Bucket }));
  const { UploadId } = await send(new CreateMultipartUploadCommand(own));
  const part = new UploadPartCommand({ ...own, UploadId, PartNumber: 1, Body: "x" });
  await send(part);
  await send(new DeleteBucketCommand({ Bucket: own.Bucket }));
  await send(new CreateBucketCommand({ Bucket: own.Bucket }));
  const { Uploads = [] } = await send(new ListMultipartUploadsCommand({ Bucket: own.Bucket }));
  expect([Uploads, await errorOf(part)]).toEqual([[], "NoSuchUpload"]);
  expect(server().strayBodies()).toEqual([]);
});

test("completing an upload again answers as the first time, even when the object is gone", async ({
  expect,
}) => {
  const Key = "again.bin";
  const { id, parts } = await uploadTwoParts(Key);
  const { $metadata: _first, ...first } = await complete(Key, id, parts);
  const { $metadata: _again, ...again } = await complete(Key, id, parts);
  expect(again).toEqual(first);
  expect(await codeOf(complete(Key, id, parts.slice(0, 1)))).toBe("InvalidPart");
  expect(await codeOf(complete("other.bin", id, parts))).toBe("NoSuchUpload");
  await send(new DeleteObjectCommand({ Bucket, Key }));
  expect(await codeOf(complete(Key, id, parts))).toBe("no error");
  expect(await errorOf(new HeadObjectCommand({ Bucket, Key }))).toBe("NotFound");
});

test("of completed uploads the last thousand are known, and none of a bucket that is gone", async ({
  expect,
}) => {
  const own = { Bucket: "short-lived", Key: "k" };
  await send(new CreateBucketCommand({ Bucket: own.Bucket }));
  const { UploadId } = await send(new CreateMultipartUploadCommand(own));
  const { ETag } = await send(new UploadPartCommand({ ...own, UploadId, PartNumber: 1, Body: "x" }));
  const again = () =>
    errorOf(
      new CompleteMultipartUploadCommand({
        ...own,
        UploadId,
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
      }),
    );
  expect([await again(), await again()]).toEqual(["no error", "no error"]);
  const object = { ...own, bucket: Bucket, etag: "e", checksums: {}, checksum_type: "FULL_OBJECT" } as const;
  const resource = {
    ...object,
    key: "k",
    content_type: "x/y",
    headers: {},
    metadata: {},
    file: "f",
    sum: 0,
    size: 0,
    last_modified: 0,
  };
  server().control((turn) => {
    for (let count = 0; count < 1000; count += 1) saveFinished(turn, `upload-${count}`, resource);
  });
  expect(server().world.reader.count(s3FinishedUploads)).toBe(1000);
  expect(await again()).toBe("NoSuchUpload");
  server().control((turn) => saveFinished(turn, UploadId ?? "", { ...resource, bucket: own.Bucket }));
  await send(new DeleteObjectCommand(own));
  await send(new DeleteBucketCommand({ Bucket: own.Bucket }));
  await send(new CreateBucketCommand({ Bucket: own.Bucket }));
  expect(await again()).toBe("NoSuchUpload");
});

test("partNumber reads one part, with how many there are", async ({ expect }) => {
  const Key = "by-part.bin";
  const { id, parts } = await uploadTwoParts(Key);
  const { ETag } = await complete(Key, id, parts);
  const last = await send(new GetObjectCommand({ Bucket, Key, PartNumber: 2 }));
  expect(await last.Body?.transformToString()).toBe("end");
  const range = `bytes ${5 * MIB}-${5 * MIB + 2}/${5 * MIB + 3}`;
  expect(last).toMatchObject({ PartsCount: 2, ContentLength: 3, ContentRange: range, ETag });
  const head = await send(new HeadObjectCommand({ Bucket, Key, PartNumber: 1 }));
  expect(head).toMatchObject({ PartsCount: 2, ContentLength: 5 * MIB, ETag });
  expect(head.$metadata.httpStatusCode).toBe(206);
  const read = (more: object) => errorOf(new GetObjectCommand({ Bucket, Key, ...more }));
  expect(await read({ PartNumber: 3 })).toBe("InvalidPartNumber");
  expect(await read({ PartNumber: 0 })).toBe("InvalidArgument");
  expect(await read({ PartNumber: 1, Range: "bytes=0-1" })).toBe("InvalidRequest");
});

test("an object that was not uploaded in parts is one part", async ({ expect }) => {
  const Key = "one-part.txt";
  await send(new PutObjectCommand({ Bucket, Key, Body: "whole" }));
  const first = await send(new GetObjectCommand({ Bucket, Key, PartNumber: 1 }));
  expect([await first.Body?.transformToString(), first.PartsCount]).toEqual(["whole", undefined]);
  const second = new GetObjectCommand({ Bucket, Key, PartNumber: 2 });
  expect(await errorOf(second)).toBe("InvalidPartNumber");
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64");

describe("GetObjectAttributes", () => {
  const ALL = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"] as const;
  const attributes = (Key: string, more: object = {}) =>
    send(new GetObjectAttributesCommand({ Bucket, Key, ObjectAttributes: [...ALL], ...more }));

  test("of parts with checksums are paged", async ({ expect }) => {
    const Key = "attributes.bin";
    const { id, parts } = await uploadTwoParts(Key, { ChecksumAlgorithm: "SHA256" });
    const { ETag, ChecksumSHA256 } = await complete(Key, id, parts);
    const all = await attributes(Key);
    expect(all).toMatchObject({
      ETag: ETag?.replaceAll('"', ""),
      ObjectSize: 5 * MIB + 3,
      StorageClass: "STANDARD",
      Checksum: { ChecksumSHA256, ChecksumType: "COMPOSITE" },
      ObjectParts: { TotalPartsCount: 2, IsTruncated: false, NextPartNumberMarker: "2" },
    });
    const [one, two] = all.ObjectParts?.Parts ?? [];
    expect(one).toMatchObject({ PartNumber: 1, Size: 5 * MIB });
    expect(two).toEqual({ PartNumber: 2, Size: 3, ChecksumSHA256: sha256("end") });
    const read = new GetObjectCommand({ Bucket, Key, PartNumber: 2, ChecksumMode: "ENABLED" });
    const { ChecksumSHA256: ofPart, ChecksumType } = await send(read);
    expect([ofPart, ChecksumType]).toEqual([sha256("end"), "COMPOSITE"]);
    const first = (await attributes(Key, { MaxParts: 1 })).ObjectParts;
    expect(first).toMatchObject({ IsTruncated: true, NextPartNumberMarker: "1", Parts: [{ PartNumber: 1 }] });
    const next = (await attributes(Key, { MaxParts: 1, PartNumberMarker: "1" })).ObjectParts;
    expect(next).toMatchObject({ IsTruncated: false, PartNumberMarker: "1", Parts: [{ PartNumber: 2 }] });
  });

  test("of parts without checksums are counted, and of a plain object left out", async ({ expect }) => {
    const { id, parts } = await uploadTwoParts("uncounted.bin");
    await complete("uncounted.bin", id, parts);
    const { ObjectParts } = await attributes("uncounted.bin");
    expect(ObjectParts?.TotalPartsCount).toBe(2);
    await send(new PutObjectCommand({ Bucket, Key: "plain.txt", Body: "plain" }));
    const plain = await attributes("plain.txt");
    expect(plain).toMatchObject({ ObjectSize: 5, Checksum: { ChecksumType: "FULL_OBJECT" } });
    expect(plain.ObjectParts).toBeUndefined();
    expect((await attributes("plain.txt", { ObjectAttributes: ["ObjectSize"] })).ETag).toBeUndefined();
  });

  test("that do not exist are refused", async ({ expect }) => {
    expect(await codeOf(attributes("plain.txt", { ObjectAttributes: ["Colour"] }))).toBe("InvalidArgument");
    expect(await codeOf(attributes("uncounted.bin", { PartNumberMarker: "x" }))).toBe("InvalidArgument");
    expect(await codeOf(attributes("not-there"))).toBe("NoSuchKey");
  });
});

test.for([
  ["bytes=0-21", "InvalidRange"],
  ["bytes=5-5", "InvalidRange"],
  ["bytes=3-2", "InvalidRange"],
  ["bytes=0-", "InvalidArgument"],
  ["0-2", "InvalidArgument"],
  ["bytes=0-2,3-4", "InvalidArgument"],
  ["bytes=0-4", "no error"],
] as const)(
  "a part copied from %s of a source of 5 bytes: %s",
  async ([CopySourceRange, code], { expect }) => {
    await send(new PutObjectCommand({ Bucket, Key: "source.txt", Body: "12345" }));
    const UploadId = await begin("copied.bin");
    const copy = { Bucket, Key: "copied.bin", UploadId, PartNumber: 1, CopySource: `${Bucket}/source.txt` };
    expect(await errorOf(new UploadPartCopyCommand({ ...copy, CopySourceRange }))).toBe(code);
  },
);
