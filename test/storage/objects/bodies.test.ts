import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stageFile } from "../../../emulator/s3/stage-file.ts";
import { deleteBucket, makeBucket } from "../../../emulator/subjects/object-storage/buckets.ts";
import { openTestStore, writeBody, writerOf } from "../../s3/harness.ts";

describe("the folder in which people find objects", () => {
  test("has the newest body of an object under its key, as a link to the one in the pool", async () => {
    const store = openTestStore();
    await writerOf(store).put("a/b.txt", Buffer.from("old"));
    await writerOf(store).put("a/b.txt", Buffer.from("new"));
    const path = join(store.folder, "traces/a/b.txt");
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(statSync(path).nlink).toBe(2);
    await writerOf(store).delete("a/b.txt");
    expect(readdirSync(join(store.folder, "traces"))).toEqual([]);
    expect(store.strayBodies()).toEqual([]);
  });

  test("has the key next to a hashed name", async () => {
    const store = openTestStore();
    await writerOf(store).put("../Ü", Buffer.from("x"));
    const names = readdirSync(join(store.folder, "traces/.hashed")).sort();
    expect(names.map((name) => name.replace(/^[0-9a-f]{64}/, "#"))).toEqual(["#", "#.key"]);
    expect(readFileSync(join(store.folder, "traces/.hashed", String(names[1])), "utf8")).toBe("../Ü");
    await writerOf(store).delete("../Ü");
    expect(readdirSync(join(store.folder, "traces"))).toEqual([]);
  });

  test("removes a deleted bucket, but not the objects of its successor", async () => {
    const store = openTestStore();
    await writerOf(store).put("a.txt", Buffer.from("old"));
    store.control((turn) => {
      deleteBucket(turn, "traces");
    });
    store.control((turn) => makeBucket(turn, "traces", null));
    await writerOf(store).put("b.txt", Buffer.from("new"));
    expect(readdirSync(join(store.folder, "traces"))).toEqual(["b.txt"]);
    expect(store.strayBodies()).toEqual([]);
  });

  test("is brought in line with the records after a process that ended in between", async () => {
    const before = openTestStore();
    await writerOf(before).put("a.txt", Buffer.from("a"));
    await writerOf(before).put("Ä", Buffer.from("hashed"));
    rmSync(join(before.folder, "traces/a.txt"));
    writeFileSync(join(before.folder, "traces/a.txt"), "of nobody");
    mkdirSync(join(before.folder, "unknown-bucket"));
    const root = join(before.folder, "../../..");
    const after = openTestStore({ folder: root, state: before.world.state() });
    expect(readdirSync(after.folder)).toEqual(["traces"]);
    expect(readFileSync(join(after.folder, "traces/a.txt"), "utf8")).toBe("a");
    expect(await writerOf(after).get("Ä")).toEqual(Buffer.from("hashed"));
  });

  test("fails no request when it cannot be written to", async () => {
    const store = openTestStore();
    mkdirSync(join(store.folder, ".."), { recursive: true });
    writeFileSync(store.folder, "a file in its place");
    expect(await writerOf(store).put("a.txt", Buffer.from("x"))).toEqual({ stored: true });
    expect(await writerOf(store).get("a.txt")).toEqual(Buffer.from("x"));
  });
});

describe("bodies", () => {
  test("have numbers that are never used again after a restart", async () => {
    const before = openTestStore();
    await writerOf(before).put("a.txt", Buffer.from("one"));
    const stage = before.files.stage();
    await writeBody(stage, Buffer.from("never committed"));
    const after = openTestStore({ folder: join(before.folder, "../../.."), state: before.world.state() });
    const next = after.files.stage();
    await writeBody(next, Buffer.from("the next one"));
    expect([stage.file, next.file]).toEqual(["1/bodies/0/2", "1/bodies/0/3"]);
  });

  test("are read completely during other writes", async () => {
    const store = openTestStore();
    const old = Buffer.alloc(400_000, "o");
    await writerOf(store).put("a.txt", old);
    const reading = writerOf(store).get("a.txt");
    await writerOf(store).put("a.txt", Buffer.from("new"));
    expect(await reading).toEqual(old);
  });

  test("that arrive after the end of their world are refused and leave nothing", async () => {
    const store = openTestStore();
    const [arriving, stage] = [stageFile(store.files, Buffer.alloc(3 * 1024 * 1024)), store.files.stage()];
    await writeBody(stage, Buffer.from("x"));
    store.files.end();
    await arriving;
    await stageFile(store.files, Buffer.from("late"));
    expect([stage, store.files.stage()].map(({ isDiscarded }) => isDiscarded)).toEqual([true, true]);
    expect(store.strayBodies()).toEqual([]);
  });

  test("that others may name stay when their own world drops them", async () => {
    const store = openTestStore();
    await writerOf(store).put("a.txt", Buffer.from("old"));
    store.files.seal();
    await writerOf(store).put("a.txt", Buffer.from("new"));
    expect(store.strayBodies()).toEqual(["1/bodies/0/1"]);
    await writerOf(store).put("a.txt", Buffer.from("newer"));
    expect(store.strayBodies()).toEqual(["1/bodies/0/1"]);
  });
});
