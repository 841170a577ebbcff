import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { afterEach, expect, it } from "vitest";
import { type Rig, startRig } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";

let rig: Rig;

afterEach(() => rig.close());

const READER = {
  access_key_id: "reader",
  secret_access_key: "reader-secret",
  allow: ["get"],
  bucket: "mine",
};
const WRITER = { access_key_id: "writer", secret_access_key: "writer-secret" };
const STANDARD = { access_key_id: "emulator", secret_access_key: "another-secret", deny: ["delete"] };
const DESTINATION = {
  destination_type: "s3",
  display_name: "Mine",
  config: { bucket_name: "mine", prefix: "x", region: "us-east-1" },
  credentials: { access_key_id: "writer", secret_access_key: "writer-secret" },
};

function clientOf({ access_key_id, secret_access_key }: typeof WRITER): S3Client {
  const pair = { accessKeyId: access_key_id, secretAccessKey: secret_access_key };
  return objectStore(rig.emulator.s3Url, pair);
}

it("key pairs of the configuration are there for destinations and tools, with what they may do", async () => {
  rig = await startRig({
    seed_data: { buckets: ["mine"], keys: [READER, WRITER, STANDARD], destinations: [DESTINATION] } as never,
  });
  const object = { Bucket: "mine", Key: "a.txt" };
  await clientOf(WRITER).send(new PutObjectCommand({ ...object, Body: "a" }));
  const read = await clientOf(READER).send(new GetObjectCommand(object));
  expect(await read.Body?.transformToString()).toBe("a");
  const action = clientOf(READER).send(new PutObjectCommand({ ...object, Body: "b" }));
  await expect(action).rejects.toMatchObject({ name: "AccessDenied" });
  await clientOf(STANDARD).send(new PutObjectCommand({ ...object, Body: "c" }));

  const { body } = await rig.call<unknown[]>("GET", "/api/v1/bulk-exports/destinations");
  expect(body).toMatchObject([{ display_name: "Mine" }]);
  const credentials = await rig.emulator.control("GET", "/s3/credentials");
  expect(credentials).toMatchObject([
    { access_key_id: "emulator", deny: ["delete"] },
    { access_key_id: "reader", allow: ["get"], bucket: "mine" },
    { access_key_id: "writer" },
  ]);
  const configuration = JSON.stringify(await rig.emulator.control("GET", "/config"));
  expect(configuration).toContain('"access_key_id":"reader"');
  expect(configuration).not.toMatch(/reader-secret|writer-secret|another-secret/);
});

it("a reset restores key pairs, except in an empty world", async () => {
  rig = await startRig({ seed_data: { keys: [WRITER] } as never });
  const ids = async () =>
    (await rig.emulator.control<{ access_key_id: string }[]>("GET", "/s3/credentials")).map(
      ({ access_key_id }) => access_key_id,
    );
  await rig.emulator.control("DELETE", "/s3/credentials/writer");
  expect(await ids()).toEqual(["emulator"]);
  await rig.emulator.reset();
  expect(await ids()).toEqual(["emulator", "writer"]);
  await rig.emulator.control("POST", "/reset", { empty: true });
  expect(await ids()).toEqual(["emulator"]);
});
