import { ListMultipartUploadsCommand, type S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DESTINATION, type ExportRig, type Rig, startExportRig, startRig } from "../support/emulator.ts";
import { objectStore } from "../support/object-store.ts";
import { useRig } from "../support/use-rig.ts";

const MEGABYTE = 1024 * 1024;

const rig = useRig("file", () => startExportRig());
let first: ExportRig["prepared"];

beforeAll(async () => {
  first = rig.prepared;
  await rig.emulator.snapshots.save("begun");
});

/** Each test starts from the saved world. */
beforeEach(async () => {
  await rig.emulator.snapshots.load("begun");
  rig.prepared = first;
});

const deny = (...action: string[]) =>
  rig.emulator.control<unknown>("PATCH", "/s3/credentials/emulator", { deny: action });
const createDestination = (change: Record<string, unknown> = {}) =>
  rig.call<{ id: string; detail: string }>("POST", "/api/v1/bulk-exports/destinations", {
    ...DESTINATION,
    ...change,
  });
async function exportRows(body: Record<string, unknown> = {}) {
  const id = await rig.createExportId(body);
  const moved = await rig.complete(id);
  return { id, reached: moved.reached, runs: await rig.runsOf(id) };
}

describe("a large file is uploaded in parts", () => {
  let client: S3Client;

  beforeAll(async () => {
    await rig.emulator.snapshots.load("begun");
    client = objectStore(rig.emulator.s3Url);
    const post = Array.from({ length: 18 }, (_, nth) => ({
      id: `dddddddd-0000-4000-8000-${String(nth).padStart(12, "0")}`,
      name: "large",
      run_type: "chain",
      session_id: rig.prepared.projectId,
      start_time: "2026-01-10T00:00:00Z",
      inputs: { text: String(nth).padEnd(MEGABYTE, "x") },
    }));
    for (const half of [post.slice(0, 9), post.slice(9)])
      expect((await rig.call("POST", "/runs/batch", { post: half })).status).toBe(202);
    await rig.emulator.snapshots.save("large");
  });

  beforeEach(async () => {
    await rig.emulator.snapshots.load("large");
  });

  afterAll(() => client.destroy());

  const window = {
    start_time: "2026-01-10T00:00:00Z",
    end_time: "2026-01-11T00:00:00Z",
    compression: "none",
  };
  const failPart = (then: object) => rig.arm({ target: "s3", match: { op: "UploadPart", nth: 2 }, then });
  const uploads = async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: "traces" }));
    return Uploads.map(({ Key }) => Key ?? "");
  };

  it("and is one object without open uploads afterwards", async () => {
    const { id, reached } = await exportRows(window);
    expect(reached).toBe(true);
    expect(await rig.verify(id)).toEqual({ ok: true, rows: 18, files: 1, problems: [] });
    expect(await uploads()).toEqual([]);
  });

  it("and a retry writes one file in addition to the upload that it may not abort", async () => {
    await deny("abort");
    await failPart({ s3_error: "InternalError" });
    const { id, reached, runs } = await exportRows(window);
    expect(reached).toBe(true);
    expect(Object.keys(runs[0]?.errors ?? {})).toEqual(["retry_0"]);
    expect(await uploads()).toHaveLength(1);
    expect(await rig.verify(id)).toMatchObject({ rows: 18, files: 1 });
  });
});

describe("an S3-compatible endpoint (§2.4-11)", () => {
  let elsewhere: Rig;

  beforeEach(async () => {
    elsewhere = await startRig();
  });

  afterEach(() => elsewhere.close());

  const config = () => ({ bucket_name: "traces", prefix: "gcs", endpoint_url: elsewhere.emulator.s3Url });
  const objects = async () =>
    (await elsewhere.emulator.control<{ objects: number }[]>("GET", "/s3/buckets"))[0]?.objects;

  it("needs no region, and gets the files and the test file", async () => {
    const { status, body } = await createDestination({ config: config() });
    expect(status).toBe(200);
    rig.prepared = { ...rig.prepared, destinationId: body.id };
    const { id, reached } = await exportRows();
    expect(reached).toBe(true);
    expect(await objects()).toBe(3);
    expect(await rig.verify(id)).toMatchObject({ ok: true, rows: 60 });
  });
});

describe("temporary credentials (§2.4-3)", () => {
  const credentials = {
    access_key_id: "temporary",
    secret_access_key: "temporary-secret",
    session_token: "today",
  };

  beforeEach(() => rig.emulator.control("POST", "/s3/credentials", credentials));

  it("work with their token", async () => {
    const { status, body } = await createDestination({ credentials });
    expect(status).toBe(200);
    expect(body).toMatchObject({ credentials_keys: ["access_key_id", "secret_access_key", "session_token"] });
    rig.prepared = { ...rig.prepared, destinationId: body.id };
    expect(await exportRows()).toMatchObject({ reached: true });
  });

  it.each([
    ["without it", undefined],
    ["with another one", "yesterday"],
  ])("do not work %s", async (_what, session_token) => {
    expect((await createDestination({ credentials: { ...credentials, session_token } })).status).toBe(400);
  });

  it("fail an export once they have expired", async () => {
    rig.prepared = { ...rig.prepared, destinationId: (await createDestination({ credentials })).body.id };
    await rig.emulator.control("PATCH", "/s3/credentials/temporary", { expires_at: "2026-03-01T00:00:30Z" });
    await rig.advance("PT1M");
    const { reached, runs } = await exportRows();
    expect(reached).toBe(false);
    expect(runs[0]?.errors.retry_0).toMatch(/^Storage or destination error: Access denied \(ExpiredToken/);
  });
});
