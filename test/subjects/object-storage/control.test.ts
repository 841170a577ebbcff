import { test } from "vitest";
import { createBucket, dropBucket, listBuckets } from "../../../emulator/subjects/object-storage/buckets.ts";
import {
  CREDENTIAL,
  CREDENTIAL_CHANGE,
  changeCredential,
  createCredential,
  deleteCredential,
  listCredentials,
} from "../../../emulator/subjects/object-storage/credentials.ts";
import { putObject } from "../../../emulator/subjects/object-storage/objects.ts";
import { permits } from "../../../emulator/subjects/object-storage/permissions.ts";
import { objects, s3Credentials } from "../../../emulator/subjects/object-storage/records.ts";
import { seedObjectStorage } from "../../../emulator/subjects/object-storage/seed.ts";
import type { Turn } from "../../../emulator/subjects/turn.ts";
import { checkOf } from "../../../emulator/validation/check.ts";
import { openWorld } from "../../support/world.ts";

function openStore() {
  const base = openWorld({ now: 0 });
  base.turn(seedObjectStorage);
  return base;
}

test("a new world has the bucket traces and one key pair with every permission", ({ expect }) => {
  const { world } = openStore();
  expect(listBuckets(world.reader)).toEqual([
    { name: "traces", region: null, created_at: "1970-01-01T00:00:00.000000Z", objects: 0, uploads: 0 },
  ]);
  expect(listCredentials(world.reader)).toEqual([
    {
      access_key_id: "emulator",
      has_session_token: false,
      expires_at: null,
      allow: ["put", "get", "delete", "list", "abort"],
      deny: [],
      bucket: null,
      created_at: "1970-01-01T00:00:00.000000Z",
    },
  ]);
});

test("secrets are sealed, and in no view, record or journal", ({ expect }) => {
  const { turn, world, commits } = openStore();
  const request = { access_key_id: "k", secret_access_key: "top-secret", session_token: "top-token" };
  const views = [turn((open) => createCredential(open, request))];
  views.push(turn((open) => changeCredential(open, "k", { secret_access_key: "top-secret-2" })));
  const written = JSON.stringify([views, commits, world.state(), world.journal]);
  expect(written).not.toContain("top-secret");
  expect(written).not.toContain("top-token");
  expect(JSON.stringify(views)).not.toContain("terces-pot");
  expect(world.ports.secrets.open(world.reader.get(s3Credentials, "k")?.sealed_secret ?? "")).toBe(
    "top-secret-2",
  );
});

test("a deleted bucket deletes its objects", async ({ expect }) => {
  const { turn, world } = openStore();
  turn((open) => {
    const resource = {
      content_type: "",
      headers: {},
      metadata: {},
      size: 0,
      sum: 0,
      etag: "",
      checksums: {},
      file: "",
      stage: "",
    };
    putObject(open, { bucket: "traces", key: "a" }, { ...resource, checksum_type: "FULL_OBJECT" });
  });
  turn((open) => dropBucket(open, "traces"));
  expect([world.reader.count(objects, "traces"), listBuckets(world.reader)]).toEqual([0, []]);
});

test.for([
  ["a bad bucket name", (turn: Turn) => createBucket(turn, "NO"), 422],
  ["a bucket twice", (turn: Turn) => createBucket(turn, "traces"), 409],
  ["a missing bucket", (turn: Turn) => dropBucket(turn, "nothing"), 404],
  ["a missing key", (turn: Turn) => deleteCredential(turn, "nobody"), 404],
  [
    "a key twice",
    (turn: Turn) => createCredential(turn, { access_key_id: "emulator", secret_access_key: "x" }),
    409,
  ],
] as const)("%s is refused, and nothing written", ([_name, run, status], { expect }) => {
  const { turn, world } = openStore();
  const before = JSON.stringify(world.state().records);
  expect(() => turn(run as (turn: Turn) => unknown)).toThrow(expect.objectContaining({ status }));
  expect(JSON.stringify(world.state().records)).toBe(before);
});

test.for([
  ["an empty secret", { secret_access_key: "" }, "body.secret_access_key: must not be empty"],
  [
    "an unknown permission",
    { allow: ["fly"] },
    "body.allow[0]: must be one of put, get, delete, list, abort",
  ],
  ["no instant", { expires_at: "soon" }, "body.expires_at: must be an ISO 8601 time with a zone"],
  ["no bucket name", { bucket: "../x" }, "body.bucket: must be a bucket name of 3 to 63 small letters"],
] as const)("%s does not fit a change of a key pair", async ([_name, change, problem], { expect }) => {
  const check = await checkOf(CREDENTIAL_CHANGE);
  expect(check(change, "body")).toEqual([expect.stringContaining(problem)]);
});

test("the id of a key pair has to fit into the header of a signature", async ({ expect }) => {
  const check = await checkOf(CREDENTIAL);
  const problemsOf = (access_key_id: string) => check({ access_key_id, secret_access_key: "s" }, "body");
  expect(problemsOf("a.b+c=d@e_f-1")).toEqual([]);
  const problem = "body.access_key_id: must be letters, digits and . + = @ _ -, 128 at most";
  for (const id of ["", "a b", "a/b", "x".repeat(129)]) expect(problemsOf(id)).toEqual([problem]);
});

test("deny wins over allow, and a key with a bucket opens no other", ({ expect }) => {
  expect(permits({ allow: ["put"], deny: [], bucket: null }, "put", "a")).toBe(true);
  expect(permits({ allow: ["put"], deny: ["put"], bucket: null }, "put", "a")).toBe(false);
  expect(permits({ allow: ["get"], deny: [], bucket: null }, "put", "a")).toBe(false);
  expect(permits({ allow: ["put"], deny: [], bucket: "b" }, "put", "a")).toBe(false);
});
