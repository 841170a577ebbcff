import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import S3rver from "s3rver";
import { expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import {
  createExport,
  DESTINATION,
  prepareExport,
  rigOfWorld,
  runToCompletion,
  startRig,
} from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { objectStore } from "../support/object-store.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig({ seed: 42 }));

async function bodiesIn({ s3Url }: Emulator): Promise<Record<string, string>> {
  const client = objectStore(s3Url);
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: "traces" }));
  const bodies: Record<string, string> = {};
  for (const { Key = "" } of Contents) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: "traces", Key }));
    bodies[Key] = Buffer.from((await Body?.transformToByteArray()) ?? []).toString("base64");
  }
  client.destroy();
  return bodies;
}

interface RecordedRun {
  readonly ids: readonly string[];
  readonly journal: readonly unknown[];
  readonly bodies: Record<string, string>;
}

interface Entry {
  readonly turn: number;
}

/** A story in a world: what its journal has of it, which ids it gave and which bytes it wrote. */
async function recordRun(
  world: Emulator,
  prepared: Parameters<typeof createExport>[1],
): Promise<RecordedRun> {
  const call = rigOfWorld(world);
  const before = (await world.control<Entry[]>("GET", "/journal")).at(-1)?.turn ?? 0;
  const { body: bulkExport } = await createExport(call, prepared, { interval_hours: 12 });
  const { body: once } = await createExport(call, prepared, { format_version: "v2_beta" });
  await runToCompletion(call, once.id);
  const run = { assistant_id: "echo", webhook: "/_emulator/inbox/box" };
  const { body: startedRun } = await call.call<{ run_id: string }>("POST", "/runs", run);
  await world.clock.advance("P2D");
  const all = await world.control<Entry[]>("GET", "/journal");
  const journal = all.filter(({ turn }) => turn > before);
  // A world without seed data has had a turn less.
  const first = journal[0]?.turn ?? 0;
  return {
    ids: [bulkExport.id, once.id, startedRun.run_id],
    journal: journal.map((entry) => ({ ...entry, turn: entry.turn - first })),
    bodies: await bodiesIn(world),
  };
}

it("a fork and its parent give the same ids, turns and bytes for the same calls", async () => {
  const prepared = await prepareExport(rig);
  const fork = await rig.emulator.fork();
  const [here, there] = [await recordRun(rig.emulator, prepared), await recordRun(fork, prepared)];
  expect(here.journal.length).toBeGreaterThan(30);
  expect(Object.keys(here.bodies).length).toBeGreaterThan(5);
  expect(there).toEqual(here);
});

it("a world made empty, or reset, gives what a fresh process gives", async () => {
  await prepareExport(rig);
  await rig.emulator.clock.advance("P3D");
  const { id } = await rig.emulator.control<{ id: string }>("POST", "/worlds", {});
  const fork = await rig.emulator.fork({ from: id });
  await rig.emulator.reset();
  const fresh = await startRig({ seed: 42 });
  try {
    const stories = [];
    for (const world of [fresh.emulator, rig.emulator, fork])
      stories.push(await recordRun(world, await prepareExport(rigOfWorld(world))));
    expect(stories[1]).toEqual(stories[0]);
    expect(stories[2]).toEqual(stories[0]);
  } finally {
    await fresh.close();
  }
});

it("keys and destinations of a fork work, in its own store and in one elsewhere", async () => {
  const folder = workingFolder();
  const elsewhere = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: folder,
    configureBuckets: [{ name: "far", configs: [] }],
  });
  const { port } = await elsewhere.run();
  try {
    const near = await prepareExport(rig);
    const { body } = await rig.call<{ id: string }>("POST", "/api/v1/bulk-exports/destinations", {
      ...DESTINATION,
      config: { ...DESTINATION.config, bucket_name: "far", endpoint_url: `http://127.0.0.1:${port}` },
      credentials: { access_key_id: "S3RVER", secret_access_key: "S3RVER" },
    });
    const key = { access_key_id: "mine", secret_access_key: "mine-secret" };
    await rig.emulator.control("POST", "/s3/credentials", key);
    await rig.emulator.snapshots.save("kept");
    const fork = await rig.emulator.fork({ from: "kept" });
    await rig.emulator.reset();
    for (const prepared of [near, { ...near, destinationId: body.id }]) {
      const { body: bulkExport } = await createExport(rigOfWorld(fork), prepared);
      expect(await runToCompletion(rigOfWorld(fork), bulkExport.id)).toMatchObject({ reached: true });
      expect(await fork.verifyExport(bulkExport.id)).toMatchObject({ ok: true, rows: 60, problems: [] });
    }
    const put = new PutObjectCommand({ Bucket: "traces", Key: "a", Body: "a" });
    const pair = { accessKeyId: "mine", secretAccessKey: "mine-secret" };
    const [there, here] = [objectStore(fork.s3Url, pair), objectStore(rig.emulator.s3Url, pair)];
    await there.send(put);
    await expect(here.send(put)).rejects.toMatchObject({ name: "InvalidAccessKeyId" });
    for (const client of [there, here]) client.destroy();
  } finally {
    await elsewhere.close();
  }
});
