import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { afterAll, beforeAll, test } from "vitest";
import { s3Parts } from "../../emulator/subjects/object-storage/records.ts";
import { codeOf, openTestServer, type TestServer } from "./harness.ts";

const Bucket = "traces";
const MIB = 1024 * 1024;
let server: TestServer;

beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

async function begin(Key: string, more = {}): Promise<string> {
  const { UploadId } = await server.client().send(new CreateMultipartUploadCommand({ Bucket, Key, ...more }));
  return UploadId as string;
}

function part(Key: string, UploadId: string, PartNumber: number, Body: Buffer) {
  return server.client().send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
}

function complete(Key: string, UploadId: string, Parts: object[]) {
  const MultipartUpload = { Parts };
  return server.client().send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
}

test("lib-storage uploads a stream in parts, and it comes back whole", async ({ expect }) => {
  const body = Buffer.alloc(13 * MIB, "0123456789abcdef");
  const pieces = Array.from({ length: 13 }, (_, i) => body.subarray(i * MIB, (i + 1) * MIB));
  const params = { Bucket, Key: "multi/large.bin", Body: Readable.from(pieces), ContentType: "x/y" };
  const done = await new Upload({ client: server.client(), params, partSize: 5 * MIB }).done();
  expect(done.ETag).toMatch(/^"[0-9a-f]{32}-3"$/);
  expect(done.ChecksumCRC32).toMatch(/^.{8}-3$/);
  const got = await server.client().send(new GetObjectCommand({ Bucket, Key: "multi/large.bin" }));
  expect(body.equals((await got.Body?.transformToByteArray()) as Uint8Array)).toBe(true);
  expect(got.ContentType).toBe("x/y");
  expect(server.strayBodies()).toEqual([]);
  expect([...server.world.reader.all(s3Parts)]).toEqual([]);
});

test("parts may come in any order and again; the list decides", async ({ expect }) => {
  const id = await begin("order.bin");
  const second = await part("order.bin", id, 2, Buffer.from("end"));
  await part("order.bin", id, 1, Buffer.alloc(5 * MIB, 1));
  const first = await part("order.bin", id, 1, Buffer.alloc(5 * MIB, 2));
  const listed = await server.client().send(new ListPartsCommand({ Bucket, Key: "order.bin", UploadId: id }));
  expect(listed.Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
    [1, 5 * MIB],
    [2, 3],
  ]);
  expect(server.strayBodies()).toEqual([]);
  const paged = new ListPartsCommand({ Bucket, Key: "order.bin", UploadId: id, MaxParts: 1 });
  expect((await server.client().send(paged)).NextPartNumberMarker).toBe("1");
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
  const head = await server.client().send(new HeadObjectCommand({ Bucket, Key: "order.bin" }));
  expect(head.ContentLength).toBe(5 * MIB + 3);
  expect(await codeOf(complete("order.bin", id, [one, two]))).toBe("NoSuchUpload");
});

test("all parts but the last need 5 MiB", async ({ expect }) => {
  const id = await begin("small.bin");
  const one = await part("small.bin", id, 1, Buffer.from("small"));
  const two = await part("small.bin", id, 2, Buffer.from("small"));
  const parts = [one, two].map(({ ETag }, index) => ({ ETag, PartNumber: index + 1 }));
  expect(await codeOf(complete("small.bin", id, parts))).toBe("EntityTooSmall");
});

test("an aborted upload leaves nothing, and its parts are refused", async ({ expect }) => {
  const client = server.client();
  const id = await begin("aborted.bin");
  await part("aborted.bin", id, 1, Buffer.alloc(1000));
  const open = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: "aborted" }));
  expect(open.Uploads?.map(({ UploadId }) => UploadId)).toEqual([id]);
  await client.send(new AbortMultipartUploadCommand({ Bucket, Key: "aborted.bin", UploadId: id }));
  expect(server.strayBodies()).toEqual([]);
  expect(await codeOf(part("aborted.bin", id, 2, Buffer.alloc(10)))).toBe("NoSuchUpload");
  const again = new AbortMultipartUploadCommand({ Bucket, Key: "aborted.bin", UploadId: id });
  expect(await codeOf(client.send(again))).toBe("NoSuchUpload");
  const left = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: "aborted" }));
  expect(left.Uploads ?? []).toEqual([]);
});

test("a part can be copied from an object, or from a range of it", async ({ expect }) => {
  const client = server.client();
  await client.send(new PutObjectCommand({ Bucket, Key: "part-source.txt", Body: "0123456789" }));
  const id = await begin("part-copy.txt");
  const source = {
    Bucket,
    Key: "part-copy.txt",
    UploadId: id,
    PartNumber: 1,
    CopySource: `${Bucket}/part-source.txt`,
  };
  const outside = new UploadPartCopyCommand({ ...source, CopySourceRange: "bytes=20-30" });
  expect(await codeOf(client.send(outside))).toBe("InvalidRange");
  const copied = await client.send(new UploadPartCopyCommand({ ...source, CopySourceRange: "bytes=2-5" }));
  await complete("part-copy.txt", id, [{ PartNumber: 1, ETag: copied.CopyPartResult?.ETag }]);
  const got = await client.send(new GetObjectCommand({ Bucket, Key: "part-copy.txt" }));
  expect(await got.Body?.transformToString()).toBe("2345");
});

test("part numbers outside 1 to 10000 are refused", async ({ expect }) => {
  const id = await begin("numbers.bin");
  expect(await codeOf(part("numbers.bin", id, 10_001, Buffer.from("x")))).toBe("InvalidArgument");
  expect(await codeOf(part("numbers.bin", id, 0, Buffer.from("x")))).toBe("InvalidArgument");
  expect(server.defects).toEqual([]);
});
