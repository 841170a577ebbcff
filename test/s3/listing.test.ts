import {
  ListObjectsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { test } from "vitest";
import { serverOfFile } from "./server-of-file.ts";

const Bucket = "traces";
const KEYS = ["a", "a/1", "a/2", "a/b/1", "b", "b/1", "c&<", "c/1", "é", "z/"];

const { send, errorOf } = serverOfFile(async (send) => {
  for (const Key of KEYS) await send(new PutObjectCommand({ Bucket, Key, Body: Key }));
});

async function pages(more: object): Promise<ListObjectsV2CommandOutput[]> {
  const results: ListObjectsV2CommandOutput[] = [];
  let ContinuationToken: string | undefined;
  do {
    const page = await send(new ListObjectsV2Command({ Bucket, ContinuationToken, ...more }));
    results.push(page);
    if (results.length > KEYS.length) throw new Error("The listing does not end.");
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return results;
}

test("pages of one, rolled up, name everything once", async ({ expect }) => {
  const results = await pages({ Delimiter: "/", MaxKeys: 1 });
  const names = results.flatMap((page) => [
    ...(page.Contents ?? []).map(({ Key }) => Key),
    ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
  ]);
  expect(names).toEqual(["a", "a/", "b", "b/", "c&<", "c/", "z/", "é"]);
  expect(results.map((page) => page.KeyCount)).toEqual(names.map(() => 1));
});

test("version 1 continues from its marker", async ({ expect }) => {
  const names: (string | undefined)[] = [];
  let Marker: string | undefined;
  do {
    const page = await send(new ListObjectsCommand({ Bucket, Delimiter: "/", MaxKeys: 3, Marker }));
    names.push(...(page.Contents ?? []).map(({ Key }) => Key));
    names.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix));
    if (names.length > KEYS.length) throw new Error("The listing does not end.");
    Marker = page.IsTruncated ? page.NextMarker : undefined;
  } while (Marker !== undefined);
  expect(names.sort()).toEqual(["a", "a/", "b", "b/", "c&<", "c/", "z/", "é"]);
});

test("prefix, start-after, owner and encoding are kept to", async ({ expect }) => {
  const [page] = await pages({ Prefix: "a/", StartAfter: "a/1", FetchOwner: true });
  expect(page?.Contents?.map(({ Key, Owner }) => [Key, Owner?.ID])).toEqual([
    ["a/2", "emulator"],
    ["a/b/1", "emulator"],
  ]);
  const [encoded] = await pages({ Prefix: "c", EncodingType: "url" });
  expect(encoded?.Contents?.map(({ Key }) => Key)).toEqual(["c%26%3C", "c/1"]);
  const [none] = await pages({ MaxKeys: 0 });
  expect([none?.KeyCount, none?.IsTruncated]).toEqual([0, false]);
});

test("nonsense in a listing's parameters is refused", async ({ expect }) => {
  const list = (more: object) => errorOf(new ListObjectsV2Command({ Bucket, ...more }));
  expect(await list({ MaxKeys: -1 })).toBe("InvalidArgument");
  expect(await list({ ContinuationToken: "nonsense" })).toBe("InvalidArgument");
  expect(await list({ EncodingType: "base64" })).toBe("InvalidArgument");
});

test("the versions of an unversioned bucket are its objects, each with the version null", async ({
  expect,
}) => {
  const all = await send(new ListObjectVersionsCommand({ Bucket }));
  const plain = await send(new ListObjectsV2Command({ Bucket }));
  expect(all.Versions?.map(({ Key }) => Key)).toEqual(plain.Contents?.map(({ Key }) => Key));
  expect(all.Versions?.every(({ VersionId, IsLatest }) => VersionId === "null" && IsLatest)).toBe(true);
  expect(all.DeleteMarkers).toBeUndefined();
  const names: (string | undefined)[] = [];
  let marks: { KeyMarker?: string; VersionIdMarker?: string } = {};
  for (;;) {
    const page = await send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 1, ...marks }));
    names.push(...(page.Versions ?? []).map(({ Key }) => Key));
    if (!page.IsTruncated || names.length > KEYS.length) break;
    marks = { KeyMarker: page.NextKeyMarker ?? "", VersionIdMarker: page.NextVersionIdMarker ?? "" };
  }
  expect(names).toEqual(all.Versions?.map(({ Key }) => Key));
  expect(await errorOf(new ListObjectVersionsCommand({ Bucket, VersionIdMarker: "null" }))).toBe(
    "InvalidArgument",
  );
});
