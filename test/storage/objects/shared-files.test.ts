import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileOfBody } from "../../../emulator/storage/objects/body-location.ts";
import { poolPath } from "../../../emulator/storage/pool/pool.ts";
import { objectId, objects } from "../../../emulator/subjects/object-storage/records.ts";
import { openTestStore, type TestStore, writeBody, writerOf } from "../../s3/harness.ts";

const sharedBytes = 64 * 1024;
const MEBIBYTE = 1024 * 1024;
const FIRST = "1/bodies/0/1";

const rootOf = ({ folder }: TestStore) => join(folder, "../../..");
const pathIn = (store: TestStore, file: string) => poolPath(rootOf(store), file);
const fileOf = (store: TestStore, key: string) =>
  store.world.reader.get(objects, objectId("traces", key))?.file as string;

/** Small objects that fill more than a file. */
async function fill(store: TestStore): Promise<readonly string[]> {
  const keys = Array.from({ length: 20 }, (_, n) => `${n}.txt`);
  for (const key of keys) await writerOf(store).put(key, Buffer.alloc(60_000, key));
  return keys;
}

describe("small bodies", () => {
  test("share files that are not much larger than a mebibyte, and large ones have their own", async () => {
    const store = openTestStore({ sharedBytes });
    const keys = await fill(store);
    await writerOf(store).put("empty.txt", Buffer.alloc(0));
    await writerOf(store).put("large.txt", Buffer.alloc(sharedBytes, "l"));
    expect(new Set(keys.map((key) => fileOfBody(fileOf(store, key))))).toEqual(
      new Set([FIRST, "1/bodies/0/2"]),
    );
    expect(fileOf(store, "0.txt")).toBe(`${FIRST}@0+60000`);
    expect(fileOf(store, "1.txt")).toBe(`${FIRST}@60000+60000`);
    expect(statSync(pathIn(store, FIRST)).size).toBeLessThan(MEBIBYTE + sharedBytes);
    expect(fileOf(store, "large.txt")).toBe("1/bodies/0/3");
    for (const key of keys) expect(await writerOf(store).get(key)).toEqual(Buffer.alloc(60_000, key));
    expect(await writerOf(store).get("empty.txt")).toEqual(Buffer.alloc(0));
    expect(await writerOf(store).get("large.txt")).toEqual(Buffer.alloc(sharedBytes, "l"));
  });

  test("are shown to people as files of their own, the newest of an object", async () => {
    const store = openTestStore({ sharedBytes });
    for (const text of ["old", "newer"]) await writerOf(store).put("a/b.txt", Buffer.from(text));
    const path = join(store.folder, "traces/a/b.txt");
    expect(readFileSync(path, "utf8")).toBe("newer");
    writeFileSync(path, "of people");
    expect(await writerOf(store).get("a/b.txt")).toEqual(Buffer.from("newer"));
  });

  test("remove a file when none of its bodies is needed, discarded ones included", async () => {
    const store = openTestStore({ sharedBytes });
    const discarded = store.files.stage();
    await writeBody(discarded, Buffer.from("discarded"));
    const [last = "", ...keys] = (await fill(store)).toReversed();
    discarded.discard();
    for (const key of keys) await writerOf(store).delete(key);
    expect(readdirSync(pathIn(store, "1/bodies/0"))).toEqual([basename(fileOfBody(fileOf(store, last)))]);
    const removedFile = fileOfBody(fileOf(store, last));
    await writerOf(store).delete(last);
    expect(readdirSync(pathIn(store, "1/bodies/0"))).toEqual([]);
    const next = await fill(store);
    expect(next.map((key) => fileOfBody(fileOf(store, key)))).not.toContain(removedFile);
    expect(store.strayBodies()).toEqual([]);
  });

  test("stay where other worlds may name them, and those never read later writes", async () => {
    const store = openTestStore({ sharedBytes });
    await writerOf(store).put("a.txt", Buffer.from("old"));
    store.files.seal();
    await writerOf(store).put("a.txt", Buffer.from("new"));
    await writerOf(store).delete("a.txt");
    expect(readFileSync(pathIn(store, FIRST), "utf8")).toBe("old");
    await writerOf(store).put("b.txt", Buffer.from("later"));
    expect(fileOfBody(fileOf(store, "b.txt"))).not.toBe(FIRST);
  });

  test("go to another file after a restart, whatever the last process has written behind the last one", async () => {
    const before = openTestStore({ sharedBytes });
    await writerOf(before).put("a.txt", Buffer.from("kept"));
    const stage = before.files.stage();
    await writeBody(stage, Buffer.from("never committed"));
    const after = openTestStore({ sharedBytes, folder: rootOf(before), state: before.world.state() });
    await writerOf(after).put("b.txt", Buffer.from("next"));
    expect(fileOf(after, "b.txt")).toBe("1/bodies/0/2@0+4");
    expect(await writerOf(after).get("a.txt")).toEqual(Buffer.from("kept"));
    expect(readFileSync(join(after.folder, "traces/a.txt"), "utf8")).toBe("kept");
  });

  test("are refused when they are damaged, and the others of the file are not", async () => {
    const store = openTestStore({ sharedBytes });
    for (const key of ["a.txt", "b.txt", "c.txt"]) await writerOf(store).put(key, Buffer.from(`body ${key}`));
    const path = pathIn(store, FIRST);
    const whole = readFileSync(path);
    const damaged = Buffer.from(whole);
    damaged[12] = 0;
    writeFileSync(path, damaged);
    await expect(writerOf(store).get("b.txt")).rejects.toThrow(path);
    expect(await writerOf(store).get("a.txt")).toEqual(Buffer.from("body a.txt"));
    expect(await writerOf(store).get("c.txt")).toEqual(Buffer.from("body c.txt"));
    writeFileSync(path, whole);
    truncateSync(path, 25);
    await expect(writerOf(store).get("c.txt")).rejects.toThrow(path);
    expect(await writerOf(store).get("b.txt")).toEqual(Buffer.from("body b.txt"));
    expect(existsSync(path)).toBe(true);
  });
});
