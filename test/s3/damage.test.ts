import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { poolPath } from "../../emulator/storage/pool/pool.ts";
import { type BodyFile, objects, s3Parts } from "../../emulator/subjects/object-storage/records.ts";
import { codeOf, openTestServer, type TestServer } from "./harness.ts";

const Bucket = "traces";

function pathOf({ folder }: TestServer, { file }: BodyFile): string {
  return poolPath(join(folder, "../../.."), file);
}

test("refuses an object with a damaged body, whole or in part, and names its file", async () => {
  const server = await openTestServer();
  const client = server.client();
  await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "body" }));
  const get = (Range?: string) => client.send(new GetObjectCommand({ Bucket, Key: "k", Range }));
  expect(await (await get()).Body?.transformToString()).toBe("body");
  const [object] = server.world.reader.list(objects);
  const path = pathOf(server, object as BodyFile);
  const whole = readFileSync(path);
  const damages = [
    () => writeFileSync(path, "bodY"),
    () => writeFileSync(path, ""),
    () => appendFileSync(path, "body!"),
    () => rmSync(path),
  ];
  for (const damage of damages) {
    damage();
    for (const Range of [undefined, "bytes=0-1"])
      await expect(get(Range)).rejects.toMatchObject({
        name: "InvalidObjectState",
        message: expect.stringContaining(path),
        $metadata: { httpStatusCode: 403 },
      });
    const copy = new CopyObjectCommand({ Bucket, Key: "copy", CopySource: `${Bucket}/k` });
    expect(await codeOf(client.send(copy))).toBe("InvalidObjectState");
  }
  writeFileSync(path, whole);
  expect(await (await get("bytes=1-2")).Body?.transformToString()).toBe("od");
  expect(server.defects).toEqual([]);
  await server.close();
});

test("keeps an upload with a damaged part, and creates no object from it", async () => {
  const server = await openTestServer();
  const client = server.client();
  const own = { Bucket, Key: "large" };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(own));
  const { ETag } = await client.send(
    new UploadPartCommand({ ...own, UploadId, PartNumber: 1, Body: "part" }),
  );
  const complete = () =>
    client.send(
      new CompleteMultipartUploadCommand({
        ...own,
        UploadId,
        MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] },
      }),
    );
  const [part] = server.world.reader.list(s3Parts);
  const path = pathOf(server, part as BodyFile);
  writeFileSync(path, "parT");
  expect(await codeOf(complete())).toBe("InvalidObjectState");
  writeFileSync(path, "part");
  await complete();
  expect(server.world.reader.count(objects, Bucket)).toBe(1);
  expect(server.defects).toEqual([]);
  await server.close();
});
