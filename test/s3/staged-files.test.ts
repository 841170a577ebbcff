import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, describe, test } from "vitest";
import { formatInstant } from "../../emulator/kernel/instant.ts";
import { readBody } from "../../emulator/storage/objects/opened-body.ts";
import type { ObjectStoreCredentials } from "../../emulator/subjects/destinations/object-store-client.ts";
import { createBucket } from "../../emulator/subjects/object-storage/buckets.ts";
import { changeCredential, createCredential } from "../../emulator/subjects/object-storage/credentials.ts";
import type { S3Fault } from "../../emulator/subjects/object-storage/faults.ts";
import { objectId, objects, s3Parts, s3Uploads } from "../../emulator/subjects/object-storage/records.ts";
import { NOW, openTestStore, type TestStore, writerOf } from "./harness.ts";

const MIB = 1024 * 1024;
const KEY: ObjectStoreCredentials = {
  accessKeyId: "writer",
  secretAccessKey: "writer-secret",
  sessionToken: null,
};
const bytes = Buffer.from("some bytes");
const large = Buffer.alloc(11 * MIB, "0123456789");

describe("a staged file, stored by a turn", () => {
  let store: TestStore;
  let triggerFault: (op: string) => S3Fault | undefined = () => undefined;

  beforeEach(() => {
    triggerFault = () => undefined;
    store = openTestStore({ sharedBytes: 100 });
    store.control((turn) =>
      createCredential(turn, { access_key_id: "writer", secret_access_key: "writer-secret" }),
    );
  });
  afterEach(() => rmSync(dirname(dirname(dirname(store.folder))), { recursive: true, force: true }));

  const writer = (credentials: Partial<ObjectStoreCredentials> = {}, bucket = "traces") =>
    writerOf(
      store,
      { bucket, credentials: { ...KEY, ...credentials }, triggerFault: (_turn, { op }) => triggerFault(op) },
      5 * MIB,
    );

  async function put(key: string, content: Uint8Array, by = writer()): Promise<string> {
    const said = await by.put(key, content);
    return "failure" in said ? said.failure : "stored";
  }

  const size = (key: string, by = writer()) => by.size(key);
  const remove = (key: string) => writer().delete(key);
  const read = (key: string) => writer().get(key);

  test("is an object, which can be measured and removed", async ({ expect }) => {
    expect(await put("a/day=01/part-00000.parquet", bytes)).toBe("stored");
    expect(size("a/day=01/part-00000.parquet")).toEqual({ size: 10 });
    expect(await read("a/day=01/part-00000.parquet")).toEqual(bytes);
    expect(await put("a/é", Buffer.alloc(MIB, 3))).toBe("stored");
    expect(await read("a/é")).toEqual(Buffer.alloc(MIB, 3));
    expect(remove("a/é")).toEqual({ deleted: true });
    expect([...store.world.reader.list(objects, "traces")].map(({ key }) => key)).toEqual([
      "a/day=01/part-00000.parquet",
    ]);
    expect(store.strayBodies()).toEqual([]);
  });

  test("takes the place of the one before, whose body goes", async ({ expect }) => {
    await put("a.bin", bytes);
    await put("a.bin", Buffer.from("other"));
    expect(await read("a.bin")).toEqual(Buffer.from("other"));
    expect(store.strayBodies()).toEqual([]);
  });

  test("is stored by one turn, whose journal line names it", async ({ expect }) => {
    const before = store.commits.length;
    await put("a.bin", bytes);
    expect(store.commits).toHaveLength(before + 1);
    expect(store.commits.at(-1)?.notes).toEqual([
      { kind: "s3.stored", ref: "traces/a.bin", detail: { op: "PutObject", access_key_id: "writer" } },
    ]);
  });

  test("that is large is a multipart upload, whose object is whole", async ({ expect }) => {
    const ops: string[] = [];
    triggerFault = (op) => void ops.push(op);
    expect(await put("large.bin", large)).toBe("stored");
    expect(ops).toEqual([
      "CreateMultipartUpload",
      "UploadPart",
      "UploadPart",
      "UploadPart",
      "CompleteMultipartUpload",
    ]);
    expect((await read("large.bin"))?.equals(large)).toBe(true);
    const md5 = (content: Uint8Array) => createHash("md5").update(content);
    const parts = [0, 5, 10].map((at) => md5(large.subarray(at * MIB, (at + 5) * MIB)).digest());
    expect(store.world.reader.get(objects, objectId("traces", "large.bin"))?.etag).toBe(
      `${md5(Buffer.concat(parts)).digest("hex")}-3`,
    );
    expect(store.world.reader.count(s3Uploads, "traces")).toBe(0);
    expect(store.strayBodies()).toEqual([]);
  });

  test.for([
    ["permitted", [], 0],
    ["denied", ["abort"], 1],
  ] as const)("that is large and fails, with abort %s", async ([_name, deny, left], { expect }) => {
    store.control((turn) => changeCredential(turn, "writer", { deny }));
    let parts = 0;
    triggerFault = (op) => {
      if (op === "UploadPart") parts += 1;
      return op === "UploadPart" && parts === 2 ? { s3_error: "SlowDown" } : undefined;
    };
    expect(await put("large.bin", large)).toBe("unavailable");
    const uploads = [...store.world.reader.list(s3Uploads, "traces")];
    expect(uploads).toHaveLength(left);
    for (const { upload_id } of uploads) {
      const [part, ...more] = [...store.world.reader.list(s3Parts, upload_id)];
      expect([part?.part_number, more]).toEqual([1, []]);
      const body = part && (await readBody(await store.files.open(part)));
      expect(body?.equals(large.subarray(0, 5 * MIB))).toBe(true);
    }
    expect(store.strayBodies()).toEqual([]);
  });

  test("that loses its bucket at the end takes no other body with it", async ({ expect }) => {
    store.control((turn) => createBucket(turn, "other"));
    await put("small.txt", bytes, writer({}, "other"));
    triggerFault = (op) => (op === "CompleteMultipartUpload" ? { delete_bucket: "traces" } : undefined);
    // Its last part is so small that it shares a file with the other body.
    expect(await put("large.bin", large.subarray(0, 10 * MIB + 10))).toBe("bucket_not_valid");
    expect(await writer({}, "other").get("small.txt")).toEqual(bytes);
    expect(store.strayBodies()).toEqual([]);
  });

  test("fails with a name for each true cause, and leaves no body", async ({ expect }) => {
    expect(await put("x.txt", bytes, writer({ secretAccessKey: "wrong" }))).toBe("access_denied");
    expect(await put("x.txt", bytes, writer({ sessionToken: "wrong" }))).toBe("access_denied");
    expect(await put("x.txt", bytes, writer({ accessKeyId: "nobody" }))).toBe("key_id_does_not_exist");
    expect(await put("x.txt", bytes, writer({}, "no-bucket"))).toBe("bucket_not_valid");
    triggerFault = () => ({ delete_bucket: "traces" });
    expect(await put("x.txt", bytes)).toBe("bucket_not_valid");
    store.control((turn) => changeCredential(turn, "writer", { deny: ["put"] }));
    expect(await put("x.txt", bytes, writer({}, "no-bucket"))).toBe("bucket_not_valid");
    expect(store.strayBodies()).toEqual([]);
  });

  test("is stored, measured and removed with permission, and triggers faults", async ({ expect }) => {
    await put("there.txt", bytes);
    const failures = async () => {
      const answers = [size("there.txt"), remove("new.txt")];
      return [
        await put("new.txt", bytes),
        ...answers.map((said) => ("failure" in said ? said.failure : "ok")),
      ];
    };
    for (const [action, expected] of [
      ["put", ["access_denied", "ok", "ok"]],
      ["get", ["stored", "access_denied", "ok"]],
      ["delete", ["stored", "ok", "access_denied"]],
    ] as const) {
      store.control((turn) => changeCredential(turn, "writer", { deny: [action] }));
      expect(await failures()).toEqual(expected);
    }
    store.control((turn) =>
      changeCredential(turn, "writer", { deny: [], session_token: "t", expires_at: formatInstant(NOW) }),
    );
    expect(size("there.txt", writer({ sessionToken: "t" }))).toMatchObject({ failure: "access_denied" });
    store.control((turn) => changeCredential(turn, "writer", { session_token: null, expires_at: null }));
    for (const fault of [{ s3_error: "InternalError" }, { reset: true }, { delayMs: 10_001 }] as const) {
      triggerFault = () => fault;
      expect(size("there.txt")).toMatchObject({ failure: "unavailable" });
    }
    triggerFault = () => ({ delayMs: 10_000 });
    expect(size("missing.txt")).toEqual({
      failure: "refused",
      code: "NoSuchKey",
      message: "NoSuchKey: The specified key does not exist.",
    });
  });
});
