import { test } from "vitest";
import { type Commit, emptyState } from "../../../emulator/kernel/commit.ts";
import { imageOf } from "../../../emulator/kernel/image.ts";
import { createWorld } from "../../../emulator/kernel/world.ts";
import { eventReactions, RESULT_REACTIONS } from "../../../emulator/runtime/assembly.ts";
import { STUBBED_EFFECTS } from "../../../emulator/runtime/dry-run.ts";
import { createBucket, dropBucket, listBuckets } from "../../../emulator/subjects/object-storage/buckets.ts";
import {
  CREDENTIAL,
  CREDENTIAL_CHANGE,
  changeCredential,
  createCredential,
  deleteCredential,
  listCredentials,
} from "../../../emulator/subjects/object-storage/credentials.ts";
import { createDelays } from "../../../emulator/subjects/object-storage/delays.ts";
import { putObject } from "../../../emulator/subjects/object-storage/objects.ts";
import { permits } from "../../../emulator/subjects/object-storage/permissions.ts";
import {
  buckets,
  objects,
  s3Credentials,
  s3Parts,
  s3Uploads,
} from "../../../emulator/subjects/object-storage/records.ts";
import { seedObjectStorage } from "../../../emulator/subjects/object-storage/seed.ts";
import type { EmulatorTypes, Turn } from "../../../emulator/subjects/turn.ts";
import { checkOf } from "../../../emulator/validation/check.ts";

function openWorld() {
  const commits: Commit[] = [];
  const world = createWorld<EmulatorTypes>({
    ports: {
      secrets: {
        seal: (plain: string) => [...plain].reverse().join(""),
        open: (sealed: string) => [...sealed].reverse().join(""),
      },
    } as EmulatorTypes["ports"],
    image: imageOf(emptyState(1, 0, { mode: "frozen", rate: 1 }), [
      buckets,
      objects,
      s3Uploads,
      s3Parts,
      s3Credentials,
    ]),
    events: eventReactions(createDelays()),
    results: RESULT_REACTIONS,
    effects: STUBBED_EFFECTS,
    persist: (commit) => void commits.push(commit),
    flush: () => undefined,
    journalCapacity: 100,
  });
  const act = <R>(run: (turn: Turn) => R): R => world.turn({ type: "control", name: "test" }, run);
  act(seedObjectStorage);
  return { world, commits, act };
}

test("a fresh world has one bucket, and one key that may do everything", ({ expect }) => {
  const { world } = openWorld();
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
  const { act, world, commits } = openWorld();
  const request = { access_key_id: "k", secret_access_key: "top-secret", session_token: "top-token" };
  const views = [act((turn) => createCredential(turn, request))];
  views.push(act((turn) => changeCredential(turn, "k", { secret_access_key: "top-secret-2" })));
  const written = JSON.stringify([views, commits, world.state(), world.journal]);
  expect(written).not.toContain("top-secret");
  expect(written).not.toContain("top-token");
  expect(JSON.stringify(views)).not.toContain("terces-pot");
  expect(world.ports.secrets.open(world.reader.get(s3Credentials, "k")?.sealed_secret ?? "")).toBe(
    "top-secret-2",
  );
});

test("a deleted bucket takes its objects along", async ({ expect }) => {
  const { act, world } = openWorld();
  act((turn) => {
    const made = {
      content_type: "",
      headers: {},
      metadata: {},
      size: 0,
      etag: "",
      checksums: {},
      file: "",
      stage: "",
    };
    putObject(turn, { bucket: "traces", key: "a" }, { ...made, checksum_type: "FULL_OBJECT" });
  });
  act((turn) => dropBucket(turn, "traces"));
  await world.settled();
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
  const { act, world } = openWorld();
  const before = JSON.stringify(world.state().records);
  expect(() => act(run as (turn: Turn) => unknown)).toThrow(expect.objectContaining({ status }));
  expect(JSON.stringify(world.state().records)).toBe(before);
});

test.for([
  [
    "an empty secret",
    { secret_access_key: "" },
    "body.secret_access_key: must NOT have fewer than 1 characters",
  ],
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

test("a refusal beats a grant, and a bucket of its own is the only one", ({ expect }) => {
  expect(permits({ allow: ["put"], deny: [], bucket: null }, "put", "a")).toBe(true);
  expect(permits({ allow: ["put"], deny: ["put"], bucket: null }, "put", "a")).toBe(false);
  expect(permits({ allow: ["get"], deny: [], bucket: null }, "put", "a")).toBe(false);
  expect(permits({ allow: ["put"], deny: [], bucket: "b" }, "put", "a")).toBe(false);
});
