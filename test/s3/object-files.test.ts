import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { createObjectStoreClients } from "../../emulator/s3/client/object-store-clients.ts";
import { openObjectFiles } from "../../emulator/storage/objects/object-files.ts";
import { deleteBucket, makeBucket } from "../../emulator/subjects/object-storage/buckets.ts";
import { putObject } from "../../emulator/subjects/object-storage/objects.ts";
import { objects } from "../../emulator/subjects/object-storage/records.ts";
import { openTestStore, type TestStore } from "./harness.ts";

const made = {
  content_type: "text/plain",
  headers: {},
  metadata: {},
  size: 3,
  etag: "e",
  checksums: {},
  checksum_type: "FULL_OBJECT",
} as const;

function clientOf(store: TestStore) {
  const address = { bucket: "traces", region: null, endpointUrl: null, embedded: true };
  const credentials = { accessKeyId: "emulator", secretAccessKey: "emulator-secret", sessionToken: null };
  return createObjectStoreClients({ store, timeoutMs: 1000 }).open(address, credentials);
}

/** Publishes a body and ends the process between the commit and the rename. */
function crashAfterCommit(store: TestStore, key: string, body: string): void {
  const stage = store.files.stage();
  stage.writeWhole(Buffer.from(body));
  try {
    store.files.publish(stage, { bucket: "traces", key }, (file) => {
      store.control((turn) =>
        putObject(turn, { bucket: "traces", key }, { ...made, ...file, size: body.length }),
      );
      throw new Error("the process ends here");
    });
  } catch {
    // What is on disk and in the records is what a restart finds.
  }
}

test("a body whose record was kept gets its name at the next start", async ({ expect }) => {
  const before = openTestStore();
  await clientOf(before).put("a.txt", Buffer.from("old"));
  crashAfterCommit(before, "a.txt", "new");
  crashAfterCommit(before, "Ä", "hashed");
  expect(readFileSync(join(before.folder, "traces/a.txt"), "utf8")).toBe("old");
  const after = openTestStore({ folder: before.folder, state: before.world.state() });
  expect(await clientOf(after).get("a.txt")).toEqual({ bytes: Buffer.from("new") });
  expect(await clientOf(after).get("Ä")).toEqual({ bytes: Buffer.from("hashed") });
  expect(readdirSync(join(before.folder, ".tmp"))).toEqual([]);
});

test("a body whose record was not kept goes, and the one before it stays", async ({ expect }) => {
  const before = openTestStore();
  await clientOf(before).put("a.txt", Buffer.from("old"));
  const stage = before.files.stage();
  stage.writeWhole(Buffer.from("never committed"));
  mkdirSync(join(before.folder, ".uploads/unknown"), { recursive: true });
  writeFileSync(join(before.folder, ".uploads/unknown/1-1-1"), "x");
  mkdirSync(join(before.folder, "unknown-bucket"));
  const after = openTestStore({ folder: before.folder, state: before.world.state() });
  expect(await clientOf(after).get("a.txt")).toEqual({ bytes: Buffer.from("old") });
  expect(readdirSync(before.folder).sort()).toEqual([".tmp", ".uploads", "traces"]);
  expect(readdirSync(join(before.folder, ".tmp"))).toEqual([]);
  expect(readdirSync(join(before.folder, ".uploads"))).toEqual([]);
});

test("temporary names never come back after a restart, so that none is taken for an older body's", ({
  expect,
}) => {
  const before = openTestStore();
  crashAfterCommit(before, "a.txt", "one");
  const first = [...before.world.reader.list(objects, "traces")][0]?.stage;
  const after = openTestStore({ folder: before.folder, state: before.world.state() });
  expect([first, after.files.stage().name]).toEqual(["1-1", "2-1"]);
});

test("a reader of an object sees it whole, whatever is written meanwhile", async ({ expect }) => {
  const store = openTestStore();
  const old = Buffer.alloc(400_000, "o");
  await clientOf(store).put("a.txt", old);
  const reading = clientOf(store).get("a.txt");
  await clientOf(store).put("a.txt", Buffer.from("new"));
  expect(await reading).toEqual({ bytes: old });
});

test("a body that arrives after the end of its world is refused and leaves nothing", async ({ expect }) => {
  const store = openTestStore();
  const putting = clientOf(store).put("a.txt", Buffer.alloc(3 * 1024 * 1024));
  store.files.end();
  expect(await putting).toMatchObject({ failure: "unavailable" });
  expect(await clientOf(store).put("b.txt", Buffer.from("late"))).toMatchObject({ failure: "unavailable" });
  expect(readdirSync(store.folder, { recursive: true })).toEqual([".tmp"]);
});

test("a deleted bucket's files go; those of its successor stay", async ({ expect }) => {
  const store = openTestStore();
  await clientOf(store).put("a.txt", Buffer.from("old"));
  store.control((turn) => {
    deleteBucket(turn, "traces");
  });
  store.control((turn) => makeBucket(turn, "traces", null));
  await clientOf(store).put("b.txt", Buffer.from("new"));
  await store.world.settled();
  expect(readdirSync(join(store.folder, "traces"))).toEqual(["b.txt"]);
  expect(readdirSync(join(store.folder, ".tmp"))).toEqual([]);
});

test("a hashed name has its key beside it", async ({ expect }) => {
  const store = openTestStore();
  await clientOf(store).put("../Ü", Buffer.from("x"));
  const names = readdirSync(join(store.folder, "traces/.hashed")).sort();
  expect(names.map((name) => name.replace(/^[0-9a-f]{64}/, "#"))).toEqual(["#", "#.key"]);
  expect(readFileSync(join(store.folder, "traces/.hashed", String(names[1])), "utf8")).toBe("../Ü");
});

test("a folder can be opened again and again", ({ expect }) => {
  const { folder } = openTestStore();
  openObjectFiles({ folder });
  expect(readdirSync(folder)).toEqual([".tmp"]);
});
